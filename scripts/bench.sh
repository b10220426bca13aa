#!/usr/bin/env bash
# Every benchmark; BENCH picks by regular expression, COUNT repeats (10 for benchstat).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
exec go test -run '^$' -bench "${BENCH:-.}" -benchmem -count "${COUNT:-1}" ./...
