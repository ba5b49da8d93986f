// Stable passes by 8-bit digits over keys that stay on chip, in one block or in
// a cluster of them. A Group says how its blocks work together: Alone is here,
// Cluster in block/cluster.cuh.
#ifndef GS_BLOCK_DIGITS
#define GS_BLOCK_DIGITS

#include "block/tile.cuh"

namespace gs {

// Alone is the group of one block.
struct Alone {
  u32 blocks = 1, rank = 0;
  GS_DEVICE void sync() const { __syncthreads(); }
  template <typename F> GS_DEVICE void each(F f) const { f(0u); }
  template <typename T> GS_DEVICE T* shared(T* p, u32) const { return p; }
  GS_DEVICE u32 blockOf(u32) const { return 0; }
};

// PackedDigits are the digits of a thread's keys, in a quarter of their registers.
template <u32 kItems> struct PackedDigits {
  u32 words[(kItems + 3) / 4] = {};
  GS_DEVICE void put(u32 i, u32 digit) { words[i / 4] |= digit << (8 * (i % 4)); }
  // push puts the last digit, and makes the others those before it: all kItems pushed are all digits.
  GS_DEVICE void push(u32 digit) {
    static_assert(kItems % 4 == 0, "whole words");
#pragma unroll
    for (u32 w = 0; w < kItems / 4; w++) words[w] = words[w] >> 8 | (w + 1 < kItems / 4 ? words[w + 1 < kItems / 4 ? w + 1 : w] : digit) << 24;
  }
  GS_DEVICE u32 operator()(u32 i) const { return words[i / 4] >> (8 * (i % 4)) & (kDigits - 1); }
};

template <typename G> GS_DEVICE void clearRows(u16* counts) {
  static_assert(16 * G::kThreads == 2 * G::kWarps * kDigits, "one vector of counters per thread");
  reinterpret_cast<uint4*>(counts)[threadIdx.x] = make_uint4(0, 0, 0, 0);
}

// rankDigits numbers each key of the block among its warp's keys with that digit,
// in order, and leaves the warp's number of keys of each digit in its row of
// counts. digitOf(i) is the digit of a thread's i-th key. Begins without a barrier or,
// kCleared, after one behind clearRows; ends with one.
template <typename G, bool kCleared = false, typename Digit>
GS_DEVICE void rankDigits(u16* counts, const Share& share, Digit digitOf, u32 (&rank)[G::kItems]) {
  u16* const mine = counts + threadIdx.x / 32 * kDigits;
  const u32 below = lanesBelow(), above = lanesAbove();
  if constexpr (!kCleared) {
    clearRows<G>(counts);
    __syncthreads();
  }
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    const u32 digit = digitOf(i);
    const u32 peers = matchDigit(digit);
    rank[i] = mine[digit] + __popc(peers & below);
    __syncwarp();
    if ((peers & above) == 0) mine[digit] = u16(rank[i] + 1);
    __syncwarp();
  }
  __syncthreads();
}

constexpr u32 kPairsOfDigits = kDigits / 2;

// sumRows replaces a warp's count of a digit by the sum of those of the warps
// before it, and returns the block's. Thread d < kPairsOfDigits does it for
// digits 2d and 2d+1, two counts to a word.
template <typename G> GS_DEVICE u32 sumRows(u16* counts) {
  u32* const column = reinterpret_cast<u32*>(counts) + threadIdx.x;
  u32 c[G::kWarps], sum = 0;
#pragma unroll
  for (int w = 0; w < G::kWarps; w++) c[w] = column[w * kPairsOfDigits];
#pragma unroll
  for (int w = 0; w < G::kWarps; w++) {
    column[w * kPairsOfDigits] = sum;
    sum += c[w];
  }
  return sum;
}

// DigitStart says where a digit's keys begin: all of the group's, and this
// block's. Valid in threads d < kDigits.
struct DigitStart {
  u32 all, first, before;  // keys with the digit; the first one's rank; those of the blocks before this one
};

