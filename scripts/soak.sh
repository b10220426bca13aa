#!/usr/bin/env bash
# Hostile and honest coded tools by turns, several at once, for SOAK (1m by default): every honest call
# is right, every attack ends with a code, and nothing is left over. SOAK=8h for a night.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
SOAK=${SOAK:-1m} exec go test -run '^TestSoak$' -count 1 -v -timeout 0 ./bench
