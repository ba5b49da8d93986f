// A grid's sort by one split: one pass moves the keys to the runs of 256 digits, then each block sorts whole digits
// alone. A digit is 8 bits of the distance to the least key, or the interval between two splitters. No digit may have
// more keys than a block sorts.
#ifndef GS_BLOCK_GRID_SPLIT
#define GS_BLOCK_GRID_SPLIT

#include "block/grid_sample.cuh"
#include "block/split.cuh"

namespace gs {

// GridDigits says how all keys are split: digit d has the keys at ranks [starts[d], starts[d + 1]). It lies in shared
// memory, with the kernel's args and the bounds of all keys, which would fill a quarter of the registers.
template <typename K> struct GridDigits {
  u32 starts[kDigits + 1];
  u32 tried;  // splits, so far
  // The block's parts that bins do not sort: the first digit in the lower half of the word, the end in the upper half.
  u32 unevenParts, unevenPart[kDigits];
  GridArgs args;
  Bounds<K> bounds;
};

// topDigit is the digit of the highest 8 bits of keys' distance to the least one.
template <typename K> GS_DEVICE Intervals<K> topDigit(const Bounds<K>& b) { return {b.least, b.top() - kDigitBits}; }

// splitGrid moves the keys to the runs of their digits, and writes to `digits` where these begin. digitOf(i) is the
// digit of a thread's i-th key; see orderTile for note. digitAt(slot, key) is writeTile's digitOf. If a digit has more
// than `most` keys, it moves nothing and returns false: then the block's keys are in shared memory, in order of their
// digits. `most` is at most a block's tile. Padding has the largest digit and lies behind its keys.
//
// Begins like rankDigits, behind a barrier after the last change of digits.tried. Ends with a barrier of the grid.
template <typename G, bool kCleared = false, typename DigitOf, typename Note, typename DigitAt>
GS_DEVICE bool splitGrid(const GridShared<G>& s, const GridArgs& a, const Share& share, DigitOf digitOf, Note note,
                         DigitAt digitAt, const TileKeys<G>& t, GridDigits<KeyOf<G>>& digits, u32 most) {
  u32* const sums = G::kPairs ? nullptr : a.sums(digits.tried);
  const u32 d = threadIdx.x, start = countGrid<G, kCleared, !G::kPairs>(s, a, share, digitOf, digitOf, note, t, sums);
  // The columns count padding, the sums do not: what starts behind n begins at n.
  if (d < kDigits) digits.starts[d] = start < a.n ? start : a.n;
  if (d == 0) digits.starts[kDigits] = a.n, digits.tried++;
  __syncthreads();
  const bool fits = !__syncthreads_or(d < kDigits && digits.starts[d + 1] - digits.starts[d] > most);
  if (fits) writeTile(s, a, share, digitAt, false);
  gridSync();  // if nothing was moved: totals may be written again
  return fits;
}

// splitByTop is splitGrid by the digit `top`, which topDigit made. The rows of counts are clear.
template <typename G>
GS_DEVICE bool splitByTop(const GridShared<G>& s, const GridArgs& a, const Share& share, const Intervals<KeyOf<G>>& top,
                          const TileKeys<G>& t, GridDigits<KeyOf<G>>& digits) {
  const u32 held = share.held(a.n);
  const auto digitOf = [&](u32 i) { return i < held ? top(t.k[i]) : kDigits - 1; };
  return splitGrid<G, true>(s, a, share, digitOf, [](u32, u32) {}, [&](u32, KeyOf<G> key) { return top(key); }, t,
                            digits, G::kTile);
}

// PartFrom says where a part's n keys are and where they go. Other blocks wrote them: they are read past the L1.
template <typename G> struct PartFrom {
  const KeyOf<G>* keys;
  const ValueOf<G>* values;
  KeyOf<G>* keysTo;
  ValueOf<G>* valuesTo;
  u32 n, codec, mode;
};

// partOf is the part of the digits `from` up to `to`.
template <typename G>
GS_DEVICE PartFrom<G> partOf(const GridArgs& a, const GridDigits<KeyOf<G>>& digits, u32 from, u32 to) {
  const u32 first = digits.starts[from];
  ValueOf<G>* const values = static_cast<ValueOf<G>*>(a.valuesIO) + first;
  return {static_cast<const KeyOf<G>*>(a.keysAlt) + first, values, static_cast<KeyOf<G>*>(a.keysIO) + first, values,
          digits.starts[to] - first, a.codec, a.mode};
}

// sortDigits sorts this block's digits: those whose first rank lies in its gridDim-th of all ranks. It takes as many
// neighbouring digits at a time as have at most `largest` keys, which make a part. sort(part, from, to) sorts the part
// of digits [from, to) and returns true, or leaves it as it is and returns false. Only this block reads and writes the
// part from here on. Parts left as they are go to unevenPart; sortDigits returns whether there are any.
template <typename G, typename Sort>
GS_DEVICE bool sortDigits(const GridArgs& a, GridDigits<KeyOf<G>>& digits, u32 largest, Sort sort) {
  // Not the share, which some blocks have more of, or nothing.
  const u32 d = threadIdx.x, each = (a.n + gridDim.x - 1) / gridDim.x;
  // below counts the digits that lie before rank x whole; a barrier.
  auto below = [&](u32 x) { return u32(__syncthreads_count(d < kDigits && digits.starts[d + 1] <= x)); };
  auto beginning = [&](u32 x) { return u32(__syncthreads_count(d < kDigits && digits.starts[d] < x)); };
  const u32 end = beginning((blockIdx.x + 1) * each), last = digits.starts[end];
  u32 uneven = 0;
  for (u32 from = beginning(blockIdx.x * each), to; from < end; from = to) {
    const u32 first = digits.starts[from], most = first + largest;
    to = below(most < last ? most : last);  // its barrier stands behind what the round before read in shared memory
    if (digits.starts[to] == first || sort(partOf<G>(a, digits, from, to), from, to)) continue;
    if (d == 0) digits.unevenPart[uneven] = from | to << 16;
    uneven++;
  }
  if (d == 0) digits.unevenParts = uneven;
  return uneven != 0;
}

// loadPart reads the items of a part.
template <typename G> GS_DEVICE void loadPart(TileKeys<G>& t, const Share& share, const PartFrom<G>& p) {
  fetchTile<G>(t, p.keys + share.slot(), p.values + share.slot(), share.held(p.n));
}

// boundsOfPart are the bounds of this thread's items of a part.
template <typename G>
GS_DEVICE Bounds<KeyOf<G>> boundsOfPart(const TileKeys<G>& t, const Share& share, const PartFrom<G>& p) {
  const u32 held = share.held(p.n);
  const KeyOf<G> first = __ldcg(p.keys);
  Bounds<KeyOf<G>> b = Bounds<KeyOf<G>>::none();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    b.add(t.k[i], first);
  }
  return b;
}