// digitStarts adds up the blocks' totals. Holds a barrier.
template <typename G, typename Group> GS_DEVICE DigitStart digitStarts(const TileShared<G>& s, const Group& group) {
  const u32 d = threadIdx.x;
  DigitStart r = {0, 0, 0};
  u32 inclusive = 0;
  if (d < kDigits) {
    for (u32 b = 0; b < group.blocks; b++) {
      const u32 total = s.totals[b * kDigits + d];
      r.all += total;
      if (b < group.rank) r.before += total;
    }
    inclusive = inclusiveSum(r.all);
    if (laneID() == 31) s.warpSums[d / 32] = inclusive;
  }
  __syncthreads();
  if (d < kDigits) {
    r.first = inclusive - r.all;
#pragma unroll
    for (u32 w = 0; w < kDigits / 32; w++) {
      if (w < d / 32) r.first += s.warpSums[w];
    }
  }
  return r;
}

// countDigits is the first half of a pass: rankDigits, sumRows, and every block
// gets this one's totals. Begins as rankDigits and ends with a barrier of the group.
template <typename G, bool kCleared = false, typename Group, typename Digit>
GS_DEVICE void countDigits(const TileShared<G>& s, const Group& group, const Share& share, Digit digitOf, u32 (&rank)[G::kItems]) {
  rankDigits<G, kCleared>(s.counts, share, digitOf, rank);
  if (threadIdx.x < kPairsOfDigits) {
    const u32 sum = sumRows<G>(s.counts);
    u32* const total = reinterpret_cast<u32*>(s.totals) + group.rank * kPairsOfDigits + threadIdx.x;
    group.each([&](u32 block) { *group.shared(total, block) = sum; });
  }
  group.sync();
}

// exchangeTile moves the group's keys to their places, which base, the rows of counts and
// rank tell, and back to registers: a thread has its keys of the new order. Begins with
// every block's keys in registers, after a barrier, and ends with one of the group.
template <typename G, typename Group, typename Digit>
GS_DEVICE void exchangeTile(const TileShared<G>& s, const Group& group, const Share& share, Digit digitOf, const u32 (&rank)[G::kItems], TileKeys<G>& t) {
  const u16* const mine = s.counts + threadIdx.x / 32 * kDigits;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    const u32 digit = digitOf(i);
    const u32 at = s.base[digit] + mine[digit] + rank[i];
    const u32 block = group.blockOf(at);
    const u32 slot = at - block * share.slots;
    group.shared(s.keys, block)[slot] = t.k[i];
    if constexpr (G::kPairs) group.shared(s.values, block)[slot] = t.v[i];
  }
  group.sync();
  const u32 slot = share.slot();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    t.k[i] = s.keys[slot + 32 * i];
    if constexpr (G::kPairs) t.v[i] = s.values[slot + 32 * i];
  }
}

// digitPass orders the group's keys by digit number `pass`, keys of equal
// digits as they were. Every block of the group calls it, all threads.
//
//   1  rankDigits and sumRows; every block gets this one's number of keys of
//      each digit
//   2  thread d < 256 adds the blocks' numbers: where its digit begins, and where
//      this block's keys of it do
//   3  each key goes to its place in the shared memory of its block, and each
//      thread reads its keys of the new order
//
// A block's arrays are written by others only between the two barriers of the
// group: totals before the first, keys and values after it, when every block
// has its keys in registers.
template <typename G, typename Group>
GS_DEVICE void digitPass(const TileShared<G>& s, const Group& group, const Share& share, u32 pass, TileKeys<G>& t) {
  const DigitOf<typename G::Key> digitOf(pass);
  u32 rank[G::kItems];
  countDigits<G>(s, group, share, [&](u32 i) { return digitOf(t.k[i]); }, rank);
  const DigitStart start = digitStarts<G>(s, group);
  if (threadIdx.x < kDigits) s.base[threadIdx.x] = start.first + start.before;
  __syncthreads();
  const DigitOf<typename G::Key> digitAgain = digitOf.again();
  exchangeTile<G>(s, group, share, [&](u32 i) { return digitAgain(t.k[i]); }, rank, t);
}

// digitPasses is digitPass for every digit that has a varying bit.
template <typename G, typename Group>
GS_DEVICE void digitPasses(const TileShared<G>& s, const Group& group, const Share& share, u64 varying, TileKeys<G>& t) {
  for (u32 pass = 0; pass < sizeof(typename G::Key); pass++) {
    if ((varying >> (kDigitBits * pass)) % kDigits != 0) digitPass<G>(s, group, share, pass, t);
  }
}

}  // namespace gs

#endif
