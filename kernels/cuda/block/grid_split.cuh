// The path of a grid's sort where no digit is too large for a block: one pass by the
// highest 8 varying bits or by digits that splitters, a model or quantile splitters of the keys make, then each
// block sorts whole digits alone.
#ifndef GS_BLOCK_GRID_SPLIT
#define GS_BLOCK_GRID_SPLIT

#include "block/grid_tile.cuh"
#include "block/quantiles.cuh"
#include "block/part.cuh"
#include "warp/async.cuh"

namespace gs {

// Of the whole input: digit d of the split has keys [at[d], at[d + 1]).
// overfullPart lists parts of this block whose bins were overfull: in the lower half their first
// digit, in the upper half the end. args are the kernel's, any is one of its keys, varying the bits
// that vary: in registers they would fill a quarter of them.
struct GridDigits {
  u32 at[kDigits + 1];
  u32 overfullParts, overfullPart[kDigits];
  u32 splits;  // tried so far
  GridArgs args;
  u64 varying, any;
  GS_DEVICE u32 top() const { return 64 - __clzll(varying); }  // the bits below it vary
};

// splitGrid moves the keys to the runs of their digits, and notes where these are.
// digits(i) is a thread's i-th key's; note, digitOf and also are as of orderTile and
// writeTile. It returns false, with the keys still in registers and nothing moved,
// if a digit has more than `most`, a block's tile or less. Begins as rankDigits and ends with a barrier of
// the grid.
//
// Padding counts as the largest digit's, behind its keys. Begins after a barrier behind the last change of at.splits.
template <typename G, bool kCleared = false, typename Digits, typename Note, typename DigitOf, typename Also>
GS_DEVICE bool splitGrid(const GridShared<G>& s, const GridArgs& a, const Share& share, Digits digits, Note note, DigitOf digitOf, Also also, const TileKeys<G>& t,
                         GridDigits& at, u32 most = G::kTile) {
  const u32 start = countGrid<G, kCleared, !G::kPairs>(s, a, share, digits, digits, note, t, G::kPairs ? nullptr : a.sums(at.splits)), d = threadIdx.x;
  if (d < kDigits) at.at[d] = start < a.n ? start : a.n;
  if (d == 0) at.at[kDigits] = a.n, at.splits++;
  __syncthreads();
  const bool fits = !__syncthreads_or(d < kDigits && at.at[d + 1] - at.at[d] > most);
  if (fits) writeTile(s, a, share, digitOf, false, also);
  gridSync();  // if nothing was moved: totals may be written again
  return fits;
}

// splitByTop is splitGrid by the highest 8 varying bits, those below bit `top`, which keys that are probed have
// cleared the rows of counts for.
template <typename G>
GS_DEVICE bool splitByTop(const GridShared<G>& s, const GridArgs& a, const Share& share, u32 top, const TileKeys<G>& t, GridDigits& at) {
  typedef typename G::Key K;
  const TopDigit<K> digitOf = {top - kDigitBits};
  return splitGrid<G, kProbes<G>>(s, a, share, [&](u32 i) { return digitOf(t.k[i]); }, [](u32, u32, u32) {}, [&](u32, K key) { return digitOf(key); },
                                 [](u32, u32) {}, t, at);
}

// Every block leaves kLeftOfBlock of its keys for a sample, encoded, before the first
// barrier of the grid: one from each warp of 32, two of 16. They lie together then, a word of 64 bits each.
constexpr u32 kLeftToModel = 32;
template <typename G> constexpr u32 kLeftOfBlock = kModelsGrid<G> ? kLeftToModel : 8;
GS_CONSTANT(GridLeftOfBlock, kLeftToModel)

// samplePlace is where key number `number` of the sample is: every fourth one in the first quarter, each other one in
// the next ones, so that threads that read one of four each read neighbours.
template <typename G> GS_DEVICE u32 samplePlace(u32 number) { return gridDim.x + number % 4 * (gridDim.x * (kLeftOfBlock<G> / 4)) + number / 4; }

template <typename G> GS_DEVICE void leaveSample(const GridArgs& a, const Share& share, const TileKeys<G>& t, typename G::Key any) {
  constexpr u32 kEach = kLeftOfBlock<G> > G::kWarps ? kLeftOfBlock<G> / G::kWarps : 1, kStep = kEach * G::kWarps / kLeftOfBlock<G>;
  static_assert(kEach * G::kWarps == kLeftOfBlock<G> * kStep, "some keys of each warp, or one of some warps");
  const u32 warp = (blockIdx.x * G::kWarps + threadIdx.x / 32) / kStep;
  if (threadIdx.x / 32 % kStep != someOf<kStep>(warp)) return;
  const Chance<G> chance(share, warp);
  const typename G::Key key = keyOfItem<G>(t, share, a.n, any, chance.item);
#pragma unroll
  for (u32 j = 0; j < kEach; j++) {
    if (laneID() == chance.laneOf(j)) a.varying[samplePlace<G>(warp * kEach + j)] = key;
  }
}

// leftOf is how many keys are a sample.
template <typename G> GS_DEVICE u32 leftOf(const GridArgs& a, const Share& share) { return fullBlocks(share, a.n) * kLeftOfBlock<G>; }

// ForTop is the thread's key of the sample for topIsOverfull: of 1,024 or 512, one of every so many, by chance: each
// first one would be that of every fourth warp, and inputs that repeat every 1,024 places would show it a quarter of
// their keys.
template <typename G> struct ForTop {
  static constexpr u32 kStep = 128 * kLeftOfBlock<G> / G::kThreads, kMost = kLeftOfBlock<G> * G::kItems / kStep;
  typename G::Key key;
  bool valid;
  GS_DEVICE ForTop(const GridArgs& a, const Share& share) : key(0), valid(false) {
    if constexpr (kProbes<G>) {
      const u32 number = kStep * threadIdx.x, block = number / kLeftOfBlock<G>;
      valid = (block + 1) * share.slots <= a.n;
      if (valid) key = at(a, 0);
    }
  }
  // at(a, j) is the j-th of the kStep keys from it on, behind the last of which comes the first; all are of one block.
  GS_DEVICE static typename G::Key at(const GridArgs& a, u32 j) {
    return typename G::Key(__ldcg(a.varying + samplePlace<G>(kStep * threadIdx.x + (someOf<kStep>(threadIdx.x / 8) + j) % kStep)));
  }
  // A digit may have a tile, but of few keys a twentieth or so, if splitters or models can split it: its block would
  // work while others wait. Of these a thread has one, and what topIsOverfull allows for is taken off by half.
  static constexpr u32 kFew = 20;
  GS_DEVICE static u32 most(u32 n) {
    const u32 few = n / (kFew * G::kThreads * kStep / kLeftOfBlock<G>);
    return !kModelsGrid<G> || few > kMost ? kMost : few > 4 ? few - 4 : 0;
  }
  GS_DEVICE static u32 size(const GridArgs& a, const Share& share) { return leftOf<G>(a, share) / kStep; }
  GS_DEVICE bool skewed(const GridArgs& a, const Share& share, u32 top) const { return areSkewed<G::kThreads>(a.codec, top, size(a, share), valid, key); }
  GS_DEVICE bool overfull(u32* found, u32 top, u32 n, u32 used) const { return topIsOverfull(found, key, valid, top, most(n), used); }
};

// The sample in shared memory, where countGrid's columns will be. Every fourth key stands
// in the first quarter, each other one in the next ones: of 1,024 keys a digit has four on
// average, and often eight, which is enough unless it may have no more than that. More than a key a thread would take
// twice as long.
template <typename G> GS_DEVICE StagedSample<typename G::Key> stagedSample(const GridShared<G>& s, const GridArgs& a, const Share& share, bool all) {
  typedef typename G::Key K;
  constexpr u32 kMost = 2 * GridShared<G>::kTable * G::kWarps * sizeof(u32) / sizeof(K);
  static_assert(kMost % 4 == 0 && kLeftOfBlock<G> % 4 == 0, "four quarters");
  const u32 left = leftOf<G>(a, share), many = left < kMost ? left : kMost;
  return {reinterpret_cast<K*>(s.columns), all ? many : many / 4 < kModelSample ? many / 4 : kModelSample};
}

// requestSample begins to bring it there, and awaitSample, which ends with a barrier, waits for that. stageSample
// does both.
template <typename G> GS_DEVICE void requestSample(const GridShared<G>& s, const GridArgs& a, const Share& share) {
  const StagedSample<typename G::Key> sample = stagedSample<G>(s, a, share, true);
#pragma unroll 1
  for (u32 i = threadIdx.x; i < sample.many; i += G::kThreads) copyAsync(sharedAt(sample.keys + i % 4 * (sample.many / 4) + i / 4), reinterpret_cast<const typename G::Key*>(a.varying + samplePlace<G>(i)));
}
GS_DEVICE void awaitSample() {
  awaitCopies();
  __syncthreads();
}
template <typename G> GS_DEVICE void stageSample(const GridShared<G>& s, const GridArgs& a, const Share& share) {
  requestSample<G>(s, a, share);
  awaitSample();
}

// splitByTags is splitGrid by digits that keys do not tell.
template <typename G>
GS_DEVICE bool splitByTags(const GridShared<G>& s, const GridArgs& a, const Share& share, const PackedDigits<G::kItems>& digits, const TileKeys<G>& t, GridDigits& at,
                           u32 most = G::kTile) {
  typedef typename G::Key K;
  const auto note = [&](u32, u32 slot, u32 digit) { s.tags[slot] = u8(digit); };
  return splitGrid<G>(s, a, share, digits, note, [&](u32 slot, K) { return u32(s.tags[slot]); }, [](u32, u32) {}, t, at, most);
}

// keptCodes is where codes of the keys in keysAlt are, behind the sample.
template <typename G> GS_DEVICE u32* keptCodes(const GridArgs& a) { return reinterpret_cast<u32*>(a.varying + gridDim.x * (1 + kLeftOfBlock<G>)); }

// splitByCodes is splitGrid by codes of a model, which go with the keys: who sorts a digit needs no model.
template <typename G>
GS_DEVICE bool splitByCodes(const GridShared<G>& s, const GridArgs& a, const Share& share, const u32 (&code)[G::kItems], const TileKeys<G>& t, GridDigits& at) {
  typedef typename G::Key K;
  u32* const codes = keptCodes<G>(a);
  return splitGrid<G>(
      s, a, share, [&](u32 i) { return code[i] >> kDigitShift; }, [&](u32 i, u32 slot, u32) { s.codes[slot] = code[i]; },
      [&](u32 slot, K) { return s.codes[slot] >> kDigitShift; }, [&](u32 slot, u32 to) { codes[to] = s.codes[slot]; }, t, at);
}

// splitBy is splitGrid by codes of a model, which it makes, or false where its sample,
// which is and stays staged, or all keys say that a digit has too many.
template <typename G, typename Model>
GS_DEVICE bool splitByModel(const Model& m, const GridShared<G>& s, const GridArgs& a, const Share& share, const TileKeys<G>& t, GridDigits& at) {
  const StagedSample<typename G::Key> sample = stagedSample<G>(s, a, share, G::kTile < a.n / (kDigits / 4));
  if (!modelSample<G>(m, sample, a.n, G::kTile)) return false;
  u32 code[G::kItems];
  codesOfTile<G>(m, share.used, share.first + share.slot(), a.n, t, code);
  if (splitByCodes<G>(s, a, share, code, t, at)) return true;
  stageSample<G>(s, a, share);  // again: columns took its place
  return false;
}
template <typename G>
GS_DEVICE bool splitBy(const ModelShared<typename G::Key>& m, const GridShared<G>& s, const GridArgs& a, const Share& share, const TileKeys<G>& t, GridDigits& at) {
  return splitByModel<G>(m, s, a, share, t, at);
}
template <typename G>
GS_DEVICE bool splitBy(const FoldedModel<typename G::Key>& m, const GridShared<G>& s, const GridArgs& a, const Share& share, const TileKeys<G>& t, GridDigits& at) {
  return splitByModel<G>(m, s, a, share, t, at);
}

// makeQuantiles makes quantile splitters of the sample, which is staged, and of which each block ranks a part. They
// are put for all where others' keys will be, which lie in shared memory now. Begins after a
// barrier and ends with one; holds one of the grid.
template <typename G> GS_DEVICE void makeQuantiles(const GridShared<G>& s, const GridArgs& a, const Share& share, const Quantiles<typename G::Key>& m) {
  typedef typename G::Key K;
  const StagedSample<K> sample = stagedSample<G>(s, a, share, true);
  const u32 size = sample.size(), each = (size + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each, end = first + each;
  K* const keys = static_cast<K*>(a.keysAlt);
  rankSample<G::kThreads, 1>(sample.keys, size, first, end < size ? end : size, 1u << m.logOf(size), [&](u32 k, K key) { keys[k] = key; });
  gridSync();
  if (threadIdx.x == 0) m.begin(size);
  for (u32 i = threadIdx.x; i + 1 < 1u << m.logOf(size); i += G::kThreads) m.keys[m.at(i)] = __ldcg(keys + i);
  __syncthreads();
}

// isRough says whether quantile splitters that are neighbours are so often at distances of which one is more
// than 32 times the other that keys gather between them, too: then, of many keys to a piece, few
// are told apart. Of 1,021 pairs 46 are of AND-ed words with an entropy of 0.811, 110 or more with
// less, 15 at most of other inputs (counted). The same in all blocks.
constexpr u32 kManyOfPiece = 512;
template <typename K> GS_DEVICE bool isRough(const Quantiles<K>& m, u32 n) {
  bool rough = false;  // a thread of 512 has two pairs: of few that are rough no two are one's, as a rule
#pragma unroll 1
  for (u32 k = threadIdx.x; k + 2 < m.all(); k += blockDim.x) {
    const K one = m[k + 1] - m[k], other = m[k + 2] - m[k + 1];
    rough |= one != 0 && other != 0 && (one < other ? other >> 5 > one : one >> 5 > other);
  }
  return n >> *m.log >= kManyOfPiece && u32(__syncthreads_count(rough)) > m.all() / 13;
}

// splitBy quantile splitters is splitBy a model; false with a barrier of the grid. If a digit has too many keys
// it is tried once more with codes that are spread by what was counted, as ranks of the keys if a digit's were
// uniform: of 2^20 keys a digit may have twice the mean, which the largest of 256 by a sample of 4,096 exceeds in one
// of eight cases.
template <typename G>
GS_DEVICE bool splitBy(const Quantiles<typename G::Key>& m, const GridShared<G>& s, const GridArgs& a, const Share& share, const TileKeys<G>& t, GridDigits& at) {
  makeQuantiles<G>(s, a, share, m);
  if (isRough(m, a.n)) return false;
  const u32 place = share.first + share.slot(), unit = ~0u / a.n;
  u32 code[G::kItems];
  codesOfTile<G>(m, share.used, place, a.n, t, code);
#pragma unroll 1
  for (bool again = false;; again = true) {
    if (splitByCodes<G>(s, a, share, code, t, at)) return true;
    if (again) return false;
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i >= share.held(a.n)) break;
      const u32 d = code[i] >> kDigitShift, first = at.at[d];
      code[i] = (first + highProduct(at.at[d + 1] - first, code[i] << kDigitBits)) * unit;
    }
    __syncthreads();
  }
}

