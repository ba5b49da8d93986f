// A whole sort in one block and one launch: keys are split into bins, and each is compared
// with the others of its bin. Where skew would fill bins, keys' orders of magnitude or a model of them make others; where that
// does not help, bins of one value each are left as they are or put in order of places, others that are too
// large are split further. Where few digits vary, keys that would crowd pass by these.
#ifndef GS_BLOCK_BINS
#define GS_BLOCK_BINS

#include "block/crowds.cuh"
#include "block/digits.cuh"
#include "block/magnitudebins.cuh"
#include "block/merge_small.cuh"
#include "block/modelbins.cuh"
#include "block/numbers.cuh"
#include "block/refine.cuh"

namespace gs {

// Pairs with keys of up to 32 bits pass by digits, at most four: their bins, which
// must also tell places apart, take longer to refine (measured: docs/rfcs/0005).
template <typename G> constexpr bool kRefines = !G::kPairs || sizeof(typename G::Key) == 8;

// kMostCompared is the most pairs of one value that places are compared of; more are a crowd, of which a tile has fewer than digits.
constexpr u32 kMostCompared = 24;

// kPassesCrowded: crowded tiles pass by digits if at most kPassedDigits vary. kPassesOne: pairs pass by the only digit that varies. A pass takes 2 µs, as do
// bins of even keys, a model or refining 3 to 5; passes of 64-bit keys take longer, and code of both ways than of one (measured: docs/rfcs/0008).
template <typename G> constexpr bool kPassesCrowded = kModels<G> && sizeof(typename G::Key) == 4;
template <typename G> constexpr bool kPassesOne = G::kPairs && sizeof(typename G::Key) <= 4;
constexpr u32 kPassedDigits = 2;

// A thread's first key and another, some 32 or 64 places further, are equal in so many threads: with more than kEqualPassed, keys alone pass by a digit more than
// kPassedDigits; with more than kEqualPairsPassed, pairs pass without a look at bins, which take less if they have fewer keys.
constexpr u32 kEqualPassed = 24, kEqualPairsPassed = 64;

// kMostComparisons a key take less than what else there is if no bin has more than kMostInBin keys, kFewComparisons if some have, up to kMostDeep (measured:
// docs/rfcs/0008).
constexpr u32 kMostComparisons = 40, kFewComparisons = 24, kMostDeep = 256;
GS_DEVICE bool isCompared(const BinLoad& load, u32 n) {
  return load.most <= kMostDeep && load.comparisons <= (load.most <= kMostInBin ? kMostComparisons : kFewComparisons) * n;
}

// kSomeCrowded: where more threads have bins of more than kSomeInBin keys alone, bins of one value are told apart first.
constexpr u32 kSomeCrowded = 48;

// kFewSample keys tell whether a tile has few values: each of 20 has come twice among them. More would have others wait longer that are asked in vain.
constexpr u32 kFewSample = 256;

// fewComeOnce says, in all threads, whether of kFewSample keys, one of each of the first threads, few are alone in their warp: of 13 values 20 are, of
// 20 values 51, of AND-ed words of 32 bits with an entropy of 0.201, which repeat as much, 133. One barrier.
template <typename K> GS_DEVICE bool fewComeOnce(K key) {
  bool alone = threadIdx.x < kFewSample;
  if (alone) {
#pragma unroll 1
    for (u32 apart = 1; apart < 32; apart++) {
      const K other = __shfl_xor_sync(kAllLanes, key, apart);  // by all lanes
      alone &= key != other;
    }
  }
  return u32(__syncthreads_count(alone)) < kFewSample * 2 / 5;
}

// sortFewValues sorts a tile of few values, some of which lie in one bin, so that these are crowds of several, by their numbers, or returns false, in all
// threads, with bins cleared. Begins after a barrier and, if false, ends with one.
template <typename G>
GS_DEVICE bool sortFewValues(const TileShared<G>& s, const Share& share, u32 n, TileKeys<G>& t, typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  typedef typename G::Key K;
  const bool held = share.slot() < n;
  if (!repeatsOf<G::kThreads>(t.k[0], held).isFew() || !fewComeOnce(t.k[0])) return false;
  static_assert(Numbers<K>::kBytes <= G::kTile * sizeof(K) && kFewSample <= G::kThreads, "fits where keys are exchanged");
  const Numbers<K> set(s.keys);
  const auto next = [&](u32, bool& valid) {
    valid = held && threadIdx.x < kFewSample;
    return t.k[0];
  };
  if (!numberKeys<G::kThreads, K>(set, true, 1, next)) return false;
  PackedDigits<G::kItems> digits;
  numberTile<G>(set, share, share.slot(), n, t, digits);
  if (passByNumbers<G>(s, Alone(), share, n, digits, t)) {
    storeTile<G>(t, share, keys, values, n, codec, mode);
    return true;
  }
  clearBins<G>(s);
  __syncthreads();
  return false;
}

// sortByModel sorts a tile by magnitudes or a model of its keys, which vary below bit `top`, or returns false, in all threads, with bins cleared. low is the
// bits above, of all. Begins after a barrier and, if false, ends with one.
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
    // A shifted float may differ from its image in any bit.
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
    if (!fits) fits = crowdsAreEqual<G>(s, Model::kMostInBin, [&](u32 i) { return bin[i]; }, share, n, t, rank);
  }
  if (fits) {
    placeModelled<G, Model>(s, share, n, t, bin, rank, keys, values, codec, mode);
    return true;
  }
  clearBins<G>(s);
  __syncthreads();
  return false;
}

