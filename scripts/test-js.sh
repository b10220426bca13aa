#!/usr/bin/env bash
# Builds the TypeScript package in sdk/js and runs all its tests, in Node.js and in a browser.
# More arguments go to Node's test runner.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts/setup-node.sh
scripts/setup-chromium.sh
[ -x .tools/node/bin/node ] && PATH=$PWD/.tools/node/bin:$PATH
cd sdk/js

# Installing anew throws away all that is there, so it is done only when something changed.
stamp=$(cat package.json package-lock.json | git hash-object --stdin)
if [ "$(cat node_modules/.stamp 2>/dev/null)" != "$stamp" ]; then
  say "npm ci"
  npm ci --no-audit --no-fund --loglevel=error
  printf '%s\n' "$stamp" >node_modules/.stamp
fi
say "npm test${*:+ -- $*}"
exec npm test --silent -- "$@"
