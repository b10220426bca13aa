# Sourced by the other scripts; runs nothing by itself. It leaves them in the root of the
# repository, wherever they were called from.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Whoever has a go.work around this repository still gets the libraries that its go.mod
# names.
export GOWORK=off

say() { printf '==> %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