// partOf is the part of the digits `from` up to `to`.
template <typename G> GS_DEVICE PartFrom<G> partOf(const GridArgs& a, const GridDigits& digits, u32 from, u32 to) {
  typedef typename G::Key K;
  const u32 first = digits.at[from];
  typename G::Value* const values = static_cast<typename G::Value*>(a.valuesIO) + first;
  return {static_cast<const K*>(a.keysAlt) + first, values, static_cast<K*>(a.keysIO) + first, values, digits.at[to] - first, a.codec, a.mode};
}

// sortDigits sorts the digits whose first key's rank lies in the block's part of all ranks, as many
// at a time as fit its tile. Keys were written by other blocks: they are read past the
// L1. Only this block reads and writes these keys from here on. sort(part, from, to)
// sorts the part of the digits `from` up to `to`, or says that it did not: sortDigits
// returns whether there are such parts, which it notes. A part has at most `largest` keys.
template <typename G, typename Sort> GS_DEVICE bool sortDigits(const GridArgs& a, GridDigits& digits, Sort sort, u32 largest = G::kTile) {
  // Not the share, which some blocks have more of, or nothing.
  const u32 d = threadIdx.x, each = (a.n + gridDim.x - 1) / gridDim.x;
  u32 overfullParts = 0;
  // below counts the digits that lie before rank x whole; a barrier.
  auto below = [&](u32 x) { return u32(__syncthreads_count(d < kDigits && digits.at[d + 1] <= x)); };
  auto beginning = [&](u32 x) { return u32(__syncthreads_count(d < kDigits && digits.at[d] < x)); };
  const u32 end = beginning((blockIdx.x + 1) * each), last = digits.at[end];
  for (u32 from = beginning(blockIdx.x * each), to; from < end; from = to) {
    const u32 first = digits.at[from], most = first + largest;
    to = below(most < last ? most : last);  // its barrier stands behind what the round before read in shared memory
    const u32 n = digits.at[to] - first;
    if (n == 0) continue;
    if (!sort(partOf<G>(a, digits, from, to), from, to)) {
      if (d == 0) digits.overfullPart[overfullParts] = from | to << 16;
      overfullParts++;
    }
  }
  if (d == 0) digits.overfullParts = overfullParts;
  return overfullParts != 0;
}

}  // namespace gs

#endif
