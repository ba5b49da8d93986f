// A stable radix sort of one tile by one block, digit by digit from the lowest; between digits the items pass through
// shared memory. Sorts of few items by module onesweep use it, and those buckets of msd and msdpairs that bins do not
// sort. The default's sorts of small inputs are in stage/small.cu.
#ifndef GS_BLOCK_SMALL
#define GS_BLOCK_SMALL

#include "block/control.cuh"
#include "block/pass.cuh"

namespace gs {

// sortTile sorts n <= G::kTile items stably, n >= 1. G::kWindow is not used.
// Only as many items per thread as n needs take part. Dynamic shared memory:
// PassShared<G>::kBytes. Digits in which no two keys differ are skipped. Keys
// are encoded with codecIn when read and decoded with codecOut when written.
template <typename G>
GS_DEVICE void sortTile(KeyOf<G>* keys, ValueOf<G>* values, u32 n, u32 codecIn, u32 codecOut, u32 mode) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  // Laid out as for a pass, whose two address tables stay unused.
  const PassShared<G> s(dynamicShared);
  u64* const blockVarying = s.keyAt;
  const u32 used = (n + G::kThreads - 1) / G::kThreads;  // items per thread, uniform
  const u32 warp = threadIdx.x / 32;
  const u32 slot = warp * 32 * used + laneID();
  u32* mine = s.counts + warp * kDigits;
  const u32 below = lanesBelow(), above = lanesAbove();

  if (threadIdx.x == 0) *blockVarying = 0;
  __syncthreads();
  K k[G::kItems];
  ValueOf<G> v[G::kItems];
  const K sample = encode(codecIn, keys[0]);
  u64 differ = 0;
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 at = slot + 32 * i;
    k[i] = K(~K(0));  // padding: largest and last
    v[i] = 0;
    if (u32(i) < used && at < n) {
      k[i] = encode(codecIn, keys[at]);
      differ |= k[i] ^ sample;
      if (G::kPairs) v[i] = mode == kModeArgsort ? ValueOf<G>(at) : values[at];
    }
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) differ |= __shfl_xor_sync(kAllLanes, differ, d);
  if (laneID() == 0) atomicOr(blockVarying, differ);
  __syncthreads();
  const u64 varying = *blockVarying;

  for (u32 p = 0; p < sizeof(K); p++) {
    if ((varying >> (kDigitBits * p)) % kDigits == 0) continue;
    const DigitOf<K> digitOf(p);
    clearCounts<G::kThreads>(s.counts);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      if (u32(i) < used) atomicAdd(&mine[digitOf(k[i])], 1u);
    }
    __syncthreads();
    u32 total, first;
    digitOffsets<G::kThreads>(s.counts, s.warpSums, total, first, [](u32) {}, [] {});
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      if (u32(i) < used) {
        const u32 rank = nextRank(mine, digitOf(k[i]), below, above);
        s.keys[rank] = k[i];
        if (G::kPairs) s.values[rank] = v[i];
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      if (u32(i) < used) {
        k[i] = s.keys[slot + 32 * i];
        if (G::kPairs) v[i] = s.values[slot + 32 * i];
      }
    }
    // The next digit writes keys and values only after three more barriers.
  }
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 at = slot + 32 * i;
    if (u32(i) < used && at < n) {
      if (mode != kModeArgsort) keys[at] = decode(codecOut, k[i]);
      if (G::kPairs) values[at] = v[i];
    }
  }
}

}  // namespace gs

#endif