template <typename G>
GS_DEVICE Share shareOfPart(const PartFrom<G>& p) {
  return Share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
}

// passPart sorts a part by passes. Begins with a barrier.
template <typename G> GS_DEVICE void passPart(const PartFrom<G>& p) {
  const TileShared<G> s = sharedOfBlock<G>();
  const Share share = shareOfPart(p);
  TileKeys<G> t;
  loadPart<G>(t, share, p);
  const Bounds<KeyOf<G>> mine = boundsOfPart<G>(t, share, p);
  __syncthreads();
  const Bounds<KeyOf<G>> bounds = blockBounds<G>(s.warpBounds, mine);
  if (bounds.differ != 0) passTile<G>(s, share, p.n, bounds, t);
  storeTile<G>(t, share, p.keysTo, p.valuesTo, p.n, p.codec, p.mode);
}

// passParts sorts the parts in unevenPart. It is not inlined, since its registers would slow down the path of evenly
// spread keys.
template <typename G> GS_COLD void passParts(const GridDigits<KeyOf<G>>* digits) {
  __syncthreads();
#pragma unroll 1
  for (u32 i = 0; i < digits->unevenParts; i++) {
    const u32 part = digits->unevenPart[i];
    passPart<G>(partOf<G>(digits->args, *digits, part & 0xffff, part >> 16));
  }
}

// sortPart sorts a part by bins. If its keys are too unevenly spread, it writes nothing and returns false in all
// threads. A barrier must come before it.
template <typename G> GS_DEVICE bool sortPart(const PartFrom<G>& p, const Intervals<KeyOf<G>>& bins) {
  const TileShared<G> s = sharedOfBlock<G>();
  const Share share = shareOfPart(p);
  TileKeys<G> t;
  loadPart<G>(t, share, p);
  clearBins<G>(s);
  const bool fits = splitTile<G>(s, bins, share, p.n, t);
  if (fits) placeInBins<G>(s, bins, p.keysTo, p.valuesTo, p.n, p.codec, p.mode);
  return fits;
}

// binsOfDigits are the bins of the digits first to last, which topDigit made.
template <typename G>
GS_DEVICE Intervals<KeyOf<G>> binsOfDigits(const Intervals<KeyOf<G>>& top, u32 first, u32 last) {
  typedef typename G::Key K;
  return {K(top.low + (K(first) << top.shift)), shiftFor<G>(top.shift + 32 - __clz(int(last - first)))};
}

}  // namespace gs

#endif
