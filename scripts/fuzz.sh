#!/usr/bin/env bash
# Every fuzz target of every package, one after the other, FUZZTIME each (1m by default), and
# the HTTP API against its own document for as long.
# Go on after a failure, so that one run shows them all; the input that failed stays under
# the package's testdata/fuzz and is from then on a case of the ordinary tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

fuzztime=${FUZZTIME:-1m}
# `go test -list` prints the names of a package and then its "ok" line.
targets=$(go test -list '^Fuzz' ./... | awk '
  /^Fuzz/ { names[++n] = $1 }
  $1 == "ok" { for (i = 1; i <= n; i++) print $2, names[i]; n = 0 }')
if [ -z "$targets" ]; then
  say "there are no fuzz targets"
  exit 0
fi

ran=0 failed=()
while read -r package target; do
  say "$package $target for $fuzztime"
  ran=$((ran + 1))
  go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" "$package" </dev/null ||
    failed+=("$package.$target")
done <<<"$targets"

case "$fuzztime" in *x) ;; *) # not for a number of times
  say "the contract of the HTTP API for $fuzztime"
  ran=$((ran + 1))
  TOOLSMITH_CONTRACT="$fuzztime" go test -count=1 -timeout 0 -run '^TestContract$' ./internal/httpapi </dev/null ||
    failed+=(TestContract)
  ;;
esac

[ "${#failed[@]}" -eq 0 ] || fail "${#failed[@]} of $ran fuzz targets failed: ${failed[*]}"
say "$ran fuzz targets, none failed"
