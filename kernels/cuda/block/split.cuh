// A tile sorted by bins. A bin is an interval of keys; all are equally wide. Their number goes by the tile's size, not
// by n: at most 2^⌊log2 kTile⌋, and more than half of that unless the keys' range is smaller. So a bin of evenly spread
// keys has one or two in a full tile, and most are empty in others. Keys are counted by bin and moved bin by bin to
// shared memory. Then each key is compared with the few others of its bin, which gives its rank. If keys are so
// unevenly spread that passes by digits would take less time, the split says so and leaves them in registers.
#ifndef GS_BLOCK_SPLIT
#define GS_BLOCK_SPLIT

#include "block/compare.cuh"

namespace gs {

// kMostInBin: if no bin has more keys, comparing them always takes less time than passes. If one has, isCompared looks
// at all bins.
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

// Intervals numbers intervals of keys, all equally wide: key k is in number (k − low) >> shift. They are a tile's bins,
// with numbers below kTile, or a grid's digits, below kDigits.
template <typename K> struct Intervals {
  K low;
  u32 shift;
  GS_DEVICE u32 operator()(K k) const { return u32(K(k - low) >> shift); }
};

// putInBin writes a key and its place in the input to slot `at`. keyInBin reads the key.
template <typename G> GS_DEVICE void putInBin(const TileShared<G>& s, u32 at, KeyOf<G> key, u32 from) {
  if constexpr (G::kJoins) {
    s.joined[at] = typename G::Joined(key) << G::kPlaceBits | from;
  } else {
    s.keys[at] = key;
    if constexpr (G::kPairs) s.from[at] = u16(from);
  }
}
template <typename G> GS_DEVICE KeyOf<G> keyInBin(const TileShared<G>& s, u32 at) {
  if constexpr (G::kJoins) return KeyOf<G>(s.joined[at] >> G::kPlaceBits);
  else return s.keys[at];
}

// kRolls: a loop over items in shared memory is not unrolled. Its code runs once, so that fetching long code costs more
// than doing several items at once saves; for short keys it is the other way round (measured).
template <typename G> constexpr bool kRolls = sizeof(KeyOf<G>) == 8 || (G::kPairs && G::kItems > 5);

// placeInBins writes the n items, which lie bin by bin in shared memory, to their ranks. Equal keys keep the order of
// the input. With shift 0 all keys of a bin are equal: then keys without values are not compared, and bins may have any
// size.
template <typename G>
GS_DEVICE void placeInBins(const TileShared<G>& s, const Intervals<KeyOf<G>>& bins, KeyOf<G>* keys, ValueOf<G>* values,
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

// fillBins moves the items bin by bin to shared memory. rank[i] is the number of item i in its bin. Ends with a
// barrier.
template <typename G>
GS_DEVICE void fillBins(const TileShared<G>& s, const Intervals<KeyOf<G>>& bins, const Share& share, u32 n,
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

// Bins take less time than passes with up to kMostComparisons comparisons a key and up to kMostDeep keys in a bin.
constexpr u32 kMostComparisons = 32, kMostDeep = 256;

// isCompared says, in all threads, whether the bins that countBins counted are within these limits. The number of
// comparisons is the sum of the squares of the bins' sizes. One barrier.
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

// areSpread says, in all threads, whether counting the tile's bins is worthwhile. Counting many keys of one bin takes
// long, since atomics on one counter take turns. One barrier.
//
// Each thread compares the bins of its first two keys, which are 32 places apart. Two keys of uniform input share a bin
// with probability 1/kTile, so that a tile has less than one such pair on average. More than kMostAlike pairs mean that
// a few bins hold most keys. Sorted input has such pairs only if a bin has more than 32 keys.
template <typename G>
GS_DEVICE bool areSpread(const Intervals<KeyOf<G>>& bins, const Share& share, u32 n, const TileKeys<G>& t) {
  constexpr u32 kMostAlike = 8;
  const bool alike = share.used > 1 && share.slot() + 32 < n && bins(t.k[0]) == bins(t.k[1]);
  return u32(__syncthreads_count(alike)) <= kMostAlike;
}

// splitTile moves the n items of a share that begins at 0 bin by bin to shared memory. If they are too unevenly spread,
// it leaves them in registers and returns false, in all threads. clearBins must come before it; the barrier between is
// areSpread's. Ends with a barrier.
template <typename G>
GS_DEVICE bool splitTile(const TileShared<G>& s, const Intervals<KeyOf<G>>& bins, const Share& share, u32 n,
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

// shiftFor is the shift that makes bin numbers of distances of `bits` bits.
template <typename G> GS_DEVICE u32 shiftFor(u32 bits) {
  constexpr u32 kBinBits = Log2<G::kTile>::value;
  return bits > kBinBits ? bits - kBinBits : 0;
}

}  // namespace gs

#endif
