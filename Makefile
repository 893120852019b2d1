# Only Go is needed for run and test. `make help` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help build run test test-servers lint generate proto bench handbook cases

GOLANGCI_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
TOOLS := .ci/bin
SHARED := $(or $(SUFFICE_SHARED),../shared)
DOCS := testdata/handbook
TESTFLAGS :=

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/suffice
	go build -ldflags '-X main.commit=$(shell git rev-parse --short=12 HEAD)' -o bin/suffice ./cmd/suffice

run: build ## ingest the example handbook and serve it (DOCS=folder for your own)
	exec bin/suffice serve --docs $(DOCS)

test: ## run all tests (TESTFLAGS=-race and the like)
	go test $(TESTFLAGS) ./...

test-servers: ## tests against PostgreSQL, OpenSearch and Neo4j, started for them
	scripts/services/with.sh scripts/services/test.sh

lint: $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION) ## golangci-lint and the checks of the contract
	$< run ./...
	scripts/buf-check.sh

generate: ## write the Go of the .proto files
	go tool -modfile=tools/go.mod buf generate

proto: generate ## the same as generate

bench: ## benchmarks, six runs, for benchstat
	go test -run '^$$' -bench . -benchmem -count 6 ./...

handbook: build ## questions on the example handbook, those that fail with the reason
	SUFFICE_TEST_BINARY=$(CURDIR)/bin/suffice go test -count=1 -v -run TestHandbookAnswers ./internal/cases

cases: build ## behaviour cases of the plan (SUFFICE_SHARED, default ../shared)
	scripts/cases.sh bin/suffice $(SHARED)

$(TOOLS)/golangci-lint-$(GOLANGCI_VERSION):
	GOBIN=$(CURDIR)/$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(TOOLS)/golangci-lint $@

$(TOOLS)/govulncheck-$(GOVULNCHECK_VERSION):
	GOBIN=$(CURDIR)/$(TOOLS) go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	mv $(TOOLS)/govulncheck $@
