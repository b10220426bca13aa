#!/usr/bin/env bash
# What sdk/js needs to be worked on: Node.js, and the packages of its lock file.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts/setup-node.sh
[ -x .tools/node/bin/node ] && PATH=$PWD/.tools/node/bin:$PATH
cd sdk/js

# Installing anew throws away all that is there, so it is done only when something changed.
stamp=$(cat package.json package-lock.json | git hash-object --stdin)
if [ "$(cat node_modules/.stamp 2>/dev/null)" != "$stamp" ]; then
  say "npm ci"
  npm ci --no-audit --no-fund --loglevel=error
  printf '%s\n' "$stamp" >node_modules/.stamp
fi
