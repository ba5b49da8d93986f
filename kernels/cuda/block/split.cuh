// A tile split into bins. Keys are split by their highest varying bits into
// about as many bins as there are keys, by one counter a bin; then each key
// finds its place among the few of its bin. block/refine.cuh splits further the
// bins that are too large for that.
#ifndef GS_BLOCK_SPLIT
#define GS_BLOCK_SPLIT

#include "block/compare.cuh"

namespace gs {

// kMostInBin bounds the keys that one is compared with. The worst case, every
// key in a bin of 64, costs about as much as four rounds of block/refine.cuh;
// where a few bins are that large, as is usual, less than one.
constexpr u32 kMostInBin = 64;

// Log2<x>::value is the number of the highest bit of x.
template <int x> struct Log2 { static constexpr u32 value = 1 + Log2<x / 2>::value; };
template <> struct Log2<1> { static constexpr u32 value = 0; };

// sumOfWarpsBefore adds up what the warps before this one left in warpSums.
GS_DEVICE u32 sumOfWarpsBefore(const u32* warpSums) {
  return warpSum(laneID() < threadIdx.x / 32 ? warpSums[laneID()] : 0);
}

// countBins turns the bins' counts into their first slots; bins[kCounters] becomes
// the number of keys. It returns, in all threads, not 0 if a bin has more than kMost, or more than
// kLarge threads have bins of more than kMostInBin; for a kMost of less than kMostInBin it is how many threads have
// such bins. Begins after a barrier and ends with one.
template <typename G, u32 kMost = kMostInBin, u32 kLarge = ~0u> GS_DEVICE u32 countBins(const TileShared<G>& s) {
  constexpr int kVectors = G::kVectors;
  uint4* const mine = reinterpret_cast<uint4*>(s.bins) + threadIdx.x * kVectors;
  uint4 c[kVectors];
  u32 sum = 0;
  bool large = false, some = false;
#pragma unroll
  for (int i = 0; i < kVectors; i++) {
    c[i] = mine[i];
    sum += c[i].x + c[i].y + c[i].z + c[i].w;
    large |= c[i].x > kMost || c[i].y > kMost || c[i].z > kMost || c[i].w > kMost;
    if constexpr (kLarge != ~0u) some |= c[i].x > kMostInBin || c[i].y > kMostInBin || c[i].z > kMostInBin || c[i].w > kMostInBin;
  }
  const u32 inclusive = inclusiveSum(sum);
  if (laneID() == 31) s.warpSums[threadIdx.x / 32] = inclusive;
  u32 overfull;
  if constexpr (kMost < kMostInBin) {
    overfull = u32(__syncthreads_count(large));
  } else if constexpr (kLarge == ~0u) {
    overfull = u32(__syncthreads_or(large));
  } else {
    const u32 threads = u32(__syncthreads_count(some));
    overfull = threads > kLarge || (threads != 0 && __syncthreads_or(large)) ? 1 : 0;
  }
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
template <typename G> GS_DEVICE void putInBin(const TileShared<G>& s, u32 at, typename G::Key key, u32 from) {
  if constexpr (G::kOrders) {
    s.ordered[at] = typename G::Ordered(key) << G::kPlaceBits | from;
  } else {
    s.keys[at] = key;
    if constexpr (G::kPairs) s.from[at] = u16(from);
  }
}
template <typename G> GS_DEVICE typename G::Key keyInBin(const TileShared<G>& s, u32 at) {
  if constexpr (G::kOrders) return typename G::Key(s.ordered[at] >> G::kPlaceBits);
  else return s.keys[at];
}

// kRolls: a loop over a thread's items is not written out, where these lie in shared memory. Code that runs once
// waits for memory, and what is saved there outweighs what is done side by side, but for short keys (measured).
template <typename G> constexpr bool kRolls = sizeof(typename G::Key) == 8 || (G::kPairs && G::kItems > 5);

// kMixed marks the first slot of a bin whose keys are not of one value, or not in order.
constexpr u32 kMixed = 1u << 31;

// placeInBins writes out the n keys that lie bin by bin in shared memory: each
// at its rank among the keys of its bin, equal keys in the order of `from`. With
// no bits below the bin's, all keys of a bin are equal: then keys alone need no
// comparison, and bins may be of any size. kOverfull: many bins have more than a few keys; with
// kMarked those that are not marked are in order.
template <typename G, bool kOverfull = false, bool kMarked = false>
GS_DEVICE void placeInBins(const TileShared<G>& s, const Bins<typename G::Key>& bins, typename G::Key* keys, typename G::Value* values, u32 n,
                           u32 codec, u32 mode) {
  typedef typename G::Key K;
  constexpr bool kOne = kRolls<G> || kOverfull;
  constexpr int kUnroll = kOne ? 1 : G::kItems;
#pragma unroll kUnroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 j = i * G::kThreads + threadIdx.x;
    if ((kOne || kEndsEarly<G>) && j >= n) break;
    if (j >= n) continue;
    const K key = keyInBin<G>(s, j);
    u32 at = j;
    if (G::kPairs || bins.shift != 0) {
      const u32 bin = bins(key), first = s.bins[bin];
      if constexpr (kMarked) {
        if ((first & kMixed) != 0) at = rankInBin<G, kOverfull>(s, j, key, first & ~kMixed, s.bins[bin + 1] & ~kMixed);
      } else {
        at = rankInBin<G, kOverfull>(s, j, key, first, s.bins[bin + 1]);
      }
    }
    if (mode != kModeArgsort) keys[at] = decode(codec, key);
    if constexpr (G::kPairs) values[at] = s.values[j];
  }
}

// placeInRanges writes out the n keys that lie bin by bin in shared memory, where
// bins[j] says which slots slot j's bin has: the first, and in the upper half how
// many. Begins with a barrier.
template <typename G>
GS_DEVICE void placeInRanges(const TileShared<G>& s, u32 n, typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  padBins<G>(s, n);
  __syncthreads();
#pragma unroll 1  // a quarter of the code, which is seldom in the caches when it runs
  for (u32 j = threadIdx.x; j < n; j += G::kThreads) {
    const typename G::Key key = keyInBin<G>(s, j);
    const u32 bin = s.bins[j], first = bin & 0xffff;
    const u32 at = rankInBin<G>(s, j, key, first, first + (bin >> 16));
    if (mode != kModeArgsort) keys[at] = decode(codec, key);
    if constexpr (G::kPairs) values[at] = s.values[j];
  }
}

// putInRange brings key i of the thread, which is at place `from` of the tile, to slot `at`,
// as placeInRanges wants it; bin: of that slot.
template <typename G> GS_DEVICE void putInRange(const TileShared<G>& s, u32 at, u32 bin, u32 from, const TileKeys<G>& t, u32 i) {
  s.bins[at] = bin;
  putInBin<G>(s, at, t.k[i], from);
  if constexpr (G::kPairs) s.values[at] = t.v[i];
}

template <typename G> GS_DEVICE void clearBins(const TileShared<G>& s) {
#pragma unroll
  for (int i = 0; i < G::kVectors; i++) reinterpret_cast<uint4*>(s.bins)[i * G::kThreads + threadIdx.x] = make_uint4(0, 0, 0, 0);
}

// fillBins brings the keys bin by bin into shared memory. rank are the keys'
// numbers in their bins. Ends with a barrier.
template <typename G>
GS_DEVICE void fillBins(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t,
                        const u32 (&rank)[G::kItems]) {
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

// kWeighs: a bin of more than kSomeInBin keys, which uniform keys do not have, makes a tile of one block ask what its
// bins take to compare. Keys of 8 and 16 bits, and pairs of 64, have too little to gain.
template <typename G> constexpr bool kWeighs = G::kBlocks == 1 && sizeof(typename G::Key) >= 4 && G::kTile > 1024 && (!G::kPairs || sizeof(typename G::Key) == 4);
template <typename G> constexpr u32 kSomeInBin = kWeighs<G> ? 16 : kMostInBin;

// BinLoad says what it takes to compare the keys of bins with each other: how many comparisons, the sum of the
// squares of the bins' keys, and how many the largest bin has.
struct BinLoad {
  u32 comparisons, most;
};

// binLoad finds it of the bins that countBins counted, kMarked: of those that are mixed; the same in all threads. One
// barrier.
template <typename G, bool kMarked> GS_DEVICE BinLoad binLoad(const TileShared<G>& s) {
  static_assert(G::kTile < 1 << 16, "squares fit");
  const u32* const mine = s.bins + threadIdx.x * 4 * G::kVectors;
  u32 comparisons = 0, most = 0;
#pragma unroll
  for (u32 i = 0; i < 4 * G::kVectors; i++) {
    const u32 keys = (mine[i + 1] & ~kMixed) - (mine[i] & ~kMixed);
    if (kMarked && (mine[i] & kMixed) == 0) continue;
    comparisons += keys * keys;
    most = keys > most ? keys : most;
  }
  comparisons = warpSum(comparisons), most = warpMost(most);
  if (laneID() == 0) s.warpSums[threadIdx.x / 32] = comparisons, s.base[threadIdx.x / 32] = most;
  __syncthreads();
  const bool held = laneID() < G::kWarps;
  return {warpSum(held ? s.warpSums[laneID()] : 0), warpMost(held ? s.base[laneID()] : 0)};
}

// kCountsAlike: of runs of equal keys those of a warp's that are in one bin are counted together, in their order. The
// machine adds to one word lane by lane.
template <typename G> constexpr bool kCountsAlike = kWeighs<G> && G::kPairs;

// countAlike counts the lane's key, if it is valid, in its bin, and returns its number among those there, in no
// certain order but for keys of the first valid lane's bin, which are counted together: these are in order. All
// lanes.
GS_DEVICE u32 countAlike(u32* bins, bool valid, u32 bin) {
  const u32 lanes = __ballot_sync(kAllLanes, valid), lead = lanes == 0 ? 0 : u32(__ffs(int(lanes))) - 1;
  const u32 ofLead = __shfl_sync(kAllLanes, bin, lead), alike = __ballot_sync(kAllLanes, valid && bin == ofLead);
  const bool together = (alike >> laneID() & 1) != 0;
  u32 number = 0;
  if (valid && (!together || laneID() == lead)) number = atomicAdd(&bins[bin], together ? u32(__popc(alike)) : 1u);
  const u32 first = __shfl_sync(kAllLanes, number, lead);
  return together ? first + u32(__popc(alike & lanesBelow())) : number;
}

// countTile counts the bins of the tile's n keys, of a share that begins at 0, and returns what countBins does, or 0
// if bins need not be compared: their first slots are in shared memory then, and rank has each key's number in its
// bin, in no certain order. runs: many neighbours are equal. Begins after a barrier behind clearBins and ends with
// one.
template <typename G, u32 kMost = kMostInBin, u32 kLarge = ~0u>
GS_DEVICE u32 countTile(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t, u32 (&rank)[G::kItems], bool runs = false) {
  const u32 held = share.held(n);
  if (kCountsAlike<G> && runs) {
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i >= share.used) break;
      rank[i] = countAlike(s.bins, i < held, bins(t.k[i]));
    }
  } else {
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (kEndsEarly<G> && i >= held) break;
      if (i >= held) continue;
      rank[i] = atomicAdd(&s.bins[bins(t.k[i])], 1u);
    }
  }
  __syncthreads();
  const u32 overfull = countBins<G, kMost, kLarge>(s);
  return G::kPairs || bins.shift != 0 ? overfull : 0;
}

// splitTile is countTile, and brings the keys bin by bin into shared memory. If bins are too large, as countBins has
// it, it calls large, in all threads, with each key's number in its bin and what countBins returned, and returns
// false: the keys are still in registers then. Begins and ends as countTile.
template <typename G, u32 kMost = kMostInBin, u32 kLarge = ~0u, typename Large>
GS_DEVICE bool splitTile(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t, Large large) {
  u32 rank[G::kItems];
  const u32 overfull = countTile<G, kMost, kLarge>(s, bins, share, n, t, rank);
  if (overfull != 0) {
    large(rank, overfull);
    return false;
  }
  fillBins<G>(s, bins, share, n, t, rank);
  return true;
}

// shiftFor is the shift that brings numbers of so many bits to bins.
template <typename G> GS_DEVICE u32 shiftFor(u32 bits) {
  constexpr u32 kBinBits = Log2<G::kTile>::value;
  return bits > kBinBits ? bits - kBinBits : 0;
}

// lowest is the least key with sample's bits from bit number `bits` upwards.
template <typename K> GS_DEVICE K lowest(K sample, u32 bits) { return bits >= 8 * sizeof(K) ? K(0) : K(sample >> bits << bits); }

}  // namespace gs

#endif
