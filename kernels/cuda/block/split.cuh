// A tile split into bins. Keys are split by their distance to the least one into
// about as many bins as there are keys, by one counter a bin; then each key
// finds its place among the few of its bin. Where keys are so unevenly spread that
// comparing them would take longer than passes by digits, it says so.
#ifndef GS_BLOCK_SPLIT
#define GS_BLOCK_SPLIT

#include "block/compare.cuh"

namespace gs {

// kMostInBin: with no bin of more keys, comparing them takes less than what else there is.
constexpr u32 kMostInBin = 16;

// Log2<x>::value is the number of the highest bit of x.
template <int x> struct Log2 { static constexpr u32 value = 1 + Log2<x / 2>::value; };
template <> struct Log2<1> { static constexpr u32 value = 0; };

// sumOfWarpsBefore adds up what the warps before this one left in warpSums.
GS_DEVICE u32 sumOfWarpsBefore(const u32* warpSums) {
  return warpSum(laneID() < threadIdx.x / 32 ? warpSums[laneID()] : 0);
}

// countBins turns the bins' counts into their first slots; bins[kCounters] becomes
// the number of keys. It returns, in all threads, whether a bin has more than kMostInBin. Begins after a barrier and
// ends with one.
template <typename G> GS_DEVICE bool countBins(const TileShared<G>& s) {
  constexpr int kVectors = G::kVectors;
  uint4* const mine = reinterpret_cast<uint4*>(s.bins) + threadIdx.x * kVectors;
  uint4 c[kVectors];
  u32 sum = 0;
  bool large = false;
#pragma unroll
  for (int i = 0; i < kVectors; i++) {
    c[i] = mine[i];
    sum += c[i].x + c[i].y + c[i].z + c[i].w;
    large |= c[i].x > kMostInBin || c[i].y > kMostInBin || c[i].z > kMostInBin || c[i].w > kMostInBin;
  }
  const u32 inclusive = inclusiveSum(sum);
  if (laneID() == 31) s.warpSums[threadIdx.x / 32] = inclusive;
  const bool overfull = __syncthreads_or(large);
  u32 run = sumOfWarpsBefore(s.warpSums) + inclusive - sum;
#pragma unroll
  for (int i = 0; i < kVectors; i++) {
    const u32 x = run, y = x + c[i].x, z = y + c[i].y, w = z + c[i].z;
    mine[i] = make_uint4(x, y, z, w);
    run = w + c[i].w;
  }
  if (threadIdx.x == G::kThreads - 1) s.bins[G::kCounters] = run;
  __syncthreads();
  return overfull;
}

// Bins number the keys of a tile: bin(k) = (k − low) >> shift, below kTile.
template <typename K> struct Bins {
  K low;
  u32 shift;
  GS_DEVICE u32 operator()(K k) const { return u32(K(k - low) >> shift); }
};

// putInBin puts a key and its place in the input to slot `at`, and keyInBin reads it there.
template <typename G> GS_DEVICE void putInBin(const TileShared<G>& s, u32 at, KeyOf<G> key, u32 from) {
  if constexpr (G::kOrders) {
    s.ordered[at] = typename G::Ordered(key) << G::kPlaceBits | from;
  } else {
    s.keys[at] = key;
    if constexpr (G::kPairs) s.from[at] = u16(from);
  }
}
template <typename G> GS_DEVICE KeyOf<G> keyInBin(const TileShared<G>& s, u32 at) {
  if constexpr (G::kOrders) return KeyOf<G>(s.ordered[at] >> G::kPlaceBits);
  else return s.keys[at];
}

// kRolls: a loop over a thread's items is not written out, where these lie in shared memory. Code that runs once
// waits for memory, and what is saved there outweighs what is done side by side, but for short keys (measured).
template <typename G> constexpr bool kRolls = sizeof(KeyOf<G>) == 8 || (G::kPairs && G::kItems > 5);

// placeInBins writes out the n keys that lie bin by bin in shared memory: each
// at its rank among the keys of its bin, equal keys in the order of `from`. With
// no bits below the bin's, all keys of a bin are equal: then keys alone need no
// comparison, and bins may be of any size.
template <typename G>
GS_DEVICE void placeInBins(const TileShared<G>& s, const Bins<KeyOf<G>>& bins, KeyOf<G>* keys, ValueOf<G>* values,
                           u32 n, u32 codec, u32 mode) {
  constexpr int kUnroll = kRolls<G> ? 1 : G::kItems;
#pragma unroll kUnroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 j = i * G::kThreads + threadIdx.x;
    if ((kRolls<G> || kEndsEarly<G>) && j >= n) break;
    if (j >= n) continue;
    const KeyOf<G> key = keyInBin<G>(s, j);
    u32 at = j;
    if (G::kPairs || bins.shift != 0) {
      const u32 bin = bins(key);
      at = rankInBin<G>(s, j, key, s.bins[bin], s.bins[bin + 1]);
    }
    if (mode != kModeArgsort) keys[at] = decode(codec, key);
    if constexpr (G::kPairs) values[at] = s.values[j];
  }
}

