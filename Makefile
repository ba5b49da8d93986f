# One word each; `make` alone lists them.
GO      ?= go
ALL      = ./... ./cmd/... ./cluster/... ./tools/...
DEV      = build/dev
export CGO_ENABLED = 0
REVISION = $(shell tools/revision.sh)
LDFLAGS  = -s -w -X github.com/gpusort/gpusort/cmd/lab/run.Revision=$(REVISION)

.PHONY: help build test soak race cross lint fmt demo bench baselines kernels check-kernels gpu-bundle pages deps clean

help:
	@echo 'make demo        build, generate 50 million keys, sort them on the best device, verify'
	@echo 'make test        a sample of every sweep; installs what the tests need where it can'
	@echo 'make soak        what make test leaves out: long sweeps, races, linters, sizes, other platforms'
	@echo 'make build       bin/gpusort, with bin/gpusort-tables for Parquet and Arrow, and bin/gpusort-cluster'
	@echo 'make wheel       build/wheel: the Python package for Ray and Spark, with the program inside'
	@echo 'make test-cluster  the sort on Ray and on Spark, kills included'
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
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/gpusort ./cmd/gpusort-tables ./cluster/cmd/gpusort-cluster

demo: build
	@bin/gpusort demo

deps:
	@tools/test-deps.sh

# What is compiled to be checked is compiled fast, and once: tests, vet and staticcheck have the same flags. The
# compiler, vet and the linker collect their garbage seldom, nothing is written for a debugger, and the largest
# libraries, in which tests spend little time, are not optimised.
BUILDFLAGS = '-toolexec=env GOGC=400' -gcflags=all=-dwarf=false
LARGE      = github.com/apache/arrow-go github.com/aws github.com/goccy github.com/envoyproxy \
             cloud.google.com google.golang.org go.opentelemetry.io
TESTFLAGS  = $(BUILDFLAGS) $(LARGE:%='-gcflags=%/...=-dwarf=false -N -l')

# Every package is compiled, and every test run with a sample of its cases (-short). make lint vets. Of the samples of
# algorithms PoCL spends more time on optimising kernels than on running them, so there it does not.
ALGO = ./internal/algo/...
test: deps gofmt $(DEV)/gotestsum
	@mkdir -p build
	@all=$$($(GO) list $(ALL)) || exit 1; failed=0; \
	POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable $(GOTESTSUM) $(TESTFLAGS) -short -vet=off -timeout 60m $(ALGO) || failed=1; \
	$(GOTESTSUM) $(TESTFLAGS) -short -vet=off -timeout 60m \
		$$(echo "$$all" | grep -v '^github.com/gpusort/gpusort/internal/algo\(/\|$$\)') || failed=1; \
	exit $$failed
	@if [ -d .tools/cu13 ]; then $(MAKE) --no-print-directory check-kernels; \
	else tools/skip.sh nvcc 'the device code is not rebuilt to compare (make kernels fetches the compilers)'; fi

# What make test leaves out: the larger share of the packages whose tests take samples, the
# race detector on what runs concurrently, staticcheck, sizes and the other platforms.
SAMPLED = $(shell git grep -l 'testing\.Short()\|soak\.Share\|UnderOclgrind' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|')
soak: lint sweeps test-release race cross size

.PHONY: sweeps test-release
sweeps: deps $(DEV)/gotestsum
	@mkdir -p build
	$(GOTESTSUM) $(TESTFLAGS) -vet=off -timeout $(if $(GPUSORT_EVERY),24h,40m) $(SAMPLED)

test-release:
	cd tools/release && GOWORK=off $(GO) test $(BUILDFLAGS) .

RACE = . ./rows ./internal/run ./internal/engine ./internal/exec/... ./internal/driver/... ./internal/algo/cpu \
       ./internal/sys/hostcopy
race:
	@if command -v cc >/dev/null; then \
		CGO_ENABLED=1 $(GO) test $(BUILDFLAGS) -race -short -timeout 40m $(RACE); \
	else tools/skip.sh cc 'no race detector without a C compiler on the PATH'; fi

cross:
	@tools/cross.sh

.PHONY: cross-all
cross-all:
	@tools/cross.sh all

# The linter and the test runner, as tools/dev pins them.
GOTESTSUM = $(DEV)/gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg --
$(DEV)/staticcheck: PKG = honnef.co/go/tools/cmd/staticcheck
$(DEV)/gotestsum: PKG = gotest.tools/gotestsum
$(DEV)/staticcheck $(DEV)/gotestsum: tools/dev/go.mod tools/dev/go.sum
	cd tools/dev && GOWORK=off $(GO) build $(BUILDFLAGS) -o ../../$@ $(PKG)
	@touch $@

.PHONY: gofmt
gofmt:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "gofmt: $$bad"; exit 1; fi

.PHONY: vet
vet:
	$(GO) vet $(TESTFLAGS) $(ALL)

lint: gofmt vet $(DEV)/staticcheck
	GOFLAGS="$(GOFLAGS) $(TESTFLAGS)" $(DEV)/staticcheck ./... ./cmd/... ./cluster/...

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

# The package for Ray and Spark: a wheel with the program inside for GOOS and GOARCH, and the tests of both engines.
PYTHON      ?= python3
PACKAGE      = cluster/python
CLUSTERVENV  = build/cluster-venv
.PHONY: wheel test-cluster
wheel:
	@rm -rf $(PACKAGE)/src/gpusort_cluster/bin && mkdir -p $(PACKAGE)/src/gpusort_cluster/bin build/wheel
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(PACKAGE)/src/gpusort_cluster/bin/ ./cluster/cmd/gpusort-cluster
	$(PYTHON) -m pip wheel -q --no-deps -w build/wheel ./$(PACKAGE)
	@rm -rf $(PACKAGE)/src/gpusort_cluster/bin && ls build/wheel

$(CLUSTERVENV)/reached:
	$(PYTHON) -m venv $(CLUSTERVENV)
	$(CLUSTERVENV)/bin/pip install -q hatchling
	@touch $@

$(CLUSTERVENV)/installed: $(CLUSTERVENV)/reached $(PACKAGE)/pyproject.toml
	$(CLUSTERVENV)/bin/pip install -q -e './$(PACKAGE)[ray,spark,test]'
	@touch $@

test-cluster:
	@if $(MAKE) --no-print-directory $(CLUSTERVENV)/reached; then \
		$(MAKE) --no-print-directory $(CLUSTERVENV)/installed wheel && $(PACKAGE)/test.sh $(CLUSTERVENV)/bin; \
	else tools/skip.sh PyPI 'Ray and PySpark could not be installed, so nothing is sorted on them'; fi
