// Pieces of up to a tile, each sorted by one block in shared memory: a stable radix sort from the least significant
// digit, without the digits in which no two keys differ.
#ifndef GS_BLOCK_SEGMENTS_BLOCK
#define GS_BLOCK_SEGMENTS_BLOCK

#include "block/rank.cuh"
#include "block/segments_state.cuh"

namespace gs {

// sortPiece sorts n keys from place `begin` on, n from 1 to a tile. Keys alone come to the caller's memory, else their
// positions do. All that is read has been read before anything is written, a barrier lying between.
template <typename G>
GS_DEVICE void sortPiece(const SegmentsShared<G>& s, const SegmentsMemory<typename G::Key>& m, u32 where, u32 begin,
                         u32 n) {
  typedef typename G::Key K;
  SegmentsItemsOf<G> t;
  if (threadIdx.x == 0) *s.varying = 0;
  t.load(m, where, begin, n);
  const K sample = encode(m.codecAt(where), __ldcg(m.keys(where) + begin));
  K differ = 0;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < t.used && t.slot + 32 * i < n) differ = K(differ | (t.k[i] ^ sample));
  }
  u64 all = differ;
#pragma unroll
  for (int d = 16; d > 0; d /= 2) all |= __shfl_xor_sync(kAllLanes, all, d);
  __syncthreads();
  if (laneID() == 0 && all != 0) atomicOr(s.varying, all);
  __syncthreads();
  const K varying = K(*s.varying);
  u32* const mine = warpRow(s.counts);
  const u32 below = lanesBelow(), above = lanesAbove();
#pragma unroll 1
  for (u32 p = 0; p < sizeof(K); p++) {
    if ((u32(varying >> (kDigitBits * p)) & (kDigits - 1)) == 0) continue;
    const DigitOf<K> digitOf(p);
    clearCounts<G::kThreads>(s.counts);
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i < t.used) atomicAdd(&mine[digitOf(t.k[i])], 1u);
    }
    __syncthreads();
    u32 total, first;
    digitOffsets<G::kThreads>(s.counts, s.sums, total, first, [](u32) {}, [] {});
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i >= t.used) break;
      const u32 rank = nextRank(mine, digitOf(t.k[i]), below, above);
      s.keys[rank] = t.k[i];
      if constexpr (G::kArgsort) s.positions[rank] = t.v[i];
    }
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i >= t.used) break;
      t.k[i] = s.keys[t.slot + 32 * i];
      if constexpr (G::kArgsort) t.v[i] = s.positions[t.slot + 32 * i];
    }
    // The next digit writes keys and positions only after three more barriers.
  }
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    const u32 at = t.slot + 32 * i;
    if (i >= t.used || at >= n) break;
    if constexpr (G::kArgsort)
      m.put(begin + at, t.v[i]);
    else
      m.io[begin + at] = decode(m.codec, t.k[i]);
  }
}

// sortPieces takes pieces from a list until none is left.
// Launch: G::kThreads threads, any grid. Dynamic shared memory: SegmentsShared<G>::kBytes.
template <typename G>
GS_DEVICE void sortPieces(const SegmentsLists& l, u32 list, const SegmentsMemory<typename G::Key>& m) {
  extern __shared__ uint4 dynamicShared[];
  const SegmentsShared<G> s(dynamicShared);
  if (l.state->code != 0) return;
  const u32 many = least(l.state->many[list], l.room(list));
  for (;;) {
    __syncthreads();  // the word has been read, and the piece before left shared memory
    if (threadIdx.x == 0) *s.word = atomicAdd(&l.state->taken[list], 1u);
    __syncthreads();
    const u32 i = *s.word;
    if (i >= many) return;
    const u64 piece = l.pieces(list)[i];
    const u32 rest = u32(piece >> 32);
    sortPiece<G>(s, m, rest >> 16, u32(piece), rest & 0xffff);
  }
}

}  // namespace gs

#endif
