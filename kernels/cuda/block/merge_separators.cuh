// The kernels of merge-separators past one sector: separators cut each pair of
// runs A and B into segments that fit a block, and blocks merge the segments.
//
// Every t-th item of A and of B, from the first on, is a separator. In the
// stable merge of a pair a separator divides both runs: its own at its place p,
// the other at r, the number of items that go before it there. Between two
// neighbouring separators lie at most t items of each run. The last segment ends
// where the runs end, so that their last items need not be separators.
#ifndef GS_BLOCK_MERGE_SEPARATORS
#define GS_BLOCK_MERGE_SEPARATORS

#include "block/merge_sector.cuh"

namespace gs {

// Separator is where a segment begins: items of A and of B before it.
struct Separator {
  u64 a, b;
};
GS_CONSTANT(SeparatorBytes, sizeof(Separator))

// mergeSeparators finds the separators of all pairs, one per thread; perPair
// (2·run / t) belong to a full pair, so that a warp works on several pairs while
// runs are short. A separator's number in its pair is its number in its own run
// and that of the other run's separators before it: r / t, rounded up. So the
// table is in order without a sort: entry pair·perPair + number.
template <typename K>
GS_DEVICE void mergeSeparators(const K* in, Separator* table, u64 n, u64 run, u32 perPair, u32 pairs, u32 t) {
  const u64 all = u64(perPair) * pairs;
  for (u64 g = u64(blockIdx.x) * blockDim.x + threadIdx.x; g < all; g += u64(gridDim.x) * blockDim.x) {
    const u32 pair = u32(g / perPair), i = u32(g - u64(pair) * perPair), half = perPair / 2;
    const RunPair p(n, run, pair);
    const K *const a = in + p.first, *const b = a + p.lenA;
    Separator* const entry = table + u64(pair) * perPair;
    const u64 place = u64(i < half ? i : i - half) * t;
    if (i < half) {
      if (place < p.lenA) {
        const u64 r = lowerBound(b, p.lenB, a[place]);
        entry[i + (r + t - 1) / t] = Separator{place, r};
      }
    } else if (place < p.lenB) {
      const u64 r = upperBound(a, p.lenA, b[place]);
      entry[i - half + (r + t - 1) / t] = Separator{r, place};
    }
  }
}

// alignedLead is the number of items by which p lies behind a multiple of 128
// bytes. Loops over a segment start that much early, with the first threads
// idle, so that every warp reads and writes whole lines.
template <typename T>
GS_DEVICE u32 alignedLead(const T* p) { return u32(reinterpret_cast<u64>(p) / sizeof(T)) & (128 / sizeof(T) - 1); }

// loadAligned copies `len` items to shared memory.
template <typename K> GS_DEVICE void loadAligned(K* to, const K* from, u32 len) {
  const u32 lead = alignedLead(from);
  for (u32 i = threadIdx.x; i < lead + len; i += blockDim.x) {
    if (i >= lead) to[i - lead] = from[i - lead];
  }
}

// mergeSegments merges the segments: blockIdx.y counts pairs, blockIdx.x the
// segments of a pair. in and out do not overlap. An item's place is found by
// rank, as in mergeSector.
template <typename G>
GS_DEVICE void mergeSegments(const KeyOf<G>* in, KeyOf<G>* out, const ValueOf<G>* valuesIn, ValueOf<G>* valuesOut,
                             const Separator* table, u64 n, u64 run, u32 perPair, u32 pairs, u32 t, u32 codecOut,
                             u32 flags) {
  extern __shared__ uint4 dynamicShared[];
  const SectorShared<G> s(dynamicShared, 2 * t);
  for (u32 pair = blockIdx.y; pair < pairs; pair += gridDim.y) {
    const RunPair p(n, run, pair);
    const u32 segments = u32((p.lenA + t - 1) / t + (p.lenB + t - 1) / t);
    const Separator* const entry = table + u64(pair) * perPair;
    for (u32 i = blockIdx.x; i < segments; i += gridDim.x) {
      const Separator from = entry[i];
      Separator to = {p.lenA, p.lenB};
      if (i + 1 < segments) to = entry[i + 1];
      const u32 lenA = u32(to.a - from.a), lenB = u32(to.b - from.b), len = lenA + lenB;
      const u64 a0 = p.first + from.a, b0 = p.first + p.lenA + from.b, at = a0 + from.b;
      const KeyOf<G> *const a = s.keys, *const b = a + lenA;
      KeyOf<G>* const merged = s.keys + 2 * t;
      loadAligned(s.keys, in + a0, lenA);
      loadAligned(s.keys + lenA, in + b0, lenB);
      __syncthreads();
      for (u32 j = threadIdx.x; j < len; j += blockDim.x) {
        const KeyOf<G> key = a[j];
        const u32 place = j < lenA ? j + lowerBound(b, lenB, key) : j - lenA + upperBound(a, lenA, key);
        merged[place] = key;
        if constexpr (G::kPairs) s.from[place] = static_cast<unsigned short>(j);
      }
      __syncthreads();
      const u32 lead = alignedLead(out + at);
      for (u32 i = threadIdx.x; i < lead + len; i += blockDim.x) {
        if (i < lead) continue;
        const u32 j = i - lead;
        if (!(flags & kMergeDropKeys)) out[at + j] = decode(codecOut, merged[j]);
        if constexpr (G::kPairs) {
          const u32 x = s.from[j];
          valuesOut[at + j] = valuesIn[x < lenA ? a0 + x : b0 + (x - lenA)];
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace gs

#endif
