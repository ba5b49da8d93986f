// Few different keys, second half: values or places move to their ends, stably, in one
// pass, and keys are written anew from their counts. Only code compiled for sm_90
// includes this: see warp/grid.cuh.
#ifndef GS_BLOCK_MSD_FEW_MOVE
#define GS_BLOCK_MSD_FEW_MOVE

#include "block/msd_few_count.cuh"
#include "block/rank.cuh"
#include "warp/grid.cuh"

namespace gs {

// What stays in static shared memory between the phases.
template <typename K> struct FewStarts {
  u32 starts[kDigits + 1];  // place of the first key of each rank; behind the last, n
  u32 at[kDigits];  // place that slot 0 of the tile in order would have in the number's run, modulo 2^32
  u32 warpSums[kDigits / 32];
  K keys[kFewMost];
};

// startFew computes f.starts, and returns, in threads below kDigits, the place of the block's first key of a number.
// Ends with a barrier.
template <typename G> GS_DEVICE u32 startFew(const FewArgs<G>& a, FewStarts<typename G::K>& f) {
  const u32 d = threadIdx.x;
  u32 total = 0, before = 0, inclusive = 0;
  if (d < kDigits) {
    total = __ldcg(&a.few->totals[d]);
    if constexpr (!G::kAlone) before = __ldcg(a.counts + d * gridDim.x + blockIdx.x);
    f.keys[d] = typename G::K(a.few->keys[d]);
    inclusive = inclusiveSum(total);
    if (laneID() == 31) f.warpSums[d / 32] = inclusive;
  }
  __syncthreads();
  u32 start = inclusive - total;
  if (d < kDigits) {
    for (u32 w = 0; w < d / 32; w++) start += f.warpSums[w];
    f.starts[d] = start;
    if (d == 0) f.starts[kDigits] = a.n;
  }
  __syncthreads();
  return start + before;
}

// A tile's items in registers, as block/rank.cuh has them.
template <typename G> struct FewTile {
  u32 keyRank[G::kItems];
  typename G::V value[G::kPlaces ? 1 : G::kItems];
  // load reads items [from, to), at most a tile; what is missing gets the largest rank and so the places behind.
  GS_DEVICE void load(const FewArgs<G>& a, u32 from, u32 to) {
    const u32 item = from + threadIdx.x / 32 * 32 * G::kItems + laneID();
    const u8* const ranks = a.ranks + fewSkew(a.keys) + item;
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      keyRank[i] = kDigits - 1;
      if (item + 32 * i < to) keyRank[i] = ranks[32 * i];
    }
    if constexpr (!G::kPlaces) {
      const typename G::V* const values = a.copy + fewSkew(a.values) + item;
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        if (item + 32 * i < to) value[i] = __ldcs(values + 32 * i);
      }
    }
  }
};

// moveFew moves the block's items tile by tile. at: as startFew returns it. The next
// tile is requested when the registers of this one are free, before it is written.
template <typename G> GS_DEVICE void moveFew(const FewArgs<G>& a, const FewShared<G>& s, FewStarts<typename G::K>& f, const FewRun<G>& run, u32 at) {
  typedef typename G::V V;
  typedef typename G::Slot Slot;
  const u32 t = threadIdx.x, below = lanesBelow(), above = lanesAbove();
  u32* const mine = s.counts + t / 32 * kDigits;
  FewTile<G> tile;
  clearCounts<G::kThreads>(s.counts);
  tile.load(a, run.from, run.to);
  __syncthreads();
  for (u32 from = run.from; from < run.to; from += G::kTile) {
#pragma unroll
    for (int i = 0; i < G::kItems; i++) atomicAdd(&mine[tile.keyRank[i]], 1u);
    __syncthreads();
    u32 count, first;
    digitOffsets<G::kThreads>(s.counts, f.warpSums, count, first, [](u32) {}, [] {});
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      const u32 rank = nextRank(mine, tile.keyRank[i], below, above);
      s.ranks[rank] = u8(tile.keyRank[i]);
      if constexpr (G::kPlaces)
        s.slots[rank] = Slot(t / 32 * 32 * G::kItems + 32 * i + laneID());
      else
        s.slots[rank] = tile.value[i];
    }
    if (t < kDigits) {
      f.at[t] = at - first;
      at += count;  // with the padding of the input's last tile, behind which there is none
    }
    if (from + G::kTile < run.to) tile.load(a, from + G::kTile, run.to);
    __syncthreads();
    clearCounts<G::kThreads>(s.counts);
    const u32 valid = smaller(run.to - from, G::kTile);
#pragma unroll 4
    for (int i = 0; i < G::kItems; i++) {
      const u32 j = i * G::kThreads + t;
      if (j < valid) a.values[f.at[s.ranks[j]] + j] = G::kPlaces ? V(from + s.slots[j]) : V(s.slots[j]);
    }
    __syncthreads();
  }
}

