// A whole sort in one block and one launch: keys are split into bins. Bins that
// skew fills are split further, or all keys are merged, or pass by digits.
#ifndef GS_BLOCK_BINS
#define GS_BLOCK_BINS

#include "block/crowds.cuh"
#include "block/digits.cuh"
#include "block/refine.cuh"

namespace gs {

// Pairs with keys of up to 32 bits pass by digits, at most four: their bins, which
// must also tell places apart, take longer to refine (measured: docs/rfcs/0005).
template <typename G> constexpr bool kRefines = !G::kPairs || sizeof(typename G::Key) == 8;

// Keys of 32 bits alone are merged, in the larger of the two tiles: the smaller
// would keep two warps busy, and a comparator of 64 bits takes three times the
// instructions (counted: docs/rfcs/0005).
template <typename G> constexpr bool kMerges = !G::kPairs && sizeof(typename G::Key) == 4 && G::kTile == 4096;

// kFewCrowds bounds the crowds that are refined where others are merged: what
// refining takes grows with them, merging takes the same time. Keys by Zipf's law
// fill 3 to 6, which refined end 1.2 µs sooner, keys of low entropy thirteen,
// which merged end 1.2 to 2.2 µs sooner (measured: docs/rfcs/0005).
constexpr u32 kFewCrowds = 8;

// sortBlock sorts 1 <= n <= kTile items stably. Launch: one block of kThreads
// threads, TileShared<G>::kBytes of dynamic shared memory.
template <typename G> GS_DEVICE void sortBlock(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  K* const keys = static_cast<K*>(keysIO);
  V* const values = static_cast<V*>(valuesIO);
  const Share share(G::kThreads, (n + G::kThreads - 1) / G::kThreads, 0);
  TileKeys<G> t;
  K sample = keys[0];
  loadTile<G>(t, share, keys, values, n, mode);
  clearBins<G>(s);
  sample = encode(codec, sample);
  const u64 varying = blockVarying<G>(s.warpVarying, encodeTile<G>(t, share, n, codec, sample));
  // The bits above the highest varying one are the same in all keys: the bits
  // from there down number the bins in the keys' order.
  const u32 top = 64 - __clzll(varying);
  const Bins<K> bins = {lowest(sample, top), shiftFor<G>(top)};
  const auto large = [&](const u32(&rank)[G::kItems], u32 crowds) {
    if constexpr (kMerges<G>) {
      if (crowds <= kFewCrowds) {
        refine<G>(s, bins, varying, share, n, t, rank, keys, values, codec, mode);
      } else if (crowdsAreEqual<G>(s, bins, share, n, t, rank)) {
        placeEqualCrowds<G>(s, bins, share, n, t, rank, keys, codec);
      } else {
        sortByMerging<G>(s, share, n, t, keys, codec);
      }
    } else if constexpr (kRefines<G> && sizeof(K) > 1) {
      refine<G>(s, bins, varying, share, n, t, rank, keys, values, codec, mode);
    }
  };
  if (splitTile<G>(s, bins, share, n, t, large)) {
    placeInBins<G>(s, bins, keys, values, n, codec, mode);
  } else if constexpr (!kRefines<G>) {
    digitPasses<G>(s, Alone(), share, varying, t);
    storeTile<G>(t, share, keys, values, n, codec, mode);
  }
}

}  // namespace gs

#endif
