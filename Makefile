# scanmap: `make help` lists what there is.

GO ?= go
TOOLS := $(CURDIR)/build/tools
# What each fuzz target gets: a time such as 30s or 1h, or a number of inputs such as 10000x; how
# many run at a time, with one worker each; and a regular expression of those to run.
FUZZTIME ?= 5s
FUZZJOBS ?= 2
TARGETS ?= .
STATICCHECK := v0.6.1
GOLANGCI := v2.5.0
GOVULNCHECK := v1.1.4
# Newer ones need modules that cannot be had everywhere.
NFPM := v2.45.2
# For which systems `make dist` builds.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/arm64

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build tools demo man dist test-dist release lint-packages container test-container test-recipe module test-module \
	test test-tools test-full race vet lint width prose staticcheck golangci-lint vulncheck licences reproducible supply kernels \
	generate-check fuzz fuzz-binaries \
	oracle oracle-all test-workflows peers-check search-check search-rates validate bench bench-peers bench-gpu bench-search \
	golden mutants mutants-some ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Tools are a module of their own, so that what they need is no dependency of the program:
# $(call tool,NAME) builds one into build/tools and runs it from here.
tool = $(GO) build -C tools -o $(TOOLS)/$(1) ./$(1) && $(TOOLS)/$(1)

build: ## make bin/scanmap
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/scanmap ./cmd/scanmap

tools: ## make what measures, generates and judges, into build/tools
	$(GO) build -C tools -o $(TOOLS)/ ./...

man: build ## the manual page and the scripts of completion, into build
	@mkdir -p build/man build/completion
	bin/scanmap man >build/man/scanmap.1
	bin/scanmap completion bash >build/completion/scanmap
	bin/scanmap completion zsh >build/completion/_scanmap
	bin/scanmap completion fish >build/completion/scanmap.fish

# nfpm makes Debian packages. It comes from the network; where it cannot be had the rest is made.
nfpm = { $(call install,nfpm,github.com/goreleaser/nfpm/v2/cmd/nfpm,$(NFPM)); } || echo "nfpm $(NFPM) cannot be had"

dist: ## what is handed out, into dist: archives, Debian packages, sums (PLATFORMS=linux/amd64)
	@$(nfpm)
	@PLATFORMS='$(PLATFORMS)' GO=$(GO) packaging/scripts/dist.sh dist $$(ls $(TOOLS)/nfpm 2>/dev/null)

test-dist: dist ## the same bytes twice, names, sums, licences; install and remove the package
	@PLATFORMS='$(PLATFORMS)' GO=$(GO) packaging/scripts/test-dist.sh dist $$(ls $(TOOLS)/nfpm 2>/dev/null)

release: ## what a release page needs, from a clean and tested tree (VERSION=0.1.0 REPOSITORY=address)
	@packaging/scripts/release.sh check '$(VERSION)'
	@$(MAKE) --no-print-directory test-dist
	@packaging/scripts/release.sh pack '$(VERSION)' dist 'build/release-$(VERSION)'

lint-packages: build ## linters of Snakemake, snakemake-wrappers and nf-core, and nf-test; two minutes
	@PATH="$(CURDIR)/build/workflows:$$PATH" packaging/scripts/lint.sh

container: ## an image FROM scratch of what is in dist (KIND=gpu for the other one)
	packaging/scripts/container.sh dist $(or $(KIND),cpu) scanmap:$(or $(KIND),cpu)

test-container: ## build the image, and run it without HOME, as any user, with a root to read only
	GO=$(GO) packaging/scripts/test-container.sh dist $(or $(KIND),cpu)

test-recipe: ## run the recipe for bioconda without conda
	GO=$(GO) packaging/scripts/test-recipe.sh

module: ## a copy whose module path is an address (MODULE=github.com/x/scanmap COPY=folder)
	GO=$(GO) packaging/scripts/module.sh '$(MODULE)' '$(COPY)'

test-module: ## make such a copy, and install the program from it by `go install`
	GO=$(GO) packaging/scripts/test-module.sh

demo: build ## map real reads that ship in testdata, and show the statistics
	@mkdir -p build/demo
	bin/scanmap map -o build/demo/portiera.sam testdata/portiera.fa.gz testdata/portiera_101bp.fastq.gz
	@echo
	@echo "The first records of build/demo/portiera.sam:"
	@awk '!/^@/ {print substr($$0, 1, 160); if (++n == 3) exit}' build/demo/portiera.sam

