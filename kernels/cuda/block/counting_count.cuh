// Counting in shared memory.
#ifndef GS_BLOCK_COUNTING_COUNT
#define GS_BLOCK_COUNTING_COUNT

#include "block/counting_state.cuh"

namespace gs {

// countShared adds the number of keys that are encoded as lo+b to counts[b], for all b
// below bins; any other key is refused: the state gets its bits, and
// nobody moves anything. With useState, lo and bins are the state's, and it does
// nothing unless the route is kCountShared. Launch: any blocks, any multiple of
// 32 threads; dynamic shared memory sharedBytes, at least 4*bins. counts is zero.
//
// A counter has as many copies as fit, up to 32: lane l adds to copy l modulo
// their number. With 32 copies no two lanes of a warp ever meet in a bank,
// whatever the keys are; with fewer, a warp whose keys are all equal adds once.
template <typename K>
GS_DEVICE void countShared(const K* keys, u64 n, CountingState* state, u32* counts, u64 lo, u32 bins, u32 codec,
                           u32 useState, u32 sharedBytes) {
  extern __shared__ uint4 dynamicShared[];
  u32* const counters = reinterpret_cast<u32*>(dynamicShared);
  if (useState) {
    if (state->route != kCountShared) return;
    lo = state->lo;
    bins = state->bins;
  }
  u32 shift = 5;
  while ((u64(bins) << shift) * 4 > sharedBytes) shift--;
  for (u32 i = threadIdx.x; i < bins << shift; i += blockDim.x) counters[i] = 0;
  __syncthreads();

  const K base = K(lo), last = K(bins - 1);
  u32* const mine = counters + (laneID() & ((1u << shift) - 1));
  // A key outside the range counts as the last one of it, and then nothing
  // counts: the first such key of all blocks is told.
  auto add = [&](K encoded, u32 times) {
    const K bin = encoded - base;
    atomicAdd(&mine[u32(bin < last ? bin : last) << shift], times);
    return bin > last;
  };
  auto refuse = [&](K encoded) {
    if (K(encoded - base) > last && atomicCAS(&state->refused, 0u, kRefusedKey) == 0)
      state->culprit = u64(decode(codec, encoded));
  };
  eachVector<K>(keys, n, [&](KeyVector<K>& v, u64, bool valid) {
    constexpr u32 kEach = KeyVector<K>::kKeys;
    encodeAll(codec, v.k);
    bool refused = false;
    if (shift < 5) {
      const K first = __shfl_sync(kAllLanes, v.k[0], 0);
      bool same = valid;
#pragma unroll
      for (u32 j = 0; j < kEach; j++) same &= v.k[j] == first;
      if (__all_sync(kAllLanes, same)) {
        if (laneID() == 0 && add(first, 32 * kEach)) refuse(first);
        return;
      }
    }
    if (!valid) return;
#pragma unroll
    for (u32 j = 0; j < kEach; j++) refused |= add(v.k[j], 1);
    if (refused) {
      for (u32 j = 0; j < kEach; j++) refuse(v.k[j]);
    }
  });
  eachEnd<K>(keys, n, [&](K key, u64) {
    if (add(encode(codec, key), 1)) refuse(encode(codec, key));
  });
  __syncthreads();
  for (u32 b = threadIdx.x; b < bins; b += blockDim.x) {
    u32 sum = 0;
    // Neighbours start at different copies: no two in one bank.
    for (u32 c = 0; c < 1u << shift; c++) sum += counters[(b << shift) + ((c + b) & ((1u << shift) - 1))];
    if (sum != 0) atomicAdd(&counts[b], sum);
  }
}

}  // namespace gs

#endif
