// Few different keys, the unlisted keys of pairs and places: what the dictionary has not, a ninth
// of the input at most, is put together, sorted by digits and spread over the places between
// the runs of listed keys. Only code compiled for sm_90 includes this: see warp/grid.cuh.
#ifndef GS_BLOCK_MSD_FEW_UNLISTED
#define GS_BLOCK_MSD_FEW_UNLISTED

#include "block/histogram.cuh"
#include "block/msd_few_move.cuh"
#include "block/sweep.cuh"

namespace gs {

// Steps with unlisted keys are functions of their own (GS_COLD), which get copies, so that sorts
// without unlisted keys spill nothing for them.

// What moveUnlisted has in the hash table's place.
template <typename G> struct FewUnlistedShared {
  u32 digits[sizeof(typename G::K) * kDigits];
  typename G::K encodedKeys[kFewMost];  // of the list
  u32 gaps[kFewMost];              // unlisted keys of the block behind so many of the list
  u32 together[G::kWarps];         // unlisted keys of the warp in a tile
};

// moveUnlisted writes the encoded keys and the values, or places, of the block's unlisted keys, in the
// input's order, behind those of the blocks before it, and counts their digits and gaps;
// the block that comes last plans the passes for all, `count`. Behind scanFew and a barrier of
// the grid; changes nothing of the caller's.
//
// A warp lists the places of its unlisted keys in a tile first, so that then each lane fetches one:
// of 512 items, one in 20, the memory is waited for once and not once per row of 32.
template <typename G> GS_COLD void moveUnlisted(FewArgs<G> a, FewRun<G> run, u32 count) {
  typedef typename G::K K;
  typedef typename G::V V;
  constexpr u32 kCounters = sizeof(K) * kDigits, kRow = 32 * G::kItems;
  static_assert(sizeof(FewUnlistedShared<G>) <= FewShared<G>::kBytes - FewShared<G>::kAt, "the hash table's place has room");
  static_assert(kRow * sizeof(u16) <= kDigits * sizeof(u32), "a warp's list has its counters' place");
  extern __shared__ uint4 dynamicShared[];
  const FewShared<G> s(dynamicShared);
  FewUnlistedShared<G>& o = *reinterpret_cast<FewUnlistedShared<G>*>(s.table);
  const u32 t = threadIdx.x, warp = t / 32, below = lanesBelow(), listed = a.few->count;
  u16* const places = reinterpret_cast<u16*>(s.counts + warp * kDigits);
  for (u32 i = t; i < kCounters; i += G::kThreads) o.digits[i] = 0;
  for (u32 i = t; i < kFewMost; i += G::kThreads) o.gaps[i] = 0, o.encodedKeys[i] = encode(a.codec, K(a.few->keys[i]));
  u32 at = __ldcg(a.counts + kFewUnlisted * gridDim.x + blockIdx.x);
  const u8* const ranks = a.ranks + fewSkew(a.keys);
  for (u32 from = run.from; from < run.to; from += G::kTile) {
    const u32 row = from + warp * kRow, item = row + laneID();
    u32 mine = 0, together = 0;  // bit i: item i is another key; and how many the warp has
#pragma unroll
    for (int i = 0; i < G::kItems; i++) mine |= u32(item + 32 * i < run.to && ranks[item + 32 * i] == kFewUnlisted) << i;
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      const u32 lanes = __ballot_sync(kAllLanes, mine >> i & 1);
      if (mine >> i & 1) places[together + __popc(lanes & below)] = u16(32 * i + laneID());
      together += __popc(lanes);
    }
    __syncthreads();  // behind the sums of the tile before, and what was cleared
    if (laneID() == 0) o.together[warp] = together;
    __syncthreads();
    u32 to = at;
#pragma unroll
    for (u32 w = 0; w < G::kWarps; w++) {
      const u32 there = o.together[w];
      if (w < warp) to += there;
      at += there;
    }
    for (u32 j = laneID(); j < together; j += 32) {
      const u32 x = row + places[j];
      const K encoded = encode(a.codec, a.keys[x]);
      a.unlisted.keys[to + j] = encoded;
      a.unlisted.values[to + j] = G::kPlaces ? V(x) : a.copy[fewSkew(a.values) + x];
#pragma unroll
      for (u32 p = 0; p < sizeof(K); p++) atomicAdd(&o.digits[p * kDigits + u32(encoded >> (kDigitBits * p)) % kDigits], 1u);
      atomicAdd(&o.gaps[fewGap(o.encodedKeys, listed, encoded)], 1u);
    }
    __syncwarp();
  }
  __syncthreads();
  for (u32 i = t; i < kCounters; i += G::kThreads) {
    if (o.digits[i] != 0) atomicAdd(&a.unlisted.control->counts[0][0] + i, u64(o.digits[i]));
  }
  for (u32 i = t; i < kFewMost; i += G::kThreads) {
    if (o.gaps[i] != 0) atomicAdd(&a.few->gaps[i], o.gaps[i]);
  }
  // Whether they are in order is not looked for.
  endHistogram<sizeof(K)>(a.unlisted.control, count, kModePairs, kReadOnly, kSeenDescent | kSeenAscent, nullptr, leaveNone);
}

