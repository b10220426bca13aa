#!/usr/bin/env bash
# A C compiler, which only the race detector needs: Toolsmith itself is built without cgo.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Debian has the compiler (gcc) and the headers (libc6-dev) in two packages, so the probe
# is a program that needs both.
compiles() {
  local cc
  cc=$(go env CC)
  printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
    "$cc" -x c -o /dev/null - 2>/dev/null
}

if compiles; then
  say "C compiler for the race detector: $(go env CC) is there"
  exit 0
fi

command -v apt-get >/dev/null ||
  fail "the race detector needs a C compiler ($(go env CC)) with the headers of the C library; install them and try again"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    fail "the race detector needs gcc and libc6-dev: run 'apt-get install gcc libc6-dev' as root and try again"
  as_root=(sudo)
fi

say "C compiler for the race detector: installing gcc and libc6-dev with apt-get"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends gcc libc6-dev >/dev/null
compiles || fail "gcc and libc6-dev are installed, but $(go env CC) still cannot build a C program"
