// Comparisons that are counted.
#ifndef GS_WARP_LESS
#define GS_WARP_LESS

#include "warp/word.cuh"

namespace gs {

// oneMoreIf is many + 1 if a key is less than another, or equal and its number is less. The borrows of subtractions in a row take half of the
// instructions that comparisons of three words do.
GS_DEVICE u32 oneMoreIf(u32 many, u64 key, u32 number, u64 other, u32 otherNumber) {
#ifdef __CUDA_ARCH__
  asm("{ .reg .u32 t; sub.cc.u32 t, %1, %4; subc.cc.u32 t, %2, %5; subc.cc.u32 t, %3, %6; subc.u32 t, 0, 0; sub.u32 %0, %0, t; }"
      : "+r"(many)
      : "r"(number), "r"(u32(key)), "r"(u32(key >> 32)), "r"(otherNumber), "r"(u32(other)), "r"(u32(other >> 32)));
  return many;
#else
  return many + (u32(key < other) | (u32(key == other) & u32(number < otherNumber)));
#endif
}

}  // namespace gs

#endif