# The compiler and the tests hold little memory, and collect it often: with a quarter of the
# collections `make test` takes five sixths of the time, most of it for fewer page faults, which cost
# much on a virtual machine. The largest process then has 0.7 GB.
test test-tools test-full race: export GOGC = 400
# With the flags of `make build`, what that has compiled is not compiled again.
test test-full: export CGO_ENABLED = 0
test test-full: export GOFLAGS := $(GOFLAGS) -trimpath

# go test starts packages in this order, so that no long one runs alone at the end. The first waits
# for programs that it starts, and tests of the next fill the time.
LONG_PACKAGES := ./cmd/scanmap ./search ./fasta ./mapper/find ./mapper ./internal/acceptance

# Tests have limits of time for machines that are much slower than ours: go test's own, 10 minutes
# for a package, is one that a busy machine of two cores has come near. go vet is a part of `make lint`.
# Without tables for debuggers (-w) linking takes two thirds of its time.
test: ## run the tests of the program: the smallest sizes that cross every border
	$(GO) test -vet=off -ldflags=-w -timeout 30m $(LONG_PACKAGES) ./...

test-tools: ## run the tests of what measures, generates and judges
	$(GO) test -C tools -vet=off -timeout 30m ./...

test-full: ## run both in all sizes, with many random cases; takes a while
	SCANMAP_TEST_FULL=1 $(GO) test -vet=off -ldflags=-w -timeout 60m $(LONG_PACKAGES) ./...
	SCANMAP_TEST_FULL=1 $(MAKE) --no-print-directory test-tools

# The race detector alone needs a C compiler. It looks at the packages that start goroutines, in the
# sizes of `make test`. Left out are tests whose time goes into kernels on the emulator, which has a
# sanitizer of its own, into one goroutine, into reading options, into calls of commands that others
# make, too, or (TestLocalSameBytes) into goroutines that others start with other input.
RACE_PACKAGES := ./search/primers ./cmd/... ./gpu/device ./fasta ./gpu ./internal/acceptance ./internal/bgzf ./internal/extsort ./mapper/... ./internal/measure ./internal/parallel ./sam ./search ./search/records ./track ./search/variants
RACE_SKIP := TestMirror|TestMapSenseless|TestTemporaryFaults|TestFamilies|TestMergeDepth|TestMergeStats|TestSharedOnGPU|TestSubstitutions|TestLocalSameBytes|TestByChance|TestTilesFind|TestRepeated|TestLevenshteinLongest|TestLocationsAtContigEnds|TestSensible|TestDamagedMembers|TestSharesOnGPU|TestReportsOnGPU|TestSmallQueues|TestCutReference|TestGPU$$|TestPeriodsOnGPU|TestReadsOverPartsOnGPU|TestPartsOfText|TestEveryKernel|TestSchemesOnGPU|TestBordersOnGPU|TestShortPatternsOnGPU|TestTableOnGPU|TestEveryLimit|TestBounds$$|TestRabinKarp|TestCoveredOnGPU|TestCoverO|TestRescue|TestLocalOnRealReads|TestBenchSearchOnCPU|TestValuesAreAccepted|TestUsageErrors|TestBenchUsage|TestMappabilityErrors|TestSlipsOfTheKeyboard|TestLocalCPU|TestLocalNodes|TestLocalCandidates|TestLocalInsertions|TestLocalOverEnds|TestFileFaults|TestReadFaults|TestZoomLevels|TestRoundTrip|TestNumbersOfItems|TestEditsAgainstBruteForce|TestMarkedFormats|TestNearOfPairs|TestPartners|TestNearAloneSameBytes|TestUnmappedSample|TestUnlisted|TestSplitInPieces|TestAwkwardFiles|TestMembersGuess|TestOptionsTogether|TestEndlessRecords|TestLead|TestBatchesOfAllSizes|TestMillions|TestWantedOnGPU|TestCPU/ContigEnds|TestBlocksAsFlate|TestLook$$|TestLocations$$|TestLocationsOfSets|TestReferenceIUPAC|TestZoomBorders|TestCompressedOnGPU|TestGuidesOnGPU|TestProbeTwins|TestFitting|TestWinningTwins|TestRows$$

race: ## run the tests of `make test` with the race detector
	@if command -v gcc >/dev/null || command -v cc >/dev/null || command -v clang >/dev/null; then \
		set -x; CGO_ENABLED=1 $(GO) test -race -vet=off -timeout 60m -skip '$(RACE_SKIP)' $(RACE_PACKAGES); \
	else \
		echo "SKIPPED: no C compiler here, which the race detector needs"; \
	fi

