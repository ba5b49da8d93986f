#!/usr/bin/env bash
# Writes bundle/: the command, the compiled test binaries with their testdata,
# the OpenCL loader of this machine and run.sh, for a GPU machine without Go.
set -eu
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
rm -rf bundle
mkdir -p bundle/tests bundle/lib
go build -trimpath -ldflags "-s -w -X github.com/gpusort/gpusort/cmd/lab/run.Revision=$(tools/revision.sh)" -o bundle/gpusort ./cmd/gpusort
# Packages whose tests need a device; other planners and the executor are tested without. That
# of internal/engine is for those of several devices, and for its benchmarks; that of
# internal/algo/ranges has steps that only several devices use.
packages=". ./internal/algo/ranges ./internal/driver/cuda ./internal/driver/opencl ./internal/engine ./internal/engine/suite"
for p in $packages; do
	[ -d "$p" ] || continue
	name=$(sed 's#^\./##; s#^\.$#gpusort#; s#/#-#g' <<<"$p")
	mkdir -p "bundle/tests/$name"
	go test -c -trimpath -ldflags "-s -w" -o "bundle/tests/$name/run.test" "$p"
	[ ! -d "$p/testdata" ] || cp -r "$p/testdata" "bundle/tests/$name/"
done
loader=$(ldconfig -p 2>/dev/null | awk '/libOpenCL.so.1 /{print $NF; exit}')
if [ -z "$loader" ]; then
	echo "gpu-bundle: no libOpenCL.so.1 on this machine to carry; 'make deps' installs it" >&2
	exit 1
fi
cp -L "$loader" bundle/lib/libOpenCL.so.1
for peer in build/baselines/*.so*; do [ ! -e "$peer" ] || cp "$peer" bundle/lib/; done
cp -r experiments include bundle/
cp tools/gpu-run.sh bundle/run.sh
# What 'tune build -o build/tune' of tools/cmd/tune made, for run.sh's step tune.
[ ! -e build/tune/runs.txt ] || tar -C build -czf bundle/tune.tar.gz tune
# Each test binary holds all device code: packed with a window of all of them it is there once.
tar -C bundle -cf - tests | xz -T1 --lzma2=preset=1,dict=128MiB >bundle/tests.tar.xz
rm -rf bundle/tests
du -sh bundle | awk '{print "bundle/ holds " $1}'
kb=$(du -sk --exclude='libgpusort_baselines*' --exclude=tune.tar.gz bundle | cut -f1)
if [ "$kb" -gt 53248 ]; then
	echo 'bundle/ is over 52 MB without peers and variants' >&2
	exit 1
fi
