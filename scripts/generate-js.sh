#!/usr/bin/env bash
# Usage: generate-js.sh [--check]
#
# Rewrites the types of the HTTP API in sdk/js from the document of the server as it is built now.
# That they are right is a test of sdk/js; --check only looks.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts/setup-js.sh
[ -x .tools/node/bin/node ] && PATH=$PWD/.tools/node/bin:$PATH
cd sdk/js
exec npm run --silent generate -- "$@"
