#!/usr/bin/env bash
# golangci-lint over everything, with the rules of .golangci.yaml. With --format it writes
# what the formatters would rather see.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts/setup-tool.sh golangci-lint

if [ "${1:-}" = --format ]; then
  say "golangci-lint fmt"
  exec .tools/golangci-lint fmt
fi
say "golangci-lint run ./..."
# Two runs at once (an editor's and this one) wait for each other instead of failing.
exec .tools/golangci-lint run --allow-serial-runners ./...