template <typename G> GS_DEVICE void clearBins(const TileShared<G>& s) {
#pragma unroll
  for (int i = 0; i < G::kVectors; i++)
    reinterpret_cast<uint4*>(s.bins)[i * G::kThreads + threadIdx.x] = make_uint4(0, 0, 0, 0);
}

// fillBins brings the keys bin by bin into shared memory. rank are the keys'
// numbers in their bins. Ends with a barrier.
template <typename G>
GS_DEVICE void fillBins(const TileShared<G>& s, const Bins<KeyOf<G>>& bins, const Share& share, u32 n,
                        const TileKeys<G>& t, const u32 (&rank)[G::kItems]) {
  const u32 slot = share.slot(), held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    const u32 at = s.bins[bins(t.k[i])] + rank[i];
    putInBin<G>(s, at, t.k[i], slot + 32 * i);
    if constexpr (G::kPairs) s.values[at] = t.v[i];
  }
  padBins<G>(s, n);
  __syncthreads();
}

// kMostComparisons a key take less than passes by digits if no bin has more than kMostDeep keys.
constexpr u32 kMostComparisons = 32, kMostDeep = 256;

// isCompared says, in all threads, whether comparing the keys of the bins that countBins counted takes so few: the sum
// of the squares of the bins' keys. One barrier.
template <typename G> GS_DEVICE bool isCompared(const TileShared<G>& s, u32 n) {
  static_assert(G::kTile < 1 << 16, "squares fit");
  const u32* const mine = s.bins + threadIdx.x * 4 * G::kVectors;
  u32 comparisons = 0, most = 0;
#pragma unroll
  for (u32 i = 0; i < 4 * G::kVectors; i++) {
    const u32 keys = mine[i + 1] - mine[i];
    comparisons += keys * keys;
    most = keys > most ? keys : most;
  }
  comparisons = warpSum(comparisons), most = warpGreatest(most);
  if (laneID() == 0) s.warpSums[threadIdx.x / 32] = comparisons, s.base[threadIdx.x / 32] = most;
  __syncthreads();
  const bool held = laneID() < G::kWarps;
  return warpSum(held ? s.warpSums[laneID()] : 0) <= kMostComparisons * n &&
      warpGreatest(held ? s.base[laneID()] : 0) <= kMostDeep;
}

// kMostAlike of a tile's pairs may be in one bin, one pair of a thread, 32 places apart: of many pairs the part that
// is the sum of the squares of the bins' shares, which n times are the comparisons of a key. Of uniform keys a quarter
// of a pair is on average. Sorted keys are alike only where a bin has more keys than that.
constexpr u32 kMostAlike = 8;

// areSpread says, in all threads, whether it is worthwhile to count the tile's bins: counting many keys of one bin
// takes turns. One barrier.
template <typename G>
GS_DEVICE bool areSpread(const Bins<KeyOf<G>>& bins, const Share& share, u32 n, const TileKeys<G>& t) {
  const bool alike = share.used > 1 && share.slot() + 32 < n && bins(t.k[0]) == bins(t.k[1]);
  return u32(__syncthreads_count(alike)) <= kMostAlike;
}

// splitTile brings the n keys of a share that begins at 0 bin by bin into shared memory, or returns false, in all
// threads, if they are too unevenly spread: the keys are still in registers then. Begins after clearBins and ends with
// a barrier.
template <typename G>
GS_DEVICE bool splitTile(const TileShared<G>& s, const Bins<KeyOf<G>>& bins, const Share& share, u32 n,
                         const TileKeys<G>& t) {
  if (!areSpread<G>(bins, share, n, t)) return false;
  const u32 held = share.held(n);
  u32 rank[G::kItems];
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (kEndsEarly<G> && i >= held) break;
    if (i >= held) continue;
    rank[i] = atomicAdd(&s.bins[bins(t.k[i])], 1u);
  }
  __syncthreads();
  if (countBins<G>(s) && (G::kPairs || bins.shift != 0) && !isCompared<G>(s, n)) return false;
  fillBins<G>(s, bins, share, n, t, rank);
  return true;
}

// shiftFor is the shift that brings numbers of so many bits to bins.
template <typename G> GS_DEVICE u32 shiftFor(u32 bits) {
  constexpr u32 kBinBits = Log2<G::kTile>::value;
  return bits > kBinBits ? bits - kBinBits : 0;
}

}  // namespace gs

#endif