// fillFew writes the sorted keys. A thread writes one vector: it finds the number of the first key by bisection and walks on from
// there.
template <typename K> GS_DEVICE void fillFew(K* keys, u32 n, const FewStarts<K>& f) {
  constexpr u32 kKeys = FewVector<K>::kKeys;
  const u32 skew = fewSkew(keys), vectors = (n + skew + kKeys - 1) / kKeys, step = gridDim.x * blockDim.x;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += step) {
    const u32 begin = i == 0 ? 0 : i * kKeys - skew, end = smaller((i + 1) * kKeys - skew, n);
    u32 d = 0;  // the last number whose keys start at or before begin
#pragma unroll
    for (u32 half = kDigits / 2; half > 0; half /= 2) {
      if (f.starts[d + half] <= begin) d += half;
    }
    if (end - begin == kKeys) {
      FewVector<K> v;
#pragma unroll
      for (u32 j = 0; j < kKeys; j++) {
        while (begin + j >= f.starts[d + 1]) d++;
        v.k[j] = f.keys[d];
      }
      *reinterpret_cast<uint4*>(keys + begin) = v.raw;
    } else {
      for (u32 x = begin; x < end; x++) {
        while (x >= f.starts[d + 1]) d++;
        keys[x] = f.keys[d];
      }
    }
  }
}

// placeFew moves and fills: behind a barrier of the grid, when all keys have been read.
// What waits for memory, the copy and the fill, goes along with what the multiprocessor
// works on: of the two blocks that one has, b and b + half the grid as a rule, one,
// which is `ahead`, does it last here and first in msdFew.
template <typename G> GS_DEVICE void placeFew(const FewArgs<G>& a, const FewShared<G>& s, FewStarts<typename G::K>& f, const FewRun<G>& run, u32 ahead) {
  const u32 at = startFew(a, f);
#pragma unroll 1
  for (u32 phase = 0; phase < 2; phase++) {
    if (phase != ahead) {
      if constexpr (!G::kPlaces) fillFew(a.keys, a.n, f);
    } else {
      moveFew(a, s, f, run, at);
    }
  }
}

// msdFew sorts if the route is kRouteFew. If a key is not in the dictionary, it changes the route to kRouteOnesweep,
// whose launches are behind this one, and leaves what the caller gave as it was. Keys alone are written anew from
// their counts. Cooperative launch, G::kThreads threads, any grid that is resident; dynamic shared memory
// FewShared<G>::kBytes.
//
// Every thread has read the route before the first barrier of the grid; only then it is changed. Behind that
// barrier all keys have been read: their memory may be filled.
template <typename G> GS_DEVICE void msdFew(const FewArgs<G>& a) {
  extern __shared__ uint4 dynamicShared[];
  __shared__ FewStarts<typename G::K> f;
  static_assert(G::kThreads >= kDigits, "a thread per rank");
  if (a.state->route != kRouteFew) return;
  const FewShared<G> s(dynamicShared);
  const FewRun<G> run(a.n);
  const u32 ahead = blockIdx.x < gridDim.x / 2;  // see placeFew
  clearCounts<G::kThreads>(s.counts);
  makeTable(s, a.few);
#pragma unroll 1
  for (u32 phase = 0; phase < 2; phase++) {
    if (phase == ahead)
      countFew(a, s, run);
    else if constexpr (!G::kPlaces && !G::kAlone)
      copyFew(a, run);
  }
  sumFew(a, s);
  gridSync();
  if (__ldcg(&a.few->missed) != 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) a.state->route = kRouteOnesweep;
    return;
  }
  if constexpr (G::kAlone) {
    startFew(a, f);
    fillFew(a.keys, a.n, f);
  } else {
    scanFew(a);
    gridSync();
    placeFew(a, s, f, run, ahead);
  }
}

}  // namespace gs

#endif
