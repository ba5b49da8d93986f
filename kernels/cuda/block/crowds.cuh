// Crowded bins of keys alone: where skew fills bins with more keys than one is
// compared with, either each such bin holds one value, or the tile is sorted by
// comparisons, which take the same time whatever the keys are.
//
// The tile lies in shared memory, and at most one warp in four sorts: 16 keys a
// thread, since a step of a network between registers takes half the instructions
// of one between lanes, and a round of merging costs each warp a search.
//
//   runs    each warp sorts 512 keys in registers by a bitonic network, mirrored
//           so that all comparators point the same way
//   rounds  runs of w keys become runs of 2·w; each warp writes 512 keys of the
//           result. It finds by merge path which keys of the two runs they are,
//           reads those of the second backwards, and a bitonic merge of nine
//           steps, four between registers, puts them in order
//
// Memory order: the two halves of shared memory take turns. A barrier ends each
// round: what a round writes nobody reads before it, and what it overwrites was
// read in the round before.
#ifndef GS_BLOCK_CROWDS
#define GS_BLOCK_CROWDS

#include "block/split.cuh"
#include "warp/bitonic.cuh"
#include "warp/mergepath.cuh"

namespace gs {

constexpr u32 kRunItems = 16, kRunKeys = 32 * kRunItems;

// crowdsAreEqual returns, in all threads, whether each bin of more than
// kMostInBin keys holds one value. A quarter of the keys is looked at first,
// which in a skewed tile finds two values. Keys' place in shared memory is used
// for a sample of each bin. Ends with a barrier.
template <typename G>
GS_DEVICE bool crowdsAreEqual(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t,
                              const u32 (&rank)[G::kItems]) {
  const u32 slot = share.slot();
  const auto differs = [&](u32 i) {
    if (i >= share.used || slot + 32 * i >= n) return false;
    const u32 bin = bins(t.k[i]);
    return s.keys[bin] != t.k[i] && s.bins[bin + 1] - s.bins[bin] > kMostInBin;
  };
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < share.used && slot + 32 * i < n && rank[i] == 0) s.keys[bins(t.k[i])] = t.k[i];
  }
  __syncthreads();
  if (__syncthreads_or(differs(0))) return false;
  bool differ = false;
#pragma unroll
  for (u32 i = 1; i < G::kItems; i++) differ |= differs(i);
  return !__syncthreads_or(differ);
}

// placeEqualCrowds ends what splitTile began if crowdsAreEqual: it writes out the
// n keys of a share that begins at 0. The keys of a crowd stay in any order.
template <typename G>
GS_DEVICE void placeEqualCrowds(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t,
                                const u32 (&rank)[G::kItems], typename G::Key* keys, u32 codec) {
  fillBins<G>(s, bins, share, n, t, rank);
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 j = threadIdx.x; j < n; j += G::kThreads) {
    const typename G::Key key = s.keys[j];
    const u32 bin = bins(key), first = s.bins[bin], end = s.bins[bin + 1];
    keys[end - first > kMostInBin ? j : rankInBin<G>(s, j, key, first, end)] = decode(codec, key);
  }
}

// Units are 1 and -1 as numbers that the compiler does not know, so that products
// with them stay products.
struct Units {
  u32 one, minus;
};

// orderKeys puts the smaller key into a. Comparisons, minima and selections all
// run in one of a multiprocessor's two integer pipes, each at half the rate of
// issue, and bound these sorts. With kProducts the larger key is what is left of
// the sum, by two multiplications, which run in the other pipe.
template <bool kProducts> GS_DEVICE void orderKeys(const Units& u, u32& a, u32& b) {
  const u32 smaller = least(a, b);
  if constexpr (kProducts) {
    const u32 rest = b + smaller * u.minus;
    b = a + rest * u.one;
  } else {
    b = a < b ? b : a;
  }
  a = smaller;
}

// orderItem is number `turn` of many comparators. Two of three use products: four
// instructions of each pipe for three comparators.
GS_DEVICE void orderItem(const Units& u, u32 turn, u32& a, u32& b) {
  if (turn % 3 == 0) {
    orderKeys<false>(u, a, b);
  } else {
    orderKeys<true>(u, a, b);
  }
}

