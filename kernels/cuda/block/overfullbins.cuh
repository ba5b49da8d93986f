// One block's tile some of whose bins are overfull: bins are compared, or passed by digits, or told apart by their
// values, or merged, or split further.
#ifndef GS_BLOCK_OVERFULLBINS
#define GS_BLOCK_OVERFULLBINS

#include "block/equalbins.cuh"
#include "block/digits.cuh"
#include "block/fewvalues.cuh"
#include "block/merge_small.cuh"
#include "block/modelled.cuh"
#include "block/refine.cuh"

namespace gs {

// Pairs with keys of up to 32 bits pass by digits, at most four: their bins, which
// must also tell places apart, take longer to refine (measured).
template <typename G> constexpr bool kRefines = !G::kPairs || sizeof(typename G::Key) == 8;

// kMostCompared is the most pairs of one value that places are compared of; more are an overfull bin, of which a tile
// has fewer than digits.
constexpr u32 kMostCompared = 24;

// kMostComparisons a key take less than what else there is if no bin has more than kMostInBin keys, kFewComparisons
// if some have, up to kMostDeep (measured).
constexpr u32 kMostComparisons = 40, kFewComparisons = 24, kMostDeep = 256;
GS_DEVICE bool isCompared(const BinLoad& load, u32 n) {
  return load.most <= kMostDeep && load.comparisons <= (load.most <= kMostInBin ? kMostComparisons : kFewComparisons) * n;
}

// kSomeOverfull: where more threads have bins of more than kSomeInBin keys alone, bins of one value are told apart
// first.
constexpr u32 kSomeOverfull = 48;

// kPassesOverfull: overfull tiles pass by digits if at most kPassedDigits vary. kPassesOne: pairs pass by the only
// digit that varies. A pass takes 2 µs, as do bins of uniform keys, a model or refining 3 to 5; passes of 64-bit keys
// take longer, and code of both paths than of one (measured).
template <typename G> constexpr bool kPassesOverfull = kModels<G> && sizeof(typename G::Key) == 4;
template <typename G> constexpr bool kPassesOne = G::kPairs && sizeof(typename G::Key) <= 4;
constexpr u32 kPassedDigits = 2;

// BlockSort is what a sort of one block is of, and what its first probe has found: the bits in which keys differ and
// one key, encoded.
template <typename G> struct BlockSort {
  typename G::Key* keys;
  typename G::Value* values;
  u32 n, codec, mode;
  typename G::Key varying, sample;
  GS_DEVICE u32 top() const { return 64 - __clzll(u64(varying)); }
  // The bits above the highest varying one are the same in all keys: the bits from there down number the bins in the
  // keys' order.
  GS_DEVICE Bins<typename G::Key> bins() const { return {lowest(sample, top()), shiftFor<G>(top())}; }
};

// sharedOfBlock is the tile in the launch's dynamic shared memory. A register keeps its address, which depends on
// which block of its cluster this is: the machine would be asked for that again and again.
template <typename G> GS_DEVICE TileShared<G> sharedOfBlock() {
  extern __shared__ uint4 dynamicShared[];
  return TileShared<G>(inOneRegister(reinterpret_cast<u32*>(&dynamicShared[0])));
}
template <typename G> GS_DEVICE Share shareOfBlock(u32 n) { return Share(G::kThreads, (n + G::kThreads - 1) / G::kThreads, 0); }

// passBlock sorts by the digits that vary.
template <typename G> GS_DEVICE void passBlock(const BlockSort<G>& a, const TileShared<G>& s, const Share& share, TileKeys<G>& t) {
  digitPasses<G>(s, Alone(), share, a.varying, t);
  storeTile<G>(t, share, a.keys, a.values, a.n, a.codec, a.mode);
}

// sortUnseen sorts a tile of pairs, a few of whose bins are overfull, which the probe did not see: keys are where
// they were. A function that reads them again, so that nothing outlives what comes before in others. Begins without a
// barrier.
template <typename G> GS_COLD void sortUnseen(const BlockSort<G> a) {
  const TileShared<G> s = sharedOfBlock<G>();
  const Share share = shareOfBlock<G>(a.n);
  TileKeys<G> t;
  loadTile<G>(t, share, a.keys, a.values, a.n, a.mode);
  __syncthreads();  // bins have been compared
  clearBins<G>(s);
  encodeTile<G>(t, share, a.n, a.codec, a.sample);
  __syncthreads();
  if (sortFewValues<G>(s, share, a.n, t, a.keys, a.values, a.codec, a.mode)) return;
  if (sortByModel<G>(s, share, a.n, a.top(), a.varying, a.bins().low, t, a.keys, a.values, a.codec, a.mode)) return;
  passBlock<G>(a, s, share, t);
}

// kCallsOverfull: what ends a sort whose bins are overfull is a function, so that the paths of others lie together:
// code that runs once waits for memory, and longer behind a jump than where it goes on. For 64-bit keys a call takes
// more than it saves (measured).
template <typename G> constexpr bool kCallsOverfull = sizeof(typename G::Key) == 4;

// Ranks are the numbers of a thread's keys in their bins.
template <typename G> struct Ranks { u32 of[G::kItems]; };

// endOverfull ends what countTile began of a tile some of whose bins are overfull: overfull is what it returned.
// models: models have not been tried.
template <typename G> GS_DEVICE void endOverfull(const BlockSort<G>& a, const TileShared<G>& s, const Share& share, TileKeys<G>& t, const Ranks<G>& ranks, u32 overfull, bool models,
                                                    bool runs) {
  typedef typename G::Key K;
  const Bins<K> bins = a.bins();
  const u32 (&rank)[G::kItems] = ranks.of;
  const u32 n = a.n;
  if constexpr (kWeighs<G>) {
    if ((G::kPairs || overfull <= kSomeOverfull) && isCompared(binLoad<G, false>(s), n)) {
      fillBins<G>(s, bins, share, n, t, rank);
      if (kCountsAlike<G> && runs) {
        markDisordered<G>(s, bins, n);
        placeInBins<G, true, true>(s, bins, a.keys, a.values, n, a.codec, a.mode);
      } else {
        placeInBins<G, G::kPairs || sizeof(K) == 8>(s, bins, a.keys, a.values, n, a.codec, a.mode);
      }
      return;
    }
    if (kPassesOverfull<G> && digitsVarying(a.varying) <= kPassedDigits) {
      passBlock<G>(a, s, share, t);
      return;
    }
    if constexpr (!G::kPairs) {
      const BinLoad load = markMixed<G>(s, bins, share.held(n), t, rank) ? binLoad<G, true>(s) : BinLoad{0, 0};
      if (load.most <= kMostInBin || isCompared(load, n)) {
        placeMarked<G>(s, bins, share, n, t, rank, a.keys, a.codec);
        return;
      }
      unmark<G>(s);
    }
  }
  if constexpr (kMergesTile<G>) {
    if (n <= kMergedTile || (sizeof(K) == 8 && isFloat(a.codec))) {
      mergeTile<G>(s, share, n, t, a.keys, a.values, a.codec, a.mode);
      return;
    }
  }
  if constexpr (!kRefines<G>) {
    if (overfullAreEqual<G>(s, kMostCompared, [&](u32 i) { return bins(t.k[i]); }, share, n, t, rank)) {
      placePairsOfEqualBins<G, kMostCompared>(s, bins, share, n, t, rank, a.keys, a.values, a.codec, a.mode);
      return;
    }
    if constexpr (kModels<G>) {
      if (models) {
        sortUnseen<G>(a);
        return;
      }
    }
    passBlock<G>(a, s, share, t);
  } else if constexpr (sizeof(K) > 1) {
    refine<G>(s, bins, a.varying, share, n, t, rank, a.keys, a.values, a.codec, a.mode);
  }
}

// endOverfullApart is that as a function.
template <typename G> GS_COLD void endOverfullApart(const BlockSort<G> a, TileKeys<G> t, const Ranks<G> ranks, u32 overfull, bool models, bool runs) {
  endOverfull<G>(a, sharedOfBlock<G>(), shareOfBlock<G>(a.n), t, ranks, overfull, models, runs);
}

}  // namespace gs

#endif
