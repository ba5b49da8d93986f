// Chooses the widest vqsort that this processor runs.
#include <cstring>

#include "hwy/highway.h"  // version
#include "hwy/contrib/sort/vqsort.h"
#include "vqsort_isa.h"

// The one function that Highway's headers leave to its library: the seed of
// the pivots' random choice. Like there, it depends on where the data lie.
void hwy::Sorter::Fill24Bytes(const void *heap, size_t num, void *bytes) {
  const uint64_t seed[3] = {reinterpret_cast<uintptr_t>(heap), num, 0x9e3779b97f4a7c15u};
  std::memcpy(bytes, seed, sizeof seed);
}

namespace {

enum Isa { kNone, kSSE4, kAVX2, kAVX512 };

Isa isa() {
  __builtin_cpu_init();
  // Each line asks for the extensions that Highway wants for that target.
  bool sse4 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
  bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512cd");
  return avx512 ? kAVX512 : avx2 ? kAVX2 : sse4 ? kSSE4 : kNone;
}

#define STR2(x) #x
#define STR(x) STR2(x)

}  // namespace

const char *vqsortVersion() { return STR(HWY_MAJOR) "." STR(HWY_MINOR) "." STR(HWY_PATCH); }

const char *vqsortTarget() {
  static const char *const name[] = {"no SSE4: unsupported", "SSE4", "AVX2", "AVX-512"};
  return name[isa()];
}

bool vqsortSort(uint32_t keyType, void *keys, uint64_t n, bool desc) {
  switch (isa()) {
    case kAVX512: return vqsortAVX512(keyType, keys, n, desc);
    case kAVX2: return vqsortAVX2(keyType, keys, n, desc);
    case kSSE4: return vqsortSSE4(keyType, keys, n, desc);
    default: return false;
  }
}
