// Decoupled look-back (Merrill and Garland 2016), one word per tile and digit.
//
// A word is 0 (nothing yet), partial|count of this tile, or inclusive|count of
// this tile and all before it in the portion. Status and count share one
// 32-bit word that is written and read whole, so a reader that sees a status
// sees its count: relaxed order is enough. Nothing else is handed over through
// a word: what tiles write elsewhere is read only by later launches.
//
// A portion holds fewer than 2^30 items, so that counts fit beside the status.
#ifndef GS_WARP_LOOKBACK
#define GS_WARP_LOOKBACK

#include "warp/word.cuh"

namespace gs {

constexpr u32 kPartial = 1u << 30;
constexpr u32 kInclusive = 2u << 30;
constexpr u32 kCountMask = (1u << 30) - 1;

// loadWord and storeWord read and write a word of 32 or 64 bits whole, past the L1.
template <typename T> GS_DEVICE T loadWord(const T* p) {
#if __CUDA_ARCH__ >= 700
  T v;
  if constexpr (sizeof(T) == 4)
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
  else
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
  return v;
#else
  return *(const volatile T*)p;  // volatile is at least relaxed
#endif
}

template <typename T> GS_DEVICE void storeWord(T* p, T v) {
#if __CUDA_ARCH__ >= 700
  if constexpr (sizeof(T) == 4)
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(v) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(v) : "memory");
#else
  *(volatile T*)p = v;
#endif
}

// lookBack sums a digit's counts over the tiles before `tile`, which is not 0.
// column points at the digit's word of tile 0; rows are kDigits words apart.
// Terminates because the predecessors hold smaller tickets: they have started,
// and a started block publishes without waiting for a later one. Tile 0
// publishes an inclusive word at once.
//
// kWindow words are requested together, nearest first, so that one trip to the
// L2 covers kWindow tiles. A word that was still empty is polled alone.
template <int kWindow> GS_DEVICE u32 lookBack(const u32* column, u32 tile) {
  u32 sum = 0;
  for (int next = int(tile) - 1;; next -= kWindow) {
    u32 word[kWindow];
#pragma unroll
    for (int i = 0; i < kWindow; i++) {
      word[i] = kInclusive;
      if (next - i >= 0) word[i] = loadWord(column + u64(next - i) * kDigits);
    }
#pragma unroll
    for (int i = 0; i < kWindow; i++) {
      while ((word[i] & ~kCountMask) == 0) word[i] = loadWord(column + u64(next - i) * kDigits);
      sum += word[i] & kCountMask;
      if (word[i] & kInclusive) return sum;
    }
  }
}

}  // namespace gs

#endif
