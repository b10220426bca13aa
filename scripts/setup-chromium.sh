#!/usr/bin/env bash
# A Chromium without a window, which only the browser tests of sdk/js need. CHROMIUM names
# another one.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for binary in ${CHROMIUM:+"$CHROMIUM"} /usr/bin/chromium-headless-shell /usr/bin/chromium /usr/bin/google-chrome; do
  if [ -x "$binary" ]; then
    say "browser: $binary is there"
    exit 0
  fi
done

command -v apt-get >/dev/null ||
  fail "the browser tests need Chromium; install it, or name it in CHROMIUM, and try again"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    fail "the browser tests need Chromium: run 'apt-get install chromium-headless-shell' as root and try again"
  as_root=(sudo)
fi

say "browser: installing chromium-headless-shell with apt-get"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
# A Debian that does not have the small one has the whole browser.
"${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null 2>&1 ||
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium >/dev/null
