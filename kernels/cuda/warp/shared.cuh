// Words of shared memory by address. Of a pointer that is swapped or chosen the compiler does not
// know that it points there: it would take 64 bits, and loads that look where they lead.
#ifndef GS_WARP_SHARED
#define GS_WARP_SHARED

#include "warp/word.cuh"

namespace gs {

// sharedAt is the address of what p points to in this block's shared memory.
GS_DEVICE u32 sharedAt(const void* p) { return u32(__cvta_generic_to_shared(p)); }

// loadAt reads the word at an address, and kOffset bytes, which cost no instruction.
template <typename T, u32 kOffset = 0> GS_DEVICE T loadAt(u32 at) {
  T x;
  if constexpr (sizeof(T) == 8) asm volatile("ld.shared.u64 %0, [%1+%2];" : "=l"(x) : "r"(at), "n"(kOffset) : "memory");
  if constexpr (sizeof(T) == 4) asm volatile("ld.shared.u32 %0, [%1+%2];" : "=r"(x) : "r"(at), "n"(kOffset) : "memory");
  if constexpr (sizeof(T) == 2) asm volatile("ld.shared.u16 %0, [%1+%2];" : "=h"(x) : "r"(at), "n"(kOffset) : "memory");
  return x;
}

template <typename T> GS_DEVICE void storeAt(u32 at, T x) {
  if constexpr (sizeof(T) == 8) asm volatile("st.shared.u64 [%0], %1;" ::"r"(at), "l"(x) : "memory");
  if constexpr (sizeof(T) == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
  if constexpr (sizeof(T) == 2) asm volatile("st.shared.u16 [%0], %1;" ::"r"(at), "h"(x) : "memory");
}

}  // namespace gs

#endif
