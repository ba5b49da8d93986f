// Crowded bins of keys alone that hold one value each: their keys are in order
// as they are, in whatever order they came.
#ifndef GS_BLOCK_CROWDS
#define GS_BLOCK_CROWDS

#include "block/split.cuh"

namespace gs {

// crowdsAreEqual returns, in all threads, whether each bin of more than kMost keys
// holds one value. binOf(i) is the bin of a thread's i-th key. Some
// of the keys are looked at first, which in a skewed tile finds two values. Keys'
// place in shared memory is used for a sample of each bin. Ends with a barrier.
template <typename G, u32 kMost = kMostInBin, typename BinOf>
GS_DEVICE bool crowdsAreEqual(const TileShared<G>& s, BinOf binOf, const Share& share, u32 n, const TileKeys<G>& t, const u32 (&rank)[G::kItems]) {
  const u32 held = share.held(n);
  const auto differs = [&](u32 i) {
    if (i >= held) return false;
    const u32 bin = binOf(i);
    return s.keys[bin] != t.k[i] && s.bins[bin + 1] - s.bins[bin] > kMost;
  };
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < held && rank[i] == 0) s.keys[binOf(i)] = t.k[i];
  }
  __syncthreads();
  if (__syncthreads_or(differs(0))) return false;
  bool differ = false;
#pragma unroll
  for (u32 i = 1; i < G::kItems; i++) differ |= differs(i);
  return !__syncthreads_or(differ);
}

// placeEqualCrowds ends what splitTile began if crowdsAreEqual: it writes out the
// n keys of a share that begins at 0. The keys of a crowd stay in any order.
template <typename G>
GS_DEVICE void placeEqualCrowds(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t,
                                const u32 (&rank)[G::kItems], typename G::Key* keys, u32 codec) {
  fillBins<G>(s, bins, share, n, t, rank);
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 j = threadIdx.x; j < n; j += G::kThreads) {
    const typename G::Key key = s.keys[j];
    const u32 bin = bins(key), first = s.bins[bin], end = s.bins[bin + 1];
    keys[end - first > kMostInBin ? j : rankInBin<G>(s, j, key, first, end)] = decode(codec, key);
  }
}

}  // namespace gs

#endif
