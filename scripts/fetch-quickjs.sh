#!/usr/bin/env bash
# Usage: fetch-quickjs.sh [--check]
#
# Fetches QuickJS, which the sandbox of coded tools runs, from its npm package and puts it and its
# licence in their place. With --check it fetches nothing, and fails if the committed file is
# not the one that is named here.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

package=quickjs-wasi version=3.7.0
sum=c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363 # also in quickjs_test.go
place=internal/runner/script/quickjs

same() { [ "$(sha256sum "$1" | cut -d ' ' -f 1)" = "$sum" ]; }

if [ "${1:-}" = --check ]; then
  same "$place/quickjs.wasm" ||
    fail "$place/quickjs.wasm is not that of $package $version: run scripts/fetch-quickjs.sh and commit the result"
  say "$place/quickjs.wasm is that of $package $version"
  exit 0
fi

scripts/setup-node.sh
[ -x .tools/node/bin/node ] && PATH=$PWD/.tools/node/bin:$PATH
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
say "npm pack $package@$version"
npm pack --silent --pack-destination "$copy" "$package@$version" >/dev/null
tar -xzf "$copy/$package-$version.tgz" -C "$copy"
same "$copy/package/quickjs.wasm" ||
  fail "the file of $package $version is another one than it was: look into it before it is used"
cp "$copy/package/quickjs.wasm" "$place/quickjs.wasm"
cp "$copy/package/LICENSE" "$place/LICENSE.quickjs"
chmod 644 "$place/quickjs.wasm" "$place/LICENSE.quickjs"
say "$place has QuickJS of $package $version"
