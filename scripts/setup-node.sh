#!/usr/bin/env bash
# Node.js 22 or newer, with npm, which only sdk/js needs: the machine's own, or else the one
# that tools/node pins by hash, in .tools/node/bin. The scripts that need it put that folder
# first on their path.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

new_enough() {
  local version
  version=$("$1" --version 2>/dev/null) && version=${version#v} && [ "${version%%.*}" -ge 22 ]
}

if ! command -v npm >/dev/null; then
  command -v apt-get >/dev/null ||
    fail "sdk/js needs Node.js 22 or newer with npm; install them and try again"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "sdk/js needs npm: run 'apt-get install nodejs npm' as root and try again"
    as_root=(sudo)
  fi
  say "npm: installing it with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
fi

if new_enough node; then
  say "Node.js $(node --version) is there"
  exit 0
fi

stamp=$(cat tools/node/package.json tools/node/package-lock.json | git hash-object --stdin)
if new_enough .tools/node/bin/node && [ "$(cat .tools/node/stamp 2>/dev/null)" = "$stamp" ]; then
  say "Node.js $(.tools/node/bin/node --version) is in .tools"
  exit 0
fi
say "Node.js: the machine has $(node --version 2>/dev/null || echo none), installing a newer one into .tools"
rm -rf .tools/node
mkdir -p .tools/node/bin
cp tools/node/package.json tools/node/package-lock.json .tools/node/
npm ci --prefix .tools/node --no-audit --no-fund --loglevel=error
for binary in .tools/node/node_modules/node-*/bin/node; do
  [ -x "$binary" ] || fail "tools/node has no Node.js for this machine ($(uname -sm)); install version 22 or newer and try again"
  ln -sf "../${binary#.tools/node/}" .tools/node/bin/node
done
new_enough .tools/node/bin/node || fail "the Node.js in .tools does not run here"
printf '%s\n' "$stamp" >.tools/node/stamp
