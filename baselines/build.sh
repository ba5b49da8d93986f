#!/bin/sh
# Builds the baseline libraries into $OUT (default build/baselines):
#   libgpusort_baselines_cpu.so  std::sort, parallel std::sort, vqsort
#   libgpusort_baselines.so      CUB radix and merge, Thrust
#   libgpusort_baselines_new.so  the same from the newest CCCL headers, their names
#                                ending in -new
# The first needs g++ and Highway's headers (Debian: g++ libhwy-dev), the second
# nvcc: $NVCC, or the pinned 13.0 that `make kernels` fetches into .tools. CUDA's
# runtime is linked in, so the machine that runs them needs the driver alone. ARCHS lists CUDA targets ("90" by default; PTX of the
# last one is added for newer devices).
# What cannot be built is said and skipped; `build.sh cpu` or `build.sh cuda`
# asks for one library and fails if it cannot be built.
set -eu
cd "$(dirname "$0")/.."
OUT=${OUT:-build/baselines}
CXX=${CXX:-g++}
ARCHS=${ARCHS:-90}
JOBS=${JOBS:-2}
mkdir -p "$OUT"

# Functions return 1 by themselves: a caller that tests their result switches
# errexit off in them.
compile() { # compile NAME COMMAND... SOURCE: one object file, if anything it may include is newer
  obj=$OUT/$1.o && name=$1 && shift
  for source in "$@"; do :; done
  if [ ! -f "$obj" ] || [ -n "$(find "$source" include baselines \( -name '*.h' -o -name '*.cuh' -o -path "$source" \) -newer "$obj")" ]; then
    echo "  $name"
    rm -f "$obj"
    "$@" -o "$obj.part" && mv "$obj.part" "$obj"
  fi
}

cpu() {
  echo '#include <hwy/contrib/sort/vqsort.h>' | "$CXX" -std=c++17 -fsyntax-only -x c++ - 2>/dev/null ||
    { echo "baselines: no C++ compiler or no Highway headers: install g++ and libhwy-dev" >&2; return 1; }
  cc="$CXX -std=c++17 -O3 -DNDEBUG -fPIC -fvisibility=hidden -Iinclude -c"
  compile vqsort_choose $cc baselines/vqsort_choose.cc || return 1
  compile cpu $cc -fopenmp baselines/cpu.cc || return 1
  compile vqsort_sse4 $cc -march=westmere -maes -mpclmul -DVQSORT_ENTRY=vqsortSSE4 baselines/vqsort_isa.cc || return 1
  compile vqsort_avx2 $cc -march=haswell -maes -mpclmul -DVQSORT_ENTRY=vqsortAVX2 baselines/vqsort_isa.cc || return 1
  compile vqsort_avx512 $cc -march=skylake-avx512 -maes -mpclmul -DVQSORT_ENTRY=vqsortAVX512 baselines/vqsort_isa.cc || return 1
  # The widest instruction set comes last: of equal inline functions the linker
  # keeps the first. OpenMP's runtime exists as a shared library only; a copy
  # beside ours is found through $ORIGIN.
  "$CXX" -shared -Wl,-z,defs -o "$OUT/libgpusort_baselines_cpu.so" \
    "$OUT/vqsort_choose.o" "$OUT/cpu.o" "$OUT/vqsort_sse4.o" "$OUT/vqsort_avx2.o" "$OUT/vqsort_avx512.o" \
    -static-libgcc -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,-rpath,'$ORIGIN' -fopenmp || return 1
  cp "$("$CXX" -print-file-name=libgomp.so.1)" "$OUT/" || return 1
  echo "$OUT/libgpusort_baselines_cpu.so"
}

nvcc() { # the pinned compiler of `make kernels`, unless NVCC names one
  [ -n "${NVCC:-}" ] || NVCC=$(cd tools && ${GO:-go} run ./cmd/nvcc -tools ../.tools)
}

# library SUFFIX CCCL: one CUDA library of the headers in CCCL.
library() {
  home=$(cd "$(dirname "$NVCC")/.." && pwd)
  lib=$home/lib
  [ -d "$lib" ] && [ -f "$lib/libcudart_static.a" ] || lib=$home/lib64
  gen=
  for a in $ARCHS; do gen="$gen -gencode arch=compute_$a,code=sm_$a"; done
  gen="$gen -gencode arch=compute_$a,code=compute_$a"
  file=libgpusort_baselines$(echo "$1" | tr - _).so
  nv="$NVCC -std=c++17 -O3 -DNDEBUG -Xcompiler -fPIC,-fvisibility=hidden -Iinclude -I$2 $gen -c"
  compile "cuda$1" "$CXX" -std=c++17 -O2 -fPIC -fvisibility=hidden -DSUFFIX="\"$1\"" -Iinclude -I"$2" -I"$home/include" -c baselines/cuda.cc || return 1
  objects=$OUT/cuda$1.o
  for f in radix_keys radix_pairs radix_keys_n64 radix_pairs_n64 merge thrust operations; do
    compile "$f$1" $nv baselines/$f.cu &
    [ "$JOBS" -gt 1 ] || wait $!
    objects="$objects $OUT/$f$1.o"
  done
  wait
  for o in $objects; do
    [ -f "$o" ] || { echo "baselines: $o did not compile" >&2; return 1; }
  done
  "$CXX" -shared -Wl,-z,defs -o "$OUT/$file" $objects -L"$lib" -static-libgcc -static-libstdc++ \
    -Wl,--exclude-libs,ALL -lcudart_static -ldl -lrt -lpthread || return 1
  echo "$OUT/$file"
}

cuda() {
  nvcc || { echo "baselines: no nvcc: set NVCC, or let pip reach the package index" >&2; return 1; }
  home=$(cd "$(dirname "$NVCC")/.." && pwd)
  library "" "$home/include/cccl" || return 1
  newest=$(cd tools && ${GO:-go} run ./cmd/nvcc -tools ../.tools -cccl) && library -new "$newest" ||
    echo "baselines: the newest CCCL headers cannot be fetched or built: without the sorters ending in -new"
}

case ${1:-all} in
cpu) cpu ;;
cuda) cuda ;;
all)
  cpu || echo "baselines: the host library was not built"
  cuda || echo "baselines: the CUDA library was not built"
  ;;
*) echo "usage: baselines/build.sh [cpu|cuda]" >&2 && exit 2 ;;
esac
