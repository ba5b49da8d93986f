// Highway's vqsort behind a C interface, for tools/cmd/cpubench.
// g++ -O2 -shared -fPIC vqsort.cc -o libvqsort.so -lhwy_contrib -lhwy
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <cstddef>
#include <cstdint>

static hwy::Sorter sorter;

template <class T>
static void Sort(void* x, size_t n) {
  sorter(static_cast<T*>(x), n, hwy::SortAscending());
}

extern "C" {
// avx2 != 0 leaves vqsort nothing better than AVX2.
void vqsort_level(int avx2) {
  hwy::SetSupportedTargetsForTest(
      avx2 ? HWY_AVX2 | HWY_SSE4 | HWY_SSSE3 | HWY_SCALAR : 0);
}
void vqsort_u32(void* x, size_t n) { Sort<uint32_t>(x, n); }
void vqsort_u64(void* x, size_t n) { Sort<uint64_t>(x, n); }
void vqsort_f32(void* x, size_t n) { Sort<float>(x, n); }
void vqsort_f64(void* x, size_t n) { Sort<double>(x, n); }
}
