// Overfull bins that hold one value each: keys alone are in order as they are, in
// whatever order they came, and pairs by their places in the input.
#ifndef GS_BLOCK_EQUALBINS
#define GS_BLOCK_EQUALBINS

#include "block/digits.cuh"
#include "block/split.cuh"

namespace gs {

// overfullAreEqual returns, in all threads, whether each bin of more than `most` keys
// holds one value. binOf(i) is the bin of a thread's i-th key. Some
// of the keys are looked at first, which in a skewed tile finds two values. Keys'
// place in shared memory is used for a sample of each bin. Ends with a barrier.
template <typename G, typename BinOf>
GS_DEVICE bool overfullAreEqual(const TileShared<G>& s, u32 most, BinOf binOf, const Share& share, u32 n, const TileKeys<G>& t, const u32 (&rank)[G::kItems]) {
  const u32 held = share.held(n);
  const auto differs = [&](u32 i) {
    const u32 bin = binOf(i);
    return s.keys[bin] != t.k[i] && s.bins[bin + 1] - s.bins[bin] > most;
  };
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    if (rank[i] == 0) s.keys[binOf(i)] = t.k[i];
  }
  __syncthreads();
  if (__syncthreads_or(held > 0 && differs(0))) return false;
  bool differ = false;
#pragma unroll
  for (u32 i = 1; i < G::kItems; i++) {
    if (i >= held) break;
    differ |= differs(i);
  }
  return !__syncthreads_or(differ);
}

// placeEqualBins ends what splitTile began if overfullAreEqual: it writes out the
// n keys of a share that begins at 0. The keys of such a bin stay in any order.
template <typename G>
GS_DEVICE void placeEqualBins(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t,
                                const u32 (&rank)[G::kItems], typename G::Key* keys, u32 codec) {
  fillBins<G>(s, bins, share, n, t, rank);
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 j = threadIdx.x; j < n; j += G::kThreads) {
    const typename G::Key key = s.keys[j];
    const u32 bin = bins(key), first = s.bins[bin], end = s.bins[bin + 1];
    keys[end - first > kMostInBin ? j : rankInBin<G>(s, j, key, first, end)] = decode(codec, key);
  }
}

// markMixed marks the bins whose keys are not of one value, and returns, in all threads, whether there are any. Keys'
// place in shared memory is used for one of each bin. Ends with a barrier.
template <typename G>
GS_DEVICE bool markMixed(const TileShared<G>& s, const Bins<typename G::Key>& bins, u32 held, const TileKeys<G>& t, const u32 (&rank)[G::kItems]) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    if (rank[i] == 0) s.keys[bins(t.k[i])] = t.k[i];
  }
  __syncthreads();
  bool any = false;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    const u32 bin = bins(t.k[i]);
    if (s.keys[bin] != t.k[i]) atomicOr(&s.bins[bin], kMixed), any = true;
  }
  return __syncthreads_or(any);
}

// unmark takes the marks off. Ends with a barrier.
template <typename G> GS_DEVICE void unmark(const TileShared<G>& s) {
#pragma unroll
  for (u32 i = 0; i < 4 * G::kVectors; i++) s.bins[threadIdx.x * 4 * G::kVectors + i] &= ~kMixed;
  __syncthreads();
}

// placeMarked ends what splitTile began and markMixed went on with: it writes out the n keys of a share that begins
// at 0, those of a bin that is not mixed in any order.
template <typename G>
GS_DEVICE void placeMarked(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t, const u32 (&rank)[G::kItems],
                           typename G::Key* keys, u32 codec) {
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    s.keys[(s.bins[bins(t.k[i])] & ~kMixed) + rank[i]] = t.k[i];
  }
  padBins<G>(s, n);
  __syncthreads();
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 j = threadIdx.x; j < n; j += G::kThreads) {
    const typename G::Key key = s.keys[j];
    const u32 bin = bins(key), first = s.bins[bin];
    keys[(first & kMixed) == 0 ? j : rankInBin<G, true>(s, j, key, first & ~kMixed, s.bins[bin + 1] & ~kMixed)] = decode(codec, key);
  }
}

// markDisordered marks the bins whose n pairs, which lie bin by bin in shared memory, are not in order. Begins and
// ends with a barrier.
template <typename G> GS_DEVICE void markDisordered(const TileShared<G>& s, const Bins<typename G::Key>& bins, u32 n) {
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 j = threadIdx.x + 1; j < n; j += G::kThreads) {
    const typename G::Key key = keyInBin<G>(s, j), before = keyInBin<G>(s, j - 1);
    const u32 bin = bins(key);
    bool less;
    if constexpr (G::kOrders) less = s.ordered[j] < s.ordered[j - 1];
    else less = key < before || (key == before && s.from[j] < s.from[j - 1]);
    if (less && bins(before) == bin) atomicOr(&s.bins[bin], kMixed);
  }
  __syncthreads();
}

// placePairsOfEqualBins is placeEqualBins of pairs. Overfull bins, of which a tile has fewer than kDigits, get a
// digit each, and one ranking by them, as of a digit, puts the pairs of each in order.
template <typename G, u32 kMost = kMostInBin>
GS_DEVICE void placePairsOfEqualBins(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t,
                                  const u32 (&rank)[G::kItems], typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  static_assert(G::kTile / (kMost + 1) < kDigits - 1, "a digit for each overfull bin, and one more");
  constexpr u32 kNone = kDigits - 1;
  u16* const number = s.from;  // of an overfull bin
  const u32 held = share.held(n), slot = share.slot();
  if (threadIdx.x == 0) s.base[0] = 0;
  __syncthreads();
  u32 range[G::kItems];  // a bin's first slot, and in the upper half how many it has
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    range[i] = 0;
    if (i >= share.used) break;
    if (i >= held) continue;
    const u32 bin = bins(t.k[i]), first = s.bins[bin];
    range[i] = first | (s.bins[bin + 1] - first) << 16;
    if (range[i] >> 16 > kMost && rank[i] == 0) number[bin] = u16(atomicAdd(&s.base[0], 1u));
  }
  __syncthreads();
  PackedDigits<G::kItems> digits;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    digits.put(i, range[i] >> 16 > kMost ? u32(number[bins(t.k[i])]) : kNone);
  }
  __syncthreads();  // counters of digits take the place of those of bins
  u32 ofNumber[G::kItems];
  rankDigits<G>(s.counts, share, digits, ofNumber);
  if (threadIdx.x < kPairsOfDigits) sumRows<G>(s.counts);
  __syncthreads();
  const u16* const mine = s.counts + threadIdx.x / 32 * kDigits;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    ofNumber[i] = (range[i] & 0xffff) + (digits(i) != kNone ? mine[digits(i)] + ofNumber[i] : rank[i]);
  }
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    putInRange<G>(s, ofNumber[i], digits(i) != kNone ? ofNumber[i] | 1u << 16 : range[i], slot + 32 * i, t, i);
  }
  placeInRanges<G>(s, n, keys, values, codec, mode);
}

}  // namespace gs

#endif