// sortUnlisted sorts the count unlisted keys where moveUnlisted put them. P: the passes' geometry.
// Begins behind a barrier of the grid and ends with one.
template <typename P, typename G> GS_COLD void sortUnlisted(FewArgs<G> a, u32 count) {
  const FewUnlisted<typename G::K, typename G::V>& o = a.unlisted;
  const PassArgs passes = {o.keys, o.keys2, o.keys2, o.values, o.values2, o.control, o.words, count, 0, 0, 0, (count + P::kTile - 1) / P::kTile, 0, 0, 0};
  sweepPasses<P>(passes, 2);
  finish<typename G::K, typename G::V, true>(o.keys, o.keys2, o.values, o.values2, count, o.control, 0);
  gridSync();
}

// spreadUnlisted writes the sorted unlisted keys to their places: number q, behind g keys of the
// list, comes behind all q smaller unlisted keys and all keys of those ranks. The launches behind
// find no passes and nothing to finish.
template <typename G> GS_COLD void spreadUnlisted(FewArgs<G> a, const FewStarts<typename G::K>& f, u32 count) {
  Control* const c = a.unlisted.control;
  if (blockIdx.x == 0) {
    if (threadIdx.x < kMaxPasses) c->pass[threadIdx.x] = PassPlan{0};
    if (threadIdx.x == 0) c->finish = kFinishNone;
  }
  for (u32 q = blockIdx.x * G::kThreads + threadIdx.x; q < count; q += gridDim.x * G::kThreads) {
    u32 g = 0;
#pragma unroll
    for (u32 half = kDigits / 2; half > 0; half /= 2) {
      if (f.behind[g + half - 1] <= q) g += half;
    }
    const u32 to = q + f.starts[g] - f.behind[g];
    a.values[to] = __ldcg(a.unlisted.values + q);
    if constexpr (!G::kPlaces) a.keys[to] = decode(a.codec, __ldcg(a.unlisted.keys + q));
  }
}

// msdFew sorts pairs or places if the route is kRouteFew. If a key is not in the dictionary
// and may not be one of unlisted keys, or these are more than there is room for, it changes the
// route to kRouteOnesweep, whose launches are behind this one, and leaves what the caller gave
// as it was. Cooperative launch, G::kThreads threads, any grid that is resident; dynamic shared
// memory FewShared<G>::kBytes, and for unlisted keys PassShared<P>::kBytes of the geometry P that
// sorts them.
//
// Every thread has read the route before the first barrier of the grid; only then it
// is changed. Behind that barrier, or the one behind moveUnlisted, all keys have been read:
// their memory may be filled.
template <typename G, typename P> GS_DEVICE void msdFew(const FewArgs<G>& a) {
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
      countFew(a, s, run, nullptr);
    else if constexpr (!G::kPlaces)
      copyFew(a, run);
  }
  sumFew(a, s);
  gridSync();
  if (__ldcg(&a.few->missed) != 0) return giveUpFew(a.state);
  scanFew(a);
  gridSync();
  u32 unlisted = 0;
  if (a.few->unlisted != 0) unlisted = __ldcg(&a.few->totals[kFewUnlisted]);
  if (unlisted > a.unlisted.most) return giveUpFew(a.state);
  if (unlisted != 0) {
    moveUnlisted(a, run, unlisted);
    gridSync();
  }
  placeFew(a, s, f, run, ahead, unlisted != 0);
  if (unlisted == 0) return;
  __syncthreads();
  sortUnlisted<P>(a, unlisted);
  spreadUnlisted(a, f, unlisted);
}

}  // namespace gs

#endif
