// A whole sort in one block and one launch: keys are split into bins, and each is compared
// with the others of its bin. Where skew would fill bins, keys' orders of magnitude or a model of them make others;
// where that does not help, bins of one value each are left as they are or put in order of places, others that are
// too large are split further. Where few digits vary, keys that would overfill bins pass by these.
#ifndef GS_BLOCK_BINS
#define GS_BLOCK_BINS

#include "block/overfullbins.cuh"

namespace gs {

// A thread's first key and another, some 32 or 64 places further, are equal in so many threads: with more than
// kEqualPassed, keys alone pass by a digit more than kPassedDigits, with more than kSomeEqual if it is one distance
// at which they are (isRegular): a model tells no squares apart, but what comes back by chance it does. With more
// than kEqualPairsPassed, pairs pass without a probe of bins, which take less if they have fewer keys.
constexpr u32 kEqualPassed = 64, kSomeEqual = 24, kEqualPairsPassed = 64;

// isRegular: of three distances one has less than a sixth of the equal keys.
GS_DEVICE bool isRegular(u32 atOne, u32 equal) { return 6 * atOne < equal; }

// sortBlock sorts 1 <= n <= kTile items stably. Launch: one block of kThreads
// threads, TileShared<G>::kBytes of dynamic shared memory.
template <typename G> GS_DEVICE void sortBlock(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  const TileShared<G> s = sharedOfBlock<G>();
  K* const keys = static_cast<K*>(keysIO);
  V* const values = static_cast<V*>(valuesIO);
  const Share share = shareOfBlock<G>(n);
  TileKeys<G> t;
  loadTile<G>(t, share, keys, values, n, mode);
  const K sample = firstKey<K>(codec, keys);
  clearBins<G>(s);
  const K varying = blockVarying<G>(s.warpVarying, encodeTile<G>(t, share, n, codec, sample));
  if (varying == 0) {
    // All keys are equal: pairs, too, are in order as they are.
    if (G::kPairs && mode == kModeArgsort) storeTile<G>(t, share, keys, values, n, codec, mode);
    return;
  }
  const BlockSort<G> a = {keys, values, n, codec, mode, varying, sample};
  const Bins<K> bins = a.bins();
  const u32 digits = digitsVarying(varying);
  bool models = kModels<G>, passes = kPassesOne<G> && digits == 1, runs = false;
  if constexpr (kModels<G>) {
    u32 alike = 0;
    if constexpr (kPassesOverfull<G>) {
      if (!passes) {
        // Regular inputs repeat at some distance: equal keys are looked for 32 and 64 places further, and some places
        // before or behind 64, as the warp's number has it; of pairs beside them, too.
        const bool differ = isAlike<G>(t, share, n, bins.shift);
        const u32 held = share.held(n);
        const K other = G::kPairs ? __shfl_xor_sync(kAllLanes, t.k[0], 1) : __shfl_xor_sync(kAllLanes, t.k[2], threadIdx.x / 32);
        const bool repeats = held > (G::kPairs ? 0u : 2u) && other == t.k[0], same = (held > 1 && t.k[1] == t.k[0]) || (held > 2 && t.k[2] == t.k[0]);
        if (u32(__syncthreads_count(differ || same || repeats)) > kOverfullPairs) {
          alike = u32(__syncthreads_count(differ));
          if constexpr (G::kPairs) {
            if (digits <= kPassedDigits) passes = u32(__syncthreads_count(same)) > kEqualPairsPassed;
            runs = 4 * u32(__syncthreads_count(repeats)) > 3 * (n < G::kThreads ? n : G::kThreads);
          } else if (bins.shift != 0) {
            passes = digits <= kPassedDigits;
            if (digits == kPassedDigits + 1) {
              const u32 equal = u32(__syncthreads_count(same || repeats));
              passes = equal > kEqualPassed;
              if (!passes && equal > kSomeEqual) passes = isRegular(u32(__syncthreads_count(repeats)), equal);
            }
          }
        }
      }
    } else {
      alike = u32(__syncthreads_count(isAlike<G>(t, share, n, bins.shift)));
    }
    if (!passes && alike > kOverfullPairs) {
      if (sortFewValues<G>(s, share, n, t, keys, values, codec, mode)) return;
      if (sortByModel<G>(s, share, n, a.top(), varying, bins.low, t, keys, values, codec, mode)) return;
      models = false;
    }
  }
  if (passes) {
    passBlock<G>(a, s, share, t);
    return;
  }
  Ranks<G> ranks;
  const u32 overfull = countTile<G, kSomeInBin<G>>(s, bins, share, n, t, ranks.of, runs);
  if (overfull != 0) {
    if constexpr (kCallsOverfull<G>) endOverfullApart<G>(a, t, ranks, overfull, models, runs);
    else endOverfull<G>(a, s, share, t, ranks, overfull, models, runs);
    return;
  }
  fillBins<G>(s, bins, share, n, t, ranks.of);
  placeInBins<G>(s, bins, keys, values, n, codec, mode);
}

}  // namespace gs

#endif