// sortUnseen sorts a tile of pairs, a few of whose bins are crowded, which the look did not see: keys are where they were. A function that reads them again,
// so that nothing outlives what comes before in others. Begins without a barrier.
template <typename G> GS_COLD void sortUnseen(typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode, u64 varying, typename G::Key sample) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const Share share(G::kThreads, (n + G::kThreads - 1) / G::kThreads, 0);
  const u32 top = 64 - __clzll(varying);
  TileKeys<G> t;
  loadTile<G>(t, share, keys, values, n, mode);
  __syncthreads();  // bins have been compared
  clearBins<G>(s);
  encodeTile<G>(t, share, n, codec, sample);
  __syncthreads();
  if (sortFewValues<G>(s, share, n, t, keys, values, codec, mode)) return;
  if (sortByModel<G>(s, share, n, top, varying, K(lowest(sample, top)), t, keys, values, codec, mode)) return;
  digitPasses<G>(s, Alone(), share, varying, t);
  storeTile<G>(t, share, keys, values, n, codec, mode);
}

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
  const u32 top = 64 - __clzll(varying), digits = digitsVarying(varying);
  const Bins<K> bins = {lowest(sample, top), shiftFor<G>(top)};
  bool models = kModels<G>, passes = kPassesOne<G> && digits == 1, unseen = false, runs = false;
  if constexpr (kModels<G>) {
    u32 alike = 0;
    if constexpr (kPassesCrowded<G>) {
      if (!passes) {
        // Regular inputs repeat at some distance: equal keys are looked for 32 and 64 places further, and some places before or behind 64, as the warp's
        // number has it; of pairs beside them, too.
        const bool differ = isAlike<G>(t, share, n, bins.shift);
        const u32 held = share.held(n);
        const K other = G::kPairs ? __shfl_xor_sync(kAllLanes, t.k[0], 1) : __shfl_xor_sync(kAllLanes, t.k[2], threadIdx.x / 32);
        const bool repeats = held > (G::kPairs ? 0u : 2u) && other == t.k[0], same = (held > 1 && t.k[1] == t.k[0]) || (held > 2 && t.k[2] == t.k[0]);
        if (u32(__syncthreads_count(differ || same || repeats)) > kCrowdedPairs) {
          alike = u32(__syncthreads_count(differ));
          const u32 equal = u32(__syncthreads_count(same || (!G::kPairs && repeats)));
          if constexpr (G::kPairs) {
            passes = digits <= kPassedDigits && equal > kEqualPairsPassed;
            runs = 4 * u32(__syncthreads_count(repeats)) > 3 * (n < G::kThreads ? n : G::kThreads);
          } else {
            passes = bins.shift != 0 && digits <= kPassedDigits + (equal > kEqualPassed);
          }
        }
      }
    } else {
      alike = u32(__syncthreads_count(isAlike<G>(t, share, n, bins.shift)));
    }
    if (!passes && alike > kCrowdedPairs) {
      if (sortFewValues<G>(s, share, n, t, keys, values, codec, mode)) return;
      if (sortByModel<G>(s, share, n, top, varying, bins.low, t, keys, values, codec, mode)) return;
      models = false;
    }
  }
  const auto large = [&](const u32(&rank)[G::kItems], u32 crowded) {
    if constexpr (kWeighs<G>) {
      if ((G::kPairs || crowded <= kSomeCrowded) && isCompared(binLoad<G, false>(s), n)) {
        fillBins<G>(s, bins, share, n, t, rank);
        if (kCountsAlike<G> && runs) {
          markDisordered<G>(s, bins, n);
          placeInBins<G, true, true>(s, bins, keys, values, n, codec, mode);
        } else {
          placeInBins<G, G::kPairs || sizeof(K) == 8>(s, bins, keys, values, n, codec, mode);
        }
        return;
      }
      passes = kPassesCrowded<G> && digits <= kPassedDigits;
      if (passes) return;
      if constexpr (!G::kPairs) {
        const BinLoad load = markMixed<G>(s, bins, share.held(n), t, rank) ? binLoad<G, true>(s) : BinLoad{0, 0};
        if (load.most <= kMostInBin || isCompared(load, n)) {
          placeMarked<G>(s, bins, share, n, t, rank, keys, codec);
          return;
        }
        unmark<G>(s);
      }
    }
    if constexpr (kMergesTile<G>) {
      if (n <= kMergedTile || (sizeof(K) == 8 && isFloat(codec))) {
        mergeTile<G>(s, share, n, t, keys, values, codec, mode);
        return;
      }
    }
    if constexpr (!kRefines<G>) {
      const bool equal = crowdsAreEqual<G>(s, kMostCompared, [&](u32 i) { return bins(t.k[i]); }, share, n, t, rank);
      unseen = !equal && models, passes = !equal && !models;
      if (equal) placePairsOfCrowds<G, kMostCompared>(s, bins, share, n, t, rank, keys, values, codec, mode);
    }
    if constexpr (kRefines<G> && sizeof(K) > 1) refine<G>(s, bins, varying, share, n, t, rank, keys, values, codec, mode);
  };
  if (!passes && splitTile<G, kSomeInBin<G>>(s, bins, share, n, t, large, runs)) {
    placeInBins<G>(s, bins, keys, values, n, codec, mode);
  } else if (passes) {
    digitPasses<G>(s, Alone(), share, varying, t);
    storeTile<G>(t, share, keys, values, n, codec, mode);
  }
  if constexpr (kModels<G> && !kRefines<G>) {
    if (unseen) sortUnseen<G>(keys, values, n, codec, mode, varying, sample);
  }
}

}  // namespace gs

#endif
