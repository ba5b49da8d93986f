// Ranking within a warp: which lanes hold the same digit.
#ifndef GS_WARP_MATCH
#define GS_WARP_MATCH

#include "warp/word.cuh"

namespace gs {

constexpr u32 kAllLanes = 0xffffffffu;

GS_DEVICE u32 laneID() { return threadIdx.x & 31; }

GS_DEVICE u32 lanesBelow() {
  u32 m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  return m;
}

GS_DEVICE u32 lanesAbove() {
  u32 m;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(m));
  return m;
}

// DigitOf extracts digit number `pass`, counted from the least significant.
// One byte permutation per key (and a select for 64 bits) instead of a shift
// and a mask.
template <typename K> struct DigitOf {
  u32 selector;
  bool high;
  GS_DEVICE explicit DigitOf(u32 pass) : selector(0x4440u | (pass & 3)), high(pass >= 4) {}
  // again returns an equal extractor whose results the compiler cannot know to
  // be equal. Used between the phases of a tile: otherwise it would keep every
  // digit in a register from one phase to the next.
  GS_DEVICE DigitOf again() const {
    DigitOf d = *this;
    asm volatile("" : "+r"(d.selector));
    return d;
  }
  GS_DEVICE u32 operator()(K k) const {
    if constexpr (sizeof(K) == 8) {
      u32 word = high ? u32(k >> 32) : u32(k);
      return __byte_perm(word, 0, selector);
    } else {
      return __byte_perm(u32(k), 0, selector);
    }
  }
};

// matchDigit returns the mask of lanes whose digit equals this lane's. All 32
// lanes take part. One vote per bit: on the measured devices faster than the
// match instruction, whose time grows with the number of distinct values.
GS_DEVICE u32 matchDigit(u32 digit) {
  u32 peers = kAllLanes;
#pragma unroll
  for (int b = 0; b < kDigitBits; b++) {
    const bool set = digit >> b & 1;
    const u32 votes = __ballot_sync(kAllLanes, set);
    peers &= set ? votes : ~votes;
  }
  return peers;
}

// inclusiveSum is the inclusive prefix sum over the warp.
template <typename T> GS_DEVICE T inclusiveSum(T x) {
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    T y = __shfl_up_sync(kAllLanes, x, d);
    if (laneID() >= d) x += y;
  }
  return x;
}

}  // namespace gs

#endif
