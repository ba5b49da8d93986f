// The way of a grid's sort where no digit is too large for a block: one pass by the
// highest 8 varying bits, then each block sorts whole digits alone.
#ifndef GS_BLOCK_GRID_SPLIT
#define GS_BLOCK_GRID_SPLIT

#include "block/grid_tile.cuh"
#include "block/part.cuh"

namespace gs {

// Of the whole input: digit d of the split has keys [at[d], at[d + 1]).
struct GridDigits {
  u32 at[kDigits + 1];
};

// splitGrid moves the keys to the runs of their highest 8 varying bits, those below
// bit `top`, and notes where these are. It returns false, with the keys still in
// registers and nothing moved, if a digit has more than a block's tile. Begins without
// and ends with a barrier of the grid.
//
// Padding counts as the largest digit's, behind its keys.
template <typename G> GS_DEVICE bool splitGrid(const GridShared<G>& s, const GridArgs& a, const Share& share, u32 top, const TileKeys<G>& t, GridDigits& digits) {
  const TopDigit<typename G::Key> digitOf = {top - kDigitBits};
  const u32 start = countGrid(s, a, share, digitOf, digitOf, t), d = threadIdx.x;
  if (d < kDigits) digits.at[d] = start < a.n ? start : a.n;
  if (d == 0) digits.at[kDigits] = a.n;
  __syncthreads();
  const bool fits = !__syncthreads_or(d < kDigits && digits.at[d + 1] - digits.at[d] > G::kTile);
  if (fits) writeTile(s, a, share, digitOf, false);
  gridSync();  // if nothing was moved: totals may be written again
  return fits;
}

// sortDigits sorts the digits whose first key's rank lies in the block's share, as many
// at a time as fit its tile. Keys were written by other blocks: they are read past the
// L1. Only this block reads and writes these keys from here on. sample is any key of
// the input, encoded.
template <typename G> GS_DEVICE void sortDigits(const GridArgs& a, const Share& share, u32 top, typename G::Key sample, const GridDigits& digits, TileKeys<G>& t) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const u32 d = threadIdx.x;
  // below counts the digits that lie before rank x whole; a barrier.
  auto below = [&](u32 x) { return u32(__syncthreads_count(d < kDigits && digits.at[d + 1] <= x)); };
  auto beginning = [&](u32 x) { return u32(__syncthreads_count(d < kDigits && digits.at[d] < x)); };
  const u32 end = beginning(share.first + share.slots), last = digits.at[end];
  for (u32 from = beginning(share.first), to; from < end; from = to) {
    const u32 first = digits.at[from], most = first + G::kTile;
    to = below(most < last ? most : last);  // its barrier stands behind what the round before read in shared memory
    const u32 n = digits.at[to] - first;
    if (n == 0) continue;
    const Share part(G::kThreads, (n + G::kThreads - 1) / G::kThreads, 0);
    const K* const keys = static_cast<const K*>(a.keysAlt) + first;
    V* const values = static_cast<V*>(a.valuesIO) + first;
    const K one = __ldcg(keys);
    const u32 slot = part.slot();
    K differ = 0;
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      t.k[i] = K(~K(0));
      if (i < part.used && slot + 32 * i < n) {
        t.k[i] = __ldcg(keys + slot + 32 * i);
        differ |= t.k[i] ^ one;
        if constexpr (G::kPairs) t.v[i] = __ldcg(values + slot + 32 * i);
      }
    }
    sortPart<G>(s, binsOfDigits<G>(sample, top, from, to - 1), part, n, differ, t, static_cast<K*>(a.keysIO) + first, values, a.codec, a.mode);
  }
}

}  // namespace gs

#endif