vet: ## gofmt and go vet
	@unformatted=$$(gofmt -l .) || exit 1; \
		if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -C tools ./...

lint: vet width prose staticcheck golangci-lint ## gofmt, go vet, width of lines, prose, staticcheck and golangci-lint

width: ## lines of prose and comment have at most 100 columns
	$(GO) test ./internal/rules -run Width

# The limit for comments is what they have: lower it when they have less.
prose: ## turns of phrase that make a reader look back, in README, docs and comments
	$(call tool,prose) -page 1.5 -comments 0.4

# install NAME, PACKAGE, VERSION: into build/tools, unless that version built by this Go is there.
install = mkdir -p $(TOOLS); \
	if ! $(GO) version -m $(TOOLS)/$(1) 2>/dev/null | tr '\t' ' ' | grep -q ' mod .* $(3) ' \
		|| ! $(GO) version $(TOOLS)/$(1) | grep -qF "$$($(GO) env GOVERSION)"; then \
		rm -f $(TOOLS)/$(1); echo "installing $(1) $(3)"; GOBIN=$(TOOLS) $(GO) install $(2)@$(3); \
	fi

# Linters are older than the newest Go, and come from the network. One that cannot be
# had or cannot read this Go says so and does not stop the rest, because internal/rules
# holds the architecture; what one finds stops it.
staticcheck:
	@$(call install,staticcheck,honnef.co/go/tools/cmd/staticcheck,$(STATICCHECK)) \
		|| { echo "SKIPPED: staticcheck $(STATICCHECK) cannot be had"; exit 0; }; \
	if found=$$($(TOOLS)/staticcheck ./... 2>&1 && cd tools && $(TOOLS)/staticcheck ./... 2>&1); then echo "staticcheck $(STATICCHECK): nothing found"; exit 0; fi; \
	echo "$$found"; \
	case "$$found" in *"(compile)"* | *panic:* | *"internal error"*) \
		echo "SKIPPED: staticcheck $(STATICCHECK) does not run with $$($(GO) env GOVERSION)"; exit 0;; esac; \
	exit 1

# golangci-lint ends with 1 when it found something, with more when it could not run.
golangci-lint:
	@$(call install,golangci-lint,github.com/golangci/golangci-lint/v2/cmd/golangci-lint,$(GOLANGCI)) \
		|| { echo "SKIPPED: golangci-lint $(GOLANGCI) cannot be had"; exit 0; }; \
	$(TOOLS)/golangci-lint run ./... && (cd tools && $(TOOLS)/golangci-lint run ./...); code=$$?; \
	if [ $$code -gt 1 ]; then echo "SKIPPED: golangci-lint $(GOLANGCI) does not run with $$($(GO) env GOVERSION)"; exit 0; fi; \
	exit $$code

vulncheck: ## known vulnerabilities of the modules (needs the network; says so without)
	@$(call install,govulncheck,golang.org/x/vuln/cmd/govulncheck,$(GOVULNCHECK)) \
		|| { echo "SKIPPED: govulncheck $(GOVULNCHECK) cannot be had"; exit 0; }; \
	packaging/scripts/vulncheck.sh $(TOOLS)/govulncheck

licences: build ## docs/licences.md, from what is linked into bin/scanmap
	$(call tool,supply) -page docs/licences.md bin/scanmap

reproducible: ## build twice, in two folders and from nothing, and compare (WHAT=dist: all of make dist)
	@if [ '$(WHAT)' = dist ]; then $(nfpm); fi; PLATFORMS='$(PLATFORMS)' GO=$(GO) packaging/scripts/reproducible.sh $(WHAT) $$(ls $(TOOLS)/nfpm 2>/dev/null)

supply: build ## what is linked: sums, licences, bill of materials, same bytes, vulnerabilities
	$(GO) mod verify
	@mkdir -p build
	$(call tool,supply) -page build/licences.md -texts build/licences.txt -sbom build/sbom.cdx.json bin/scanmap
	cmp build/licences.md docs/licences.md
	@$(MAKE) --no-print-directory reproducible vulncheck

kernels: ## compile kernels/*.cu to PTX (needs clang-19)
	$(call tool,makekernels)

