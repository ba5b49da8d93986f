// A whole sort in one block and one launch: keys are split into bins. Where skew
// would fill them, their orders of magnitude or a model of them make others; where that does not help, bins
// of one value each are left as they are or put in order of places, others that are too
// large are split further, or keys pass by digits.
#ifndef GS_BLOCK_BINS
#define GS_BLOCK_BINS

#include "block/crowds.cuh"
#include "block/digits.cuh"
#include "block/magnitudebins.cuh"
#include "block/merge_small.cuh"
#include "block/modelbins.cuh"
#include "block/refine.cuh"

namespace gs {

// Pairs with keys of up to 32 bits pass by digits, at most four: their bins, which
// must also tell places apart, take longer to refine (measured: docs/rfcs/0005).
template <typename G> constexpr bool kRefines = !G::kPairs || sizeof(typename G::Key) == 8;

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
  if (varying == 0) {
    // All keys are equal: pairs, too, are in order as they are.
    if (G::kPairs && mode == kModeArgsort) storeTile<G>(t, share, keys, values, n, codec, mode);
    return;
  }
  // The bits above the highest varying one are the same in all keys: the bits
  // from there down number the bins in the keys' order.
  const u32 top = 64 - __clzll(varying);
  const Bins<K> bins = {lowest(sample, top), shiftFor<G>(top)};
  if constexpr (kModels<G>) {
    if (u32(__syncthreads_count(isAlike<G>(t, share, n, bins.shift))) > kCrowdedPairs) {
      static_assert(TileShared<G>::kTotals + ModelShared<K>::kBytes <= TileShared<G>::kFrom && ModelShared<K>::kSumBytes <= 4 * kDigits, "fits");
      typedef ModelShared<K> Model;
      u32 bin[G::kItems], rank[G::kItems];
      const K shift = modelShift<K>(codec);
      static_assert(TileShared<G>::kTotals + Magnitudes<K>::kBytes <= TileShared<G>::kFrom, "fits");
      bool whole = true;
      if constexpr (sizeof(K) == 8) {
        // A shifted float may differ from its image in any bit.
        const Prefix<G> prefix(varying, shift == 0 ? bins.low : 0, shift == 0 ? top : 64);
        if (tellsApart<G>(prefix, t, share, n)) {
          whole = false;
          if (!binsByMagnitude<G>(s.totals, codec, top, share, n, t, bin)) {
            shiftKeys<G>(t, shift);
            binsByPrefix<G>(s.totals, s.base, prefix, share, n, t, shift, bin);
            shiftKeys<G>(t, K(0) - shift);
          }
        }
      }
      if (whole) {
        const Model m(s.totals, s.base);
        shiftKeys<G>(t, shift);
        modelTile<G>(m, share, n, t);
        binsOfTile<G>(m, share, n, t, shift, bin);
        shiftKeys<G>(t, K(0) - shift);
      }
      bool fits = !countInBins<G, Model>(s, share, n, bin, rank);
      if constexpr (!G::kPairs) {
        if (!fits) fits = crowdsAreEqual<G, Model::kMostInBin>(s, [&](u32 i) { return bin[i]; }, share, n, t, rank);
      }
      if (fits) {
        placeModelled<G, Model>(s, share, n, t, bin, rank, keys, values, codec, mode);
        return;
      }
      clearBins<G>(s);
      __syncthreads();
    }
  }
  bool passes = false;
  const auto large = [&](const u32(&rank)[G::kItems]) {
    if constexpr (kModels<G> && !G::kPairs) {
      if (crowdsAreEqual<G>(s, [&](u32 i) { return bins(t.k[i]); }, share, n, t, rank)) {
        placeEqualCrowds<G>(s, bins, share, n, t, rank, keys, codec);
        return;
      }
    }
    if constexpr (kMergesTile<G>) {
      if (n <= kMergedTile || (sizeof(K) == 8 && isFloat(codec))) {
        mergeTile<G>(s, share, n, t, keys, values, codec, mode);
        return;
      }
    }
    if constexpr (!kRefines<G>) {
      passes = !crowdsAreEqual<G>(s, [&](u32 i) { return bins(t.k[i]); }, share, n, t, rank);
      if (!passes) placePairsOfCrowds<G>(s, bins, share, n, t, rank, keys, values, codec, mode);
    }
    if constexpr (kRefines<G> && sizeof(K) > 1) refine<G>(s, bins, varying, share, n, t, rank, keys, values, codec, mode);
  };
  if (splitTile<G>(s, bins, share, n, t, large)) {
    placeInBins<G>(s, bins, keys, values, n, codec, mode);
  } else if (passes) {
    digitPasses<G>(s, Alone(), share, varying, t);
    storeTile<G>(t, share, keys, values, n, codec, mode);
  }
}

}  // namespace gs

#endif
