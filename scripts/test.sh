#!/usr/bin/env bash
# The gate: what passes here may be merged. It needs Go, make and git; on Debian it
# installs the rest. It stops at the first step that fails and names it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

step=start
ended() {
  local status=$?
  if [ "$status" -eq 0 ]; then
    say "PASS in ${SECONDS}s: lint, generated code, go vet, go test -race ($packages packages), sdk/js"
  else
    say "FAIL in ${SECONDS}s at: $step"
  fi
}
trap ended EXIT

run() {
  local began=$SECONDS
  step=$1
  shift
  say "$step"
  "$@"
  say "$step: done in $((SECONDS - began))s"
}

run "setup" scripts/setup-cc.sh
run "setup tools" scripts/setup-tool.sh golangci-lint sqlc
run "lint" scripts/lint.sh
run "check-generated" scripts/generate.sh --check
run "go vet ./..." go vet ./...
run "test-go" scripts/test-go.sh
run "test-js" scripts/test-js.sh
packages=$(go list ./... | wc -l)
