# One word each; `make` alone lists them.
GO      ?= go
ALL      = ./... ./cmd/... ./tools/...
DEV      = build/dev
export CGO_ENABLED = 0
SKIPS    = build/skips.txt
REVISION = $(shell tools/revision.sh)
LDFLAGS  = -s -w -X github.com/gpusort/gpusort/cmd/lab/run.Revision=$(REVISION)

.PHONY: help build test soak race cross lint fmt demo bench baselines kernels check-kernels gpu-bundle pages deps clean

help:
	@echo 'make demo        build, generate 50 million keys, sort them on the best device, verify'
	@echo 'make test        a sample of every sweep; installs what the tests need where it can'
	@echo 'make soak        every case, races, other platforms; CI runs both'
	@echo 'make build       bin/gpusort'
	@echo 'make bench       Go benchmarks'
	@echo 'make baselines   the peers of the lab: CUB, Thrust, std::sort, vqsort'
	@echo 'make kernels     rebuild the embedded device code with the pinned compilers'
	@echo 'make gpu-bundle  a folder to carry to a GPU machine that has no Go'
	@echo 'make pages       docs/benchmarks pages from RESULTS=folder of the bundle'
	@echo 'make size        what an importer pays for, with bounds'
	@echo 'make release     VERSION=v1.2.3: archives and packages in build/release'
	@echo 'make tidy        go.mod and go.sum of every module'
	@echo 'make lint fmt    go vet and staticcheck; gofmt'

build:
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/gpusort ./cmd/gpusort

demo: build
	@bin/gpusort demo

deps:
	@tools/test-deps.sh

# go vet and staticcheck, every test with a sample of its cases (-short).
test: deps lint $(DEV)/gotestsum
	@mkdir -p build
	$(DEV)/gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- -short -timeout 60m $(ALL)
	@$(MAKE) --no-print-directory size
	@if [ -d .tools/cu13 ]; then $(MAKE) --no-print-directory check-kernels; \
	else echo 'SKIPPED rebuilding the device code: no compilers in .tools (make kernels fetches them)'; fi

# What make test leaves out: every case of every test, the race detector on what runs
# concurrently, the static build and the other platforms.
soak: deps cross $(DEV)/gotestsum
	@mkdir -p build
	$(DEV)/gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- -timeout 120m $(ALL)
	@$(MAKE) --no-print-directory race

RACE = . ./internal/engine ./internal/exec/... ./internal/driver/... ./internal/algo/cpu
race:
	@if command -v cc >/dev/null; then \
		CGO_ENABLED=1 $(GO) test -race -short -timeout 20m $(RACE); \
	else echo 'SKIPPED race detector: no C compiler (cc) on the PATH'; fi

cross:
	@tools/cross.sh

.PHONY: cross-all
cross-all:
	@tools/cross.sh all

# Linters and the test runner, as tools/dev pins them.
$(DEV)/staticcheck $(DEV)/gotestsum: tools/dev/go.mod tools/dev/go.sum
	cd tools/dev && GOWORK=off $(GO) build -o ../../$(DEV)/ gotest.tools/gotestsum honnef.co/go/tools/cmd/staticcheck
	@touch $(DEV)/*

lint: $(DEV)/staticcheck
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "gofmt: $$bad"; exit 1; fi
	$(GO) vet $(ALL)
	$(DEV)/staticcheck ./... ./cmd/...

fmt:
	gofmt -w $$(git ls-files '*.go')

bench:
	$(GO) test -run '^$$' -bench . -benchtime 1x -count 5 . ./internal/algo/cpu/...

baselines:
	@baselines/build.sh

kernels:
	cd tools && $(GO) run ./cmd/kernels

check-kernels:
	cd tools && $(GO) run ./cmd/kernels -check -q

gpu-bundle:
	@tools/gpu-bundle.sh

pages: build
	@tools/pages.sh $(RESULTS)

# go.mod and go.sum of all modules, as if the versions they require were tagged.
.PHONY: tidy
tidy:
	cd tools && $(GO) run ./cmd/tidy
	cd tools/dev && GOWORK=off $(GO) mod tidy
	cd tools/release && GOWORK=off $(GO) mod tidy

# What importers and users pay for, in one table with bounds.
.PHONY: size
size:
	@cd tools && $(GO) run ./cmd/size

# Archives, Debian packages, container file and checksums in build/release.
.PHONY: release
release:
	cd tools/release && GOWORK=off $(GO) run . -version '$(VERSION)'

clean:
	rm -rf bin build bundle bundle-cpu

# The vector kernels of the CPU sort, and the table of docs/benchmarks/cpu.md:
# here, or from a folder that is carried to a quiet machine.
.PHONY: simd check-simd bench-cpu cpu-bundle
cpu-bundle:
	@tools/cpu-bundle.sh

simd:
	cd tools && $(GO) run ./cmd/simd

check-simd:
	cd tools && $(GO) run ./cmd/simd -check

bench-cpu:
	cd tools && $(GO) run ./cmd/cpubench -bars -limit 2s
