// The control block of an LSD sort: 16 words, zeroed before the analysis.
//   0, 1  OR of all encoded keys, low and high half
//   2, 3  OR of all complemented encoded keys, low and high half
//   4     order flags of neighbours (kSeen bits)
// A bit varies if it is set in both ORs; a pass whose digit has no varying bit
// moves nothing and is skipped. Every kernel works out from the block where its
// pass reads and writes, so that the host never waits for an answer.
// kernels/opencl/lsd_state.clh is the same in OpenCL C.
#ifndef GS_BLOCK_LSD_STATE
#define GS_BLOCK_LSD_STATE

#include "block/control.cuh"
#include "warp/match.cuh"

namespace gs {

constexpr u32 kLsdControlWords = 16;
GS_CONSTANT(LsdControlBytes, kLsdControlWords * sizeof(u32))

struct LsdState {
  bool active;    // this pass moves data
  bool sorted;    // the input is in order
  bool reversed;  // the input is in reverse order and can be turned round
  u32 rank;       // active passes before this one
  u32 count;      // active passes in all; 0 if sorted or reversed

  GS_DEVICE bool first() const { return rank == 0; }
  GS_DEVICE bool last() const { return rank + 1 == count; }

  // Keys go io → alt → io → …; under argsort, of at most two passes here, the
  // last one stores no keys, so that io is never written.
  template <typename T> GS_DEVICE T* source(T* io, T* alt) const { return rank % 2 ? alt : io; }
  template <typename T> GS_DEVICE T* target(T* io, T* alt) const { return rank % 2 ? io : alt; }
  // Under argsort the last pass writes indices to the caller's memory.
  GS_DEVICE bool valuesToIO(u32 mode) const { return mode == kModeArgsort ? (count - rank) % 2 : rank % 2; }
};

// Turning pairs round would turn ties round, so that only a strictly falling
// input counts as reversed when values move along.
GS_DEVICE LsdState readLsdState(const u32* ctl, u32 pass, u32 mode) {
  const u64 ones = u64(ctl[1]) << 32 | ctl[0], zeros = u64(ctl[3]) << 32 | ctl[2];
  const u64 varying = ones & zeros;
  const u32 seen = ctl[4];
  LsdState s;
  s.sorted = !(seen & kSeenDescent);
  s.reversed = !s.sorted && !(seen & kSeenAscent) && (mode == kModeKeys || !(seen & kSeenEqual));
  s.active = false;
  s.rank = s.count = 0;
  if (s.sorted || s.reversed) return s;
#pragma unroll
  for (u32 p = 0; p < kMaxPasses; p++) {
    const bool moves = varying >> (kDigitBits * p) & (kDigits - 1);
    s.count += moves;
    s.rank += moves && p < pass;
    s.active |= moves && p == pass;
  }
  return s;
}

// The keys of this block: whole tiles, numbers of tiles that differ between
// blocks by at most one.
struct BlockRange {
  u64 begin, end;
  GS_DEVICE BlockRange(u64 n, u32 tile) {
    const u64 tiles = (n + tile - 1) / tile;
    begin = tiles * blockIdx.x / gridDim.x * tile;
    end = tiles * (blockIdx.x + 1) / gridDim.x * tile;
    if (end > n) end = n;
  }
};

GS_DEVICE u64 warpOr(u64 x) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x |= __shfl_xor_sync(kAllLanes, x, d);
  return x;
}

// report joins a block's findings to the control block: one round of global
// atomics per warp, and only for what is new.
GS_DEVICE void report(u32* ctl, u64 ones, u64 zeros, u32 seen) {
  ones = warpOr(ones);
  zeros = warpOr(zeros);
  seen = u32(warpOr(seen));
  if (laneID() != 0) return;
  const u32 found[5] = {u32(ones), u32(ones >> 32), u32(zeros), u32(zeros >> 32), seen};
#pragma unroll
  for (int i = 0; i < 5; i++) {
    if (found[i] & ~*(volatile u32*)(ctl + i)) atomicOr(ctl + i, found[i]);
  }
}

}  // namespace gs

#endif