// mergeItems orders a bitonic sequence of a thread's keys.
GS_DEVICE void mergeItems(const Units& u, u32 (&k)[kRunItems]) {
#pragma unroll
  for (u32 d = kRunItems / 2; d > 0; d /= 2) {
#pragma unroll
    for (u32 i = 0; i < kRunItems; i++) {
      if ((i & d) == 0) orderItem(u, i, k[i], k[i + d]);
    }
  }
}

// oddEvenMerge merges a thread's runs of kLength keys in pairs, by the steps of
// distance kStep and less of Batcher's odd-even merge (1968).
template <u32 kLength, u32 kStep> GS_DEVICE void oddEvenMerge(const Units& u, u32 (&k)[kRunItems]) {
  constexpr u32 kFirst = kStep % kLength;
#pragma unroll
  for (u32 i = kFirst; i + kStep < kRunItems; i++) {
    if ((i - kFirst) / kStep % 2 == 0 && i / (2 * kLength) == (i + kStep) / (2 * kLength)) orderItem(u, i, k[i], k[i + kStep]);
  }
  if constexpr (kStep > 1) oddEvenMerge<kLength, kStep / 2>(u, k);
}

// sortItems sorts a thread's keys, which lie in runs of kLength.
template <u32 kLength = 1> GS_DEVICE void sortItems(const Units& u, u32 (&k)[kRunItems]) {
  if constexpr (kLength < kRunItems) {
    oddEvenMerge<kLength, kLength>(u, k);
    sortItems<2 * kLength>(u, k);
  }
}

// sortRun sorts a warp's run: thread l ends with keys 16·l to 16·l + 15 of it.
GS_DEVICE void sortRun(const Units& u, u32 (&k)[kRunItems]) {
  sortItems(u, k);
#pragma unroll 1
  for (u32 lanes = 1; lanes <= 5; lanes++) {
    shuffleMirror(k, lanes);
#pragma unroll 1
    for (u32 mask = 1u << (lanes - 1) >> 1; mask != 0; mask >>= 1) shuffleStep(k, mask);
    mergeItems(u, k);
  }
}

// storeRun writes what sortRun left. Eight threads store 16 bytes at a time, and
// neighbours' keys lie 64 bytes apart: thread l stores its four vectors in the
// order 0, 1, 2, 3 xor l/2, so that the eight cover all banks.
GS_DEVICE void storeRun(u32* run, const u32 (&k)[kRunItems]) {
  const u32 turn = laneID() / 2 % 4;
  uint4 v[4];
#pragma unroll
  for (u32 j = 0; j < 4; j++) v[j] = make_uint4(k[4 * j], k[4 * j + 1], k[4 * j + 2], k[4 * j + 3]);
  const auto swapIf = [](bool p, uint4& a, uint4& b) {
    const uint4 x = a, y = b;
    a = make_uint4(p ? y.x : x.x, p ? y.y : x.y, p ? y.z : x.z, p ? y.w : x.w);
    b = make_uint4(p ? x.x : y.x, p ? x.y : y.y, p ? x.z : y.z, p ? x.w : y.w);
  };
  swapIf(turn & 1, v[0], v[1]);
  swapIf(turn & 1, v[2], v[3]);
  swapIf(turn & 2, v[0], v[2]);
  swapIf(turn & 2, v[1], v[3]);
#pragma unroll
  for (u32 j = 0; j < 4; j++) reinterpret_cast<uint4*>(run)[4 * laneID() + (j ^ turn)] = v[j];
}

// halfWarpPath is the merge path of warp/mergepath.cuh for two runs of `width`
// keys, width <= 2048. Each half of the warp may ask for a diagonal of its own.
// A look divides what is left by 16, rounded up to an odd number, so that 16
// probes meet in no bank: at most 128 are left of 2048, 8 of those, and none.
GS_DEVICE u32 halfWarpPath(const u32* a, const u32* b, u32 width, u32 diagonal) {
  const u32 half = laneID() & 16, lane = laneID() & 15;
  u32 lo = diagonal > width ? diagonal - width : 0, left = least(diagonal, width) - lo;
#pragma unroll 1
  for (int look = 0; look < 3; look++) {
    const u32 step = (left + 15) / 16 | 1, ahead = lane * step + step - 1, x = lo + ahead;
    bool before = false;
    if (ahead < left) before = a[x] <= b[diagonal - 1 - x];
    const u32 passed = u32(__popc(__ballot_sync(kAllLanes, before) >> half & 0xffff)) * step;
    lo += passed;
    left = least(left - passed, step - 1);
  }
  return lo;
}

