#!/usr/bin/env bash
# Writes bundle-cpu/: cpubench, vqsort as a shared library with what it needs,
# the script that serves NumPy's sorts and run.sh (tools/cpu-run.sh), to be
# carried to a quiet machine: that needs neither Go nor a network, and Python
# with NumPy only for NumPy's cells. Needs g++ and libhwy-dev here.
set -eu
cd "$(dirname "$0")/.."
out=bundle-cpu
rm -rf $out
mkdir -p $out/lib
(cd tools && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "../$out/cpubench" ./cmd/cpubench)
g++ -O2 -shared -fPIC bench/peers/vqsort.cc -o $out/lib/libvqsort.so -static-libstdc++ -static-libgcc \
	-Wl,-rpath,'$ORIGIN' -Wl,--disable-new-dtags -lhwy_contrib -lhwy
for lib in libhwy.so.1 libhwy_contrib.so.1; do
	cp -L "$(g++ -print-file-name=$lib)" $out/lib/
done
cp bench/peers/numpy_sort.py $out/
cp tools/cpu-run.sh $out/run.sh
du -sh $out | awk '{print $2 "/ holds " $1}'
