#!/usr/bin/env bash
# Builds the TypeScript package in sdk/js and runs all its tests, in Node.js and in a browser,
# some of them against the server of this repository. More arguments go to Node's test runner.
# The types of the realm of coded tools, which shares parts of the package, and of the examples are
# checked before.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts/setup-js.sh
scripts/setup-chromium.sh
[ -x .tools/node/bin/node ] && PATH=$PWD/.tools/node/bin:$PATH

say "tsc -p internal/runner/script/guest"
sdk/js/node_modules/.bin/tsc -p internal/runner/script/guest
say "tsc -p examples"
sdk/js/node_modules/.bin/tsc -p examples

# Built once, for all the tests that would each build it.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
say "go build ./cmd/toolsmith"
go build -o "$folder/toolsmith" ./cmd/toolsmith

cd sdk/js
say "npm test${*:+ -- $*}"
TOOLSMITH=$folder/toolsmith npm test --silent -- "$@"
