#!/usr/bin/env bash
# Builds ./bin/toolsmith, with the version that git knows in it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# A source archive has no git history: such a build says "dev".
version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}
say "building bin/toolsmith $version"
# No cgo: one file that runs on any machine of its kind. No -buildvcs: the version is
# stamped here, and Go's own stamping fails where git distrusts the folder's owner.
CGO_ENABLED=0 exec go build -trimpath -buildvcs=false \
  -ldflags "-s -w -X main.version=$version" -o bin/toolsmith ./cmd/toolsmith
