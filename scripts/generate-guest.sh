#!/usr/bin/env bash
# Usage: generate-guest.sh [--check]
#
# Bundles the TypeScript of the realm of coded tools into the one script that is committed; with
# --check it writes nothing and fails if that would change.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts/setup-tool.sh guest

folder=internal/runner/script/guest
made=$(mktemp)
trap 'rm -f "$made"' EXIT
.tools/guest "$folder" >"$made"
if cmp -s "$folder/guest.js" "$made"; then
  say "$folder/guest.js is up to date"
elif [ "${1:-}" = --check ]; then
  diff -uN --label "committed: $folder/guest.js" --label "generated: $folder/guest.js" "$folder/guest.js" "$made" | head -n 40 || true
  fail "$folder/guest.js is not what 'make generate' makes: run it and commit the result"
else
  say "writing $folder/guest.js"
  cp "$made" "$folder/guest.js"
  chmod 644 "$folder/guest.js"
fi
