#!/usr/bin/env bash
# Which lines the tests reach, counted over package borders: coverage.out for tools,
# coverage.html to read.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
go test -coverpkg=./... -coverprofile=coverage.out ./...
go tool cover -html=coverage.out -o coverage.html
go tool cover -func=coverage.out | tail -n 1
