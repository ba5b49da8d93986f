// Stable passes by 8-bit digits over keys that stay in one block. They take what bins do not: keys
// that are unevenly spread, whatever they are, in one pass for every digit that varies.
#ifndef GS_BLOCK_DIGITS
#define GS_BLOCK_DIGITS

#include "block/tile.cuh"

namespace gs {

// PackedDigits are the digits of a thread's keys, in a quarter of their registers.
template <u32 kItems> struct PackedDigits {
  u32 words[(kItems + 3) / 4] = {};
  GS_DEVICE void put(u32 i, u32 digit) { words[i / 4] |= digit << (8 * (i % 4)); }
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

// keysBefore returns to thread d < kDigits, which passes the keys of digit d, how many keys have a smaller one.
// warpSums: kDigits/32 words. One barrier.
GS_DEVICE u32 keysBefore(u32 keys, u32* warpSums) {
  const u32 d = threadIdx.x;
  u32 inclusive = 0;
  if (d < kDigits) {
    inclusive = inclusiveSum(keys);
    if (laneID() == 31) warpSums[d / 32] = inclusive;
  }
  __syncthreads();
  u32 before = inclusive - keys;
  if (d < kDigits) {
#pragma unroll
    for (u32 w = 0; w < kDigits / 32; w++) {
      if (w < d / 32) before += warpSums[w];
    }
  }
  return before;
}

// digitPass orders the block's keys by digit number `pass`, keys of equal digits as they were. All threads.
//
//   1  rankDigits and sumRows: a key's rank among its warp's keys of the digit, and the warps' before it
//   2  thread d < 256 finds where its digit begins
//   3  each key goes to its place in shared memory, and each thread reads its keys of the new order
template <typename G> GS_DEVICE void digitPass(const TileShared<G>& s, const Share& share, u32 pass, TileKeys<G>& t) {
  const DigitOf<KeyOf<G>> digitOf(pass);
  u32 rank[G::kItems];
  rankDigits<G>(s.counts, share, [&](u32 i) { return digitOf(t.k[i]); }, rank);
  const u32 d = threadIdx.x;
  if (d < kPairsOfDigits) reinterpret_cast<u32*>(s.totals)[d] = sumRows<G>(s.counts);
  __syncthreads();
  const u32 first = keysBefore(d < kDigits ? s.totals[d] : 0, s.warpSums);
  if (d < kDigits) s.base[d] = first;
  __syncthreads();
  const DigitOf<KeyOf<G>> digitAgain = digitOf.again();
  const u16* const mine = s.counts + threadIdx.x / 32 * kDigits;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    const u32 digit = digitAgain(t.k[i]), at = s.base[digit] + mine[digit] + rank[i];
    s.keys[at] = t.k[i];
    if constexpr (G::kPairs) s.values[at] = t.v[i];
  }
  __syncthreads();
  const u32 slot = share.slot();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    t.k[i] = s.keys[slot + 32 * i];
    if constexpr (G::kPairs) t.v[i] = s.values[slot + 32 * i];
  }
}

// passTile sorts the n keys of the block's share, which are not all equal, by passes. Items behind the last key hold
// the largest key that there is.
template <typename G>
GS_DEVICE void passTile(const TileShared<G>& s, const Share& share, u32 n, const Bounds<KeyOf<G>>& bounds,
                        TileKeys<G>& t) {
  const Passing<KeyOf<G>> by(bounds);
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < held) t.k[i] -= by.low;
  }
#pragma unroll 1
  for (u32 pass = 0; pass < sizeof(KeyOf<G>); pass++) {
    if (by.passes(pass)) digitPass<G>(s, share, pass, t);
  }
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) t.k[i] += by.low;
}

}  // namespace gs

#endif
