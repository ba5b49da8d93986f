// A tile sorted by its keys' orders of magnitude or a model of them.
#ifndef GS_BLOCK_MODELLED
#define GS_BLOCK_MODELLED

#include "block/magnitudebins.cuh"
#include "block/modelbins.cuh"

namespace gs {

// sortByModel sorts a tile by magnitudes or a model of its keys, which vary below bit `top`, or returns false, in all
// threads, with bins cleared. low is the bits above, of all. Begins after a barrier and, if false, ends with one.
template <typename G>
GS_DEVICE bool sortByModel(const TileShared<G>& s, const Share& share, u32 n, u32 top, u64 varying, typename G::Key low, TileKeys<G>& t, typename G::Key* keys,
                           typename G::Value* values, u32 codec, u32 mode) {
  typedef typename G::Key K;
  typedef ModelShared<K> Model;
  static_assert(TileShared<G>::kTotals + Model::kBytes <= TileShared<G>::kFrom && Model::kSumBytes <= 4 * kDigits, "fits");
  static_assert(TileShared<G>::kTotals + Magnitudes<K>::kBytes <= TileShared<G>::kFrom, "fits");
  u32 bin[G::kItems], rank[G::kItems];
  const K shift = modelShift<K>(codec);
  bool whole = true;
  if constexpr (sizeof(K) == 8) {
    // A shifted float may differ from its encoded key in any bit.
    const Prefix<G> prefix(varying, shift == 0 ? low : 0, shift == 0 ? top : 64);
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
    if (!fits) fits = overfullAreEqual<G>(s, Model::kMostInBin, [&](u32 i) { return bin[i]; }, share, n, t, rank);
  }
  if (fits) {
    placeModelled<G, Model>(s, share, n, t, bin, rank, keys, values, codec, mode);
    return true;
  }
  clearBins<G>(s);
  __syncthreads();
  return false;
}

}  // namespace gs

#endif
