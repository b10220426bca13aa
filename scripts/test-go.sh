#!/usr/bin/env bash
# Every Go test, with the race detector. More arguments go to `go test`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts/setup-cc.sh
say "go test -race ${*:+$* }./..."
# The race detector is the one thing here that needs cgo, also where cgo is off by default.
CGO_ENABLED=1 exec go test -race "$@" ./...
