# The targets; what they do is in scripts/, one small script each.

.DEFAULT_GOAL := help
.PHONY: help build test test-go test-js lint fmt generate generate-js check-generated fuzz bench soak cover clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build ./bin/toolsmith with the version from git in it (VERSION= overrides)
	@scripts/build.sh

test: ## The gate: install what is missing, then lint, check generated code, vet and test all
	@scripts/test.sh

test-go: ## The Go tests alone, with the race detector
	@scripts/test-go.sh

test-js: ## The tests of the TypeScript package in sdk/js, in Node.js and in a browser
	@scripts/test-js.sh

lint: ## Run golangci-lint with the rules of .golangci.yaml
	@scripts/lint.sh

fmt: ## Format the Go code the way lint wants it
	@scripts/lint.sh --format

generate: ## Rewrite the committed code: what sqlc makes from SQL, and the realm of coded tools
	@scripts/generate.sh

generate-js: ## Rewrite the committed types of the HTTP API in sdk/js
	@scripts/generate-js.sh

check-generated: ## Fail if `make generate` would change anything
	@scripts/generate.sh --check

fuzz: ## Run each fuzz target for one minute (FUZZTIME= overrides)
	@scripts/fuzz.sh

bench: ## Run the benchmarks (BENCH= picks by name, COUNT= repeats)
	@scripts/bench.sh

soak: ## Attack the sandbox beside honest calls for a minute (SOAK=8h overrides), and count what is left
	@scripts/soak.sh

cover: ## Measure test coverage into coverage.out and coverage.html
	@scripts/cover.sh

clean: ## Remove what was built and measured; the tools in .tools stay
	@rm -rf bin coverage.out coverage.html