generate-check: ## regenerate assembly and PTX, and compare with what is committed
	$(GO) generate ./...
	@if git rev-parse --git-dir >/dev/null 2>&1; then \
		set -x; git diff --exit-code -- 'locate/bound_amd64.*' 'mapper/find/probe_amd64.*' 'dna/pack_amd64.*' 'search/planes_amd64.*'; \
	else \
		echo "SKIPPED: not a git repository, so there is nothing to compare with"; \
	fi
	@if ! command -v clang++-19 >/dev/null; then \
		if [ "$$CI" = true ]; then echo "no clang++-19 here, which compiles the kernels"; exit 1; fi; \
		echo "SKIPPED: no clang++-19 here, which compiles the kernels"; \
	elif ! git rev-parse --git-dir >/dev/null 2>&1; then \
		echo "SKIPPED: not a git repository, so there are no kernels to compare with"; \
	else \
		set -e; $(MAKE) --no-print-directory kernels; \
		(set -x; git diff --exit-code -- kernels/ptx kernels/parameters.go); \
		untracked=$$(git ls-files --others -- kernels/ptx kernels/parameters.go); \
		if [ -n "$$untracked" ]; then echo "not committed:"; echo "$$untracked"; exit 1; fi; \
	fi

fuzz: ## run every fuzz target for FUZZTIME, FUZZJOBS at a time
	PACK=no tools/scripts/fuzz-build.sh build/fuzz-plain
	tools/scripts/fuzz-run.sh build/fuzz-plain build/fuzz-out $(FUZZTIME) $(FUZZJOBS) '$(TARGETS)'

fuzz-binaries: ## fuzz targets for machines without Go, into build/fuzz (tools/scripts/fuzz-run.sh)
	tools/scripts/fuzz-build.sh build/fuzz

# What compares or judges takes larger data from ../shared/data, or SCANMAP_DATA, and testdata where
# that is not there. docs/benchmarks/README.md says what it is and where to get it.
oracle: build ## judge mappings of testdata by exhaustive dynamic programming
	tools/scripts/oracle.sh testdata

oracle-all: build ## the same on larger data too; takes a while (DISTANCES='8%', ONLY=lpa)
	tools/scripts/oracle.sh all

validate: build ## have samtools and Picard judge every set in all formats; takes a while
	$(call tool,validate)

test-workflows: build ## run the pipelines of packaging/workflows locally and on Slurm (SLURM=no), and compare
	GO=$(GO) packaging/scripts/test-workflows.sh

peers-check: build ## compare with what mrFAST and RazerS 3 report
	$(call tool,peerscheck)

bench: ## Go benchmarks
	$(GO) test -run '^$$' -bench . ./...

bench-peers: build ## side by side with other mappers, into build/bench-peers (SETS='yeast|loci')
	tools/scripts/bench-peers.sh build/bench-peers '$(or $(SETS),.)'

search-check: build ## compare pattern search with exhaustive methods, byte for byte; takes a while
	tools/scripts/search-check.sh build/search-check

# RATES=cpu or RATES=gpu measures that alone, and leaves the lines of the other as they are.
search-rates: build ## measure what search chooses its methods by, into search/rates.tsv (RATES=cpu)
	DEVICES='$(or $(patsubst gpu,cuda:0,$(RATES)),cpu cuda:0)' tools/scripts/search-rates.sh build/search-rates-$(or $(RATES),all)
	$(call tool,searchrates) $(if $(RATES),-device $(RATES)) build/search-rates-$(or $(RATES),all)

bench-gpu: build ## on a GPU: ceilings, kernels and whole runs, into build/bench-gpu
	tools/scripts/bench-gpu.sh build/bench-gpu

BENCH_SEARCH := build/bench-search
bench-search: build ## on a GPU: the methods of pattern search, into BENCH_SEARCH
	tools/scripts/bench-search.sh $(BENCH_SEARCH)

# The kernels among them run on the emulator, which needs clang-19.
mutants: ## faults made on purpose, each of which tests have to notice; takes an hour
	$(call tool,mutate) -jobs 2

mutants-some: ## five of them, drawn by today's date
	$(call tool,mutate) -jobs 2 -draw 5

golden: ## rewrite the golden files; read the difference before you commit it
	$(GO) test ./cmd/scanmap ./report -update

# CI has 30 minutes, and fuzz targets run for longer elsewhere.
ci: FUZZTIME := 2s
ci: vet width prose test-full generate-check race lint oracle fuzz mutants-some ## everything that CI runs; what fails soonest comes first
	@$(MAKE) --no-print-directory test-dist PLATFORMS=linux/amd64
	@ONLY=nextflow SLURM=no $(MAKE) --no-print-directory test-workflows
	@packaging/scripts/release.sh tested

clean: ## remove what was built
	rm -rf bin build dist
