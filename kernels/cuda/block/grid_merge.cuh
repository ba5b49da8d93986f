// A grid's skewed keys of 64 bits, where a block's share is small: one pass by digits between splitters,
// and each block merges what it gets. Nothing depends on the keys but how evenly keys are spread over the digits:
// there is nothing to try in vain.
#ifndef GS_BLOCK_GRID_MERGE
#define GS_BLOCK_GRID_MERGE

#include "block/grid_split.cuh"
#include "block/lists.cuh"
#include "block/splitters.cuh"

namespace gs {

// So many keys a block are merged: with 993 a block they take 3 to 6 µs more than by a model, with 1,986 5 to 10
// (measured).
constexpr u32 kMergedShare = 520;
// kMergedPasses: with so many digits that vary merging is faster than passes by each.
constexpr u32 kMergedPasses = 3;

// MergedPart is shared memory of a part: at most kMost keys. By a sample of 2,048 the largest part has 1.8 times the
// mean.
template <typename G> struct MergedPart {
  typedef typename G::Key K;
  typedef typename G::Value V;
  static constexpr u32 kMost = 4096, kFrom = 2 * kMost * sizeof(K), kValues = kFrom + (G::kPairs ? 4 * kMost : 0);
  static constexpr u32 kBytes = kValues + kMost * G::kValueBytes;
  static_assert(kBytes <= GridShared<G>::kBytes, "fits where keys are put in order");
  Rows<K, G::kPairs> rows;
  V* values;  // [kMost] as read
  GS_DEVICE explicit MergedPart(void* base) {
    const u32 at = sharedAt(base);
    rows = {at, at + kMost * u32(sizeof(K)), at + kFrom, at + kFrom + 2 * kMost};
    values = reinterpret_cast<V*>(static_cast<char*>(base) + kValues);
  }
};

// mergePart sorts a part of 1 to kMost keys. Begins after a barrier. What it reads in global memory only this block
// writes, later.
template <typename G> GS_DEVICE bool mergePart(const PartFrom<G>& p) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  MergedPart<G> s(dynamicShared);
#pragma unroll 2
  for (u32 i = threadIdx.x; i < p.n; i += G::kThreads) {
    storeAt<K>(s.rows.keys + i * u32(sizeof(K)), __ldcg(p.keys + i));
    if constexpr (G::kPairs) s.values[i] = __ldcg(p.values + i);
  }
  sortRows<G::kThreads>(s.rows, p.n);
#pragma unroll 1
  for (u32 i = threadIdx.x; i < p.n; i += G::kThreads) {
    if (p.mode != kModeArgsort) p.keysTo[i] = decode(p.codec, s.rows.key(i));
    if constexpr (G::kPairs) p.valuesTo[i] = s.values[s.rows.place(i)];
  }
  return true;
}

// splitBy splitters is splitBy a model. The sample is staged, and each block ranks a part of it; splitters
// are put for all where others' keys will be, which lie in shared memory now. It returns false if a digit has more
// than a part may.
template <typename G>
GS_DEVICE bool splitBy(const Splitters<typename G::Key>& m, const GridShared<G>& s, const GridArgs& a, const Share& share, const TileKeys<G>& t,
                       GridDigits& at) {
  typedef typename G::Key K;
  const StagedSample<K> sample = stagedSample<G>(s, a, share, true);
  const u32 size = sample.size(), each = (size + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each, end = first + each;
  K* const keys = static_cast<K*>(a.keysAlt);
  rankSample<G::kThreads, 1>(sample.keys, size, first, end < size ? end : size, kDigits, [&](u32 k, K key) { keys[k] = key; });
  gridSync();
  if (threadIdx.x < m.kMany) m.keys[m.at(threadIdx.x)] = __ldcg(keys + threadIdx.x);
  __syncthreads();
  PackedDigits<G::kItems> digits;
  eachGroup<G::kItems, 2>(share.used, SplitterDigits<G>{m, t, digits, share.first + share.slot(), a.n, ~0u / a.n});
  return splitByTags<G>(s, a, share, digits, t, at, MergedPart<G>::kMost);
}

// isMerged says whether keys are sorted so: a block gets about n/gridDim of them, and a sample of fewer keys than
// digits would leave splitters out.
template <typename G> GS_DEVICE bool isMerged(const GridArgs& a, const Share& share) {
  return a.n <= gridDim.x * kMergedShare && leftOf<G>(a, share) >= kDigits;
}

}  // namespace gs

#endif
