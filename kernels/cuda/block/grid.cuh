// A whole sort in one cooperative launch: every multiprocessor holds a share of the keys, and barriers of the grid
// take the place of launches.
//
// Launch: at most as many blocks as multiprocessors, kThreads threads each, GridBytes<G>::kAll of dynamic shared
// memory. In: keysIO, valuesIO; scratch needs no initial contents. Out: the same, or under argsort valuesIO alone.
//
//   1  each block loads its share, and leaves its bounds and a sample
//   2  keys spread evenly from the least to the most: one split by 8 bits, then blocks sort whole digits by bins
//   3  else 64-bit keys, at most kMergedShare a block: one split by splitters of the sample, then blocks merge
//   4  else passes by the digits that vary
//
// 2 may be given up three times: by the sample, before anything is counted; by the counts, before keys move, as 3 may,
// too; and by a block for a part of its digits, which it then sorts by passes of its own (passParts). Keys of 8 and 16
// bits, and those that are all within 255 of the least, go to 4 at once. Equal keys stay as they are. Input that is
// sorted already is not looked for: it takes as long as others.
//
// Order of memory: a block writes to global memory what others need, then comes a barrier of the grid, then others read
// it past the L1. Arriving at that barrier is a release, leaving it an acquire, both at the scope of the device, by one
// thread of each block between barriers of the block.
#ifndef GS_BLOCK_GRID
#define GS_BLOCK_GRID

#include "block/grid_merge.cuh"

namespace gs {

// passGrid orders the keys by the digits that vary, from the lowest. At its start the encoded keys are in registers.
//
// A pass has two barriers of the grid, the last pass only the first of them. At the first one, in countGrid, every
// block holds its keys in registers and has published its totals. Then blocks write keys where other blocks' keys were.
// Behind the second one, gridSync below, each block reads its new share.
template <typename G>
GS_DEVICE void passGrid(const GridShared<G>& s, const GridArgs& a, const Share& share, const Bounds<KeyOf<G>>& bounds,
                        TileKeys<G>& t) {
  typedef typename G::Key K;
  const Passing<K> by(bounds);
  const u32 held = share.held(a.n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < held) t.k[i] -= by.low;
  }
#pragma unroll 1
  for (u32 pass = 0; pass < sizeof(K); pass++) {
    if (!by.passes(pass)) continue;
    const DigitOf<K> digitOf(pass), digitAgain = digitOf.again();
    countGrid(s, a, share, [&](u32 i) { return digitOf(t.k[i]); }, [&](u32 i) { return digitAgain(t.k[i]); },
              [](u32, u32) {}, t);
    const bool last = pass + 1 == sizeof(K) || u64(by.varying) >> (kDigitBits * (pass + 1)) == 0;
    writeTile(s, a, share, [&](u32, K key) { return digitAgain(key); }, last, by.low);
    if (last) return;
    gridSync();
    reloadTile(t, a, share);
  }
}

// passAside is passGrid of the keys that putAside left in shared memory. It is not inlined: see passParts. A barrier
// must come before it.
template <typename G> GS_COLD void passAside(const GridDigits<KeyOf<G>>* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const GridShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G>(s, a.n, t);
  passGrid<G>(s, a, share, digits->bounds, t);
}

// GridBytes is a grid's dynamic shared memory. Splitters lie behind everything else, as they are needed while
// GridShared and TileShared are used.
template <typename G> struct GridBytes {
  static constexpr u32 kSplitters =
      (GridShared<G>::kBytes > TileShared<G>::kBytes ? GridShared<G>::kBytes : TileShared<G>::kBytes) + 15 & ~15u;
  static constexpr u32 kAll = kSplitters + (kMerges<G> ? Splitters<KeyOf<G>>::kBytes : 0);
};

// sortGrid sorts 1 <= n <= gridDim · kTile items stably.
template <typename G> GS_DEVICE void sortGrid(const GridArgs& a) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  __shared__ GridDigits<K> digits;
  const GridShared<G> s(dynamicShared);
  const K* const keys = static_cast<const K*>(a.keysIO);
  const Share share = shareOf<G>(a.n);
  TileKeys<G> t;
  loadTile<G>(t, share, keys, static_cast<const V*>(a.valuesIO), a.n, a.mode);
  const K sample = firstKey<K>(a.codec, keys);
  const Bounds<K> own = blockBounds<G>(s.warpBounds, encodeTile<G>(t, share, a.n, a.codec, sample));
  u64* const mine = a.bounds + blockIdx.x;
  if (threadIdx.x == 0) mine[0] = own.least, mine[gridDim.x] = own.most, mine[2 * gridDim.x] = own.differ;
  if constexpr (kMaySplit<G>) {
    if constexpr (!G::kPairs) clearSums<G>(a);
    leaveSample<G>(a, share, t, sample);
    if (threadIdx.x < kDigits) s.base[threadIdx.x] = 0;  // where isUneven counts
    clearRows<G>(s.counts);
  }
  gridSync();
  Bounds<K> of = Bounds<K>::none();  // of some of the blocks
#pragma unroll 1
  for (u32 b = threadIdx.x; b < gridDim.x; b += G::kThreads) {
    const K least = K(__ldcg(a.bounds + b)), most = K(__ldcg(a.bounds + gridDim.x + b));
    of.least = least < of.least ? least : of.least, of.most = most > of.most ? most : of.most;
    of.differ |= K(__ldcg(a.bounds + 2 * gridDim.x + b));
  }
  const TopProbe<G> probe(a, share);
  const Bounds<K> bounds = blockBounds<G>(s.warpBounds, of);
  if (bounds.differ == 0) {  // all keys equal: in order as they are
    notePath<G>(a, kPathEqual);
    if (a.mode == kModeArgsort) storeTile<G>(t, share, nullptr, static_cast<V*>(a.valuesIO), a.n, a.codec, a.mode);
    return;
  }
  if constexpr (!kMaySplit<G>) {
    notePath<G>(a, kPathPasses);
    passGrid<G>(s, a, share, bounds, t);
  } else {
    if (threadIdx.x == 0) digits.bounds = bounds, digits.tried = 0, digits.args = a;
    const Intervals<K> top = topDigit(bounds);
    bool moved = bounds.top() > kDigitBits && !probe.isUneven(s.base, a, share, top.low, top.shift);
    if (moved) moved = splitByTop<G>(s, a, share, top, t, digits);
    else putAside<G>(s, share, t);
    if (moved) {
      notePath<G>(a, kPathBins);
      const bool uneven = sortDigits<G>(a, digits, G::kTile, [&](const PartFrom<G>& p, u32 from, u32 to) {
        return sortPart<G>(p, binsOfDigits<G>(topDigit(digits.bounds), from, to - 1));
      });
      if (uneven) passParts<G>(&digits);
      return;
    }
    __syncthreads();
    if constexpr (kMerges<G>) {
      if (isMerged<G>(a, share, digits.bounds) &&
          mergeGrid<G>(&digits, reinterpret_cast<char*>(dynamicShared) + GridBytes<G>::kSplitters)) {
        notePath<G>(a, kPathMerged);
        return;
      }
    }
    notePath<G>(a, kPathPasses);
    passAside<G>(&digits);
  }
}

}  // namespace gs

#endif
