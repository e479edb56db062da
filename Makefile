# scanmap: `make help` lists what there is.

GO ?= go
TOOLS := build/tools
FUZZTIME ?= 5s
STATICCHECK := v0.6.1
GOLANGCI := v2.5.0
GOVULNCHECK := v1.1.4

.DEFAULT_GOAL := help
.PHONY: help build demo test race vet lint vulncheck generate-check fuzz oracle oracle-all peers-check bench bench-peers curves golden ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## make bin/scanmap
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/scanmap ./cmd/scanmap

demo: build ## map real reads that ship in testdata, and show the statistics
	@mkdir -p build/demo
	bin/scanmap map -o build/demo/portiera.sam testdata/portiera.fa.gz testdata/portiera_101bp.fastq.gz
	@echo
	@echo "The first records of build/demo/portiera.sam:"
	@grep -v '^@' build/demo/portiera.sam | head -n 3 | cut -c 1-160

test: ## run the tests
	$(GO) test ./...

race: ## run the tests with the race detector
	CGO_ENABLED=1 $(GO) test -race -short ./...

vet: ## gofmt and go vet
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	$(GO) vet ./...

lint: vet ## staticcheck and golangci-lint (internal/rules holds the architecture where they cannot be had)
	@mkdir -p $(TOOLS)
	@test -x $(TOOLS)/staticcheck || GOBIN=$(CURDIR)/$(TOOLS) $(GO) install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK) || echo "staticcheck $(STATICCHECK) cannot be had: not run"
	@if [ -x $(TOOLS)/staticcheck ]; then $(TOOLS)/staticcheck ./...; fi
	@test -x $(TOOLS)/golangci-lint || GOBIN=$(CURDIR)/$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) || echo "golangci-lint $(GOLANGCI) cannot be had: not run"
	@if [ -x $(TOOLS)/golangci-lint ]; then $(TOOLS)/golangci-lint run ./...; fi

vulncheck: ## known vulnerabilities of the modules (needs the network)
	@mkdir -p $(TOOLS)
	@test -x $(TOOLS)/govulncheck || GOBIN=$(CURDIR)/$(TOOLS) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK)
	$(TOOLS)/govulncheck ./...

generate-check: ## regenerate assembly and compare with what is committed
	$(GO) generate ./...
	git diff --exit-code -- mapper/probe_amd64.go mapper/probe_amd64.s

fuzz: ## run every fuzz target for FUZZTIME
	@$(GO) list ./... | while read -r package; do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

oracle: build ## judge mappings of testdata by exhaustive dynamic programming (needs ../shared/oracle)
	scripts/oracle.sh testdata

oracle-all: build ## the same on every set of ../shared/data; takes a while
	scripts/oracle.sh all

peers-check: build ## compare with what mrFAST and RazerS 3 report (../shared/peers)
	$(GO) run ./internal/tools/peerscheck

bench: ## Go benchmarks
	$(GO) test -run '^$$' -bench . ./...

bench-peers: build ## side by side with razers3, yara, minimap2, bwa and bowtie2
	$(GO) run ./internal/tools/benchpeers

curves: build ## time against the number of reads and the length of the reference
	$(GO) run ./internal/tools/curves

golden: ## rewrite the golden files; read the difference before you commit it
	$(GO) test ./cmd/scanmap ./report -update

ci: vet test race lint generate-check fuzz oracle ## everything that CI runs

clean: ## remove what was built
	rm -rf bin build
