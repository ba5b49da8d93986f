// The merge of an argsort's two halves (Green, McColl and Bader 2012): first where
// each tile of the result begins in the halves, then the tiles.
#ifndef GS_BLOCK_MSD_MERGE
#define GS_BLOCK_MSD_MERGE

#include "block/msd_state.cuh"

namespace gs {

// kMergeItems is odd, so that threads which walk with that distance through
// shared memory meet in no bank.
constexpr u32 kMergeThreads = 256, kMergeItems = 15, kMergeTile = kMergeThreads * kMergeItems;

// fromFirst returns how many of the first d items of the merged order come from
// the first of two sorted runs, of na and nb items; equal items of the first run
// come first. a(i) and b(i) are the runs' items.
template <typename A, typename B> GS_DEVICE u32 fromFirst(u32 d, u32 na, u32 nb, A a, B b) {
  u32 lo = d > nb ? d - nb : 0, hi = smaller(d, na);
  while (lo < hi) {
    const u32 mid = (lo + hi) / 2;
    if (a(mid) <= b(d - 1 - mid))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// msdDiagonals writes for each tile, and for the end, the items of the first half
// before it. Any grid and block.
GS_DEVICE void msdDiagonals(const u32* keys, u32* diagonals, u32 n, u32 half, const MsdState* state) {
  if (state->route != kRouteOnesweep) return;
  const u32 tiles = (n + kMergeTile - 1) / kMergeTile;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i <= tiles; i += gridDim.x * blockDim.x) {
    diagonals[i] = fromFirst(smaller(i * kMergeTile, n), half, n - half, [&](u32 x) { return keys[x]; }, [&](u32 x) { return keys[half + x]; });
  }
}

// msdMerge writes the places of the merged halves. Those of the second half count
// from its first key. Launch: kMergeThreads threads, any grid.
template <typename V>
GS_DEVICE void msdMerge(const u32* keys, const V* places, V* indices, u32 n, u32 half, const u32* diagonals, const MsdState* state) {
  if (state->route != kRouteOnesweep) return;
  __shared__ u32 tile[kMergeTile];
  const u32 t = threadIdx.x;
  for (u32 first = blockIdx.x; first * kMergeTile < n; first += gridDim.x) {
    const u32 begin = first * kMergeTile, items = smaller(kMergeTile, n - begin);
    const u32 a0 = diagonals[first], na = diagonals[first + 1] - a0, b0 = half + begin - a0, nb = items - na;
    for (u32 j = t; j < items; j += kMergeThreads) tile[j] = keys[j < na ? a0 + j : b0 + j - na];
    __syncthreads();
    const u32 d = smaller(t * kMergeItems, items);
    u32 a = fromFirst(d, na, nb, [&](u32 x) { return tile[x]; }, [&](u32 x) { return tile[na + x]; }), b = d - a + na;
    u32 slots[kMergeItems];
#pragma unroll
    for (u32 i = 0; i < kMergeItems; i++) {
      const bool fromA = b >= items || (a < na && tile[a] <= tile[b]);
      slots[i] = fromA ? a++ : b++;
    }
    __syncthreads();  // the keys are not needed any more
#pragma unroll
    for (u32 i = 0; i < kMergeItems; i++) {
      if (d + i < items) tile[d + i] = slots[i];
    }
    __syncthreads();
    for (u32 j = t; j < items; j += kMergeThreads) {
      const u32 slot = tile[j];
      indices[begin + j] = slot < na ? places[a0 + slot] : V(places[b0 + slot - na] + half);
    }
    __syncthreads();
  }
}

}  // namespace gs

#endif
