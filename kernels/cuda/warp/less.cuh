// Comparisons that are counted.
#ifndef GS_WARP_LESS
#define GS_WARP_LESS

#include "warp/word.cuh"

namespace gs {

// fewerIf is fewer - 1 if a word is less than another: the compiler's own code for it has a selection more.
GS_DEVICE u32 fewerIf(u32 fewer, u32 word, u32 other) {
#ifdef __CUDA_ARCH__
  asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; @p add.u32 %0, %0, -1; }" : "+r"(fewer) : "r"(word), "r"(other));
  return fewer;
#else
  return fewer - (word < other);
#endif
}
GS_DEVICE u32 fewerIf(u32 fewer, u64 word, u64 other) {
#ifdef __CUDA_ARCH__
  asm("{ .reg .pred p; setp.lt.u64 p, %1, %2; @p add.u32 %0, %0, -1; }" : "+r"(fewer) : "l"(word), "l"(other));
  return fewer;
#else
  return fewer - (word < other);
#endif
}

// fewerIf is fewer - 1 if a key is less than another, or equal and its number is less.
GS_DEVICE u32 fewerIf(u32 fewer, u32 key, u32 number, u32 other, u32 otherNumber) { return fewerIf(fewer, u64(key) << 32 | number, u64(other) << 32 | otherNumber); }

// Of keys of 64 bits the borrows of subtractions in a row take half of the instructions that comparisons of three
// words do.
GS_DEVICE u32 fewerIf(u32 fewer, u64 key, u32 number, u64 other, u32 otherNumber) {
#ifdef __CUDA_ARCH__
  asm("{ .reg .u32 t; sub.cc.u32 t, %1, %4; subc.cc.u32 t, %2, %5; subc.cc.u32 t, %3, %6; subc.u32 t, 0, 0; add.u32 %0, %0, t; }"
      : "+r"(fewer)
      : "r"(number), "r"(u32(key)), "r"(u32(key >> 32)), "r"(otherNumber), "r"(u32(other)), "r"(u32(other >> 32)));
  return fewer;
#else
  return fewer - (key < other || (key == other && number < otherNumber));
#endif
}

}  // namespace gs

#endif