// mergeRuns writes the kRunKeys keys from number `first` on of the tile whose
// runs of `width` keys are merged in pairs. first is a multiple of kRunKeys, the
// same in the whole warp.
GS_DEVICE void mergeRuns(const Units& u, const u32* from, u32* to, u32 width, u32 first) {
  const u32 diagonal = first & (2 * width - 1), lane = laneID();
  const u32* const a = from + (first - diagonal);
  const u32* const b = a + width;
  const u32 path = halfWarpPath(a, b, width, diagonal + (lane < 16 ? 0 : kRunKeys));
  const u32 a0 = __shfl_sync(kAllLanes, path, 0), a1 = __shfl_sync(kAllLanes, path, 16);
  // Number e of the bitonic sequence is A[a0 + e] for e < a1 - a0, and then comes
  // B backwards, down to B[diagonal - a0] for e = kRunKeys - 1.
  // Offsets in bytes: a shift for each key less.
  const u32 up = 4 * (first - diagonal + a0 + lane), down = 4 * (first + width + kRunKeys - 1 - a0 - lane);
  const int ofA = int(a1 - a0) - int(lane);
  u32 k[kRunItems];
#pragma unroll
  for (int i = 0; i < int(kRunItems); i++) {
    const u32 at = 32 * i < ofA ? up + 128 * i : down - 128 * i;
    k[i] = *reinterpret_cast<const u32*>(reinterpret_cast<const char*>(from) + at);
  }
  // Register i holds number 32·i + lane: distances 256 to 32, then 16 to 1.
  mergeItems(u, k);
  // A step between lanes costs half the shuffles if each of two lanes compares
  // half of their keys: a lane gives away register i or i + 8. Then the registers'
  // highest bit stands for the distance just compared, and the lane's bit for what
  // the registers' bit stood for: in the end 256 for the lane's highest bit, and
  // for the others twice their own weight.
#pragma unroll 1
  for (u32 mask = 16; mask != 0; mask >>= 1) {
    const bool upper = lane & mask;
#pragma unroll
    for (u32 i = 0; i < 8; i++) {
      u32 &x = k[i], &y = k[i + 8];
      const u32 given = upper ? x : y;
      x = upper ? y : x;
      y = __shfl_xor_sync(kAllLanes, given, mask);
      orderKeys<true>(u, x, y);  // the selections keep the other pipe busy
    }
  }
  u32* const mine = to + first + lane / 16 * 256 + lane % 16 * 2;
#pragma unroll
  for (u32 i = 0; i < 8; i++) *reinterpret_cast<uint2*>(mine + 32 * i) = uint2{k[i], k[i + 8]};
}

// sortByMerging sorts the n keys of a share that begins at 0, and writes them
// out. Behind them come the largest key's bits, which end up behind all others.
// Begins after a barrier.
template <typename G> GS_DEVICE void sortByMerging(const TileShared<G>& s, const Share& share, u32 n, const TileKeys<G>& t, u32* keys, u32 codec) {
  static_assert(sizeof(typename G::Key) == 4 && !G::kPairs, "keys of 32 bits alone");
  static_assert(G::kTile % kRunKeys == 0 && G::kTile <= 4096, "whole runs, and widths of halfWarpPath");
  const u32 one = s.bins[G::kTile] - n + 1;  // countBins left n there
  const Units u = {one, 0 - one};
  u32 end = kRunKeys;  // a power of two: every run has one to merge with
  while (end < share.slots) end *= 2;
  const u32 first = threadIdx.x / 32 * kRunKeys;
  const bool merges = first < end;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) s.keys[i * G::kThreads + threadIdx.x] = t.k[i];
  __syncthreads();
  if (merges) {
    u32 k[kRunItems];
#pragma unroll
    for (u32 i = 0; i < kRunItems; i++) k[i] = s.keys[first + 32 * i + laneID()];
    sortRun(u, k);
    storeRun(s.bins + first, k);
  }
  __syncthreads();
  u32 *from = s.bins, *to = s.keys;
#pragma unroll 1
  for (u32 width = kRunKeys; width < end; width *= 2) {
    if (merges) mergeRuns(u, from, to, width, first);
    __syncthreads();
    u32* const swap = from;
    from = to;
    to = swap;
  }
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    const u32 j = i * G::kThreads + threadIdx.x;
    if (j < n) keys[j] = decode(codec, from[j]);
  }
}

}  // namespace gs

#endif
