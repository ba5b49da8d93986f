// A model of skewed keys: a map of (key, place in the input) to 32-bit codes that
// keeps their order and spreads them about evenly, so that equal shares of the
// codes hold about equally many keys. It is arithmetic coding: each 8-bit digit,
// from the highest, narrows the code's interval to the digit's share, and at last
// the place does, so that one key may fill many shares.
//
// The share of a digit's value comes from a sample, as if digits were independent
// of each other: partly how often the value was met, partly the product of how
// often each of its bits was 0 or 1. The first finds values that bits do not
// tell, such as exponents; the second smooths what few samples leave skewed. Any
// shares keep the order: a wrong model costs evenness alone.
//
//   count   a warp transposes its sample by shuffles and counts the ones of each
//           bit; half of the sample also counts values of digits
//   weigh   a thread works out the shares of (digit, value), by bits and counts
//   scan    where each value's share begins
//
// Codes are fractions of 2^32. A share is two fractions of 2^16, where it begins and
// how wide it is, so that a probe of one word suffices: rounded down, neighbours'
// shares of an interval do not overlap.
#ifndef GS_BLOCK_MODEL
#define GS_BLOCK_MODEL

#include "warp/match.cuh"
#include "warp/shared.cuh"

namespace gs {

GS_DEVICE u32 highProduct(u32 a, u32 b) { return u32(u64(a) * b >> 32); }

// ModelShared are the tables of a model in shared memory. sums are elsewhere.
template <typename K> struct ModelShared {
  // kTogether: keys whose codes a thread finds at once. kMostInBin: keys that one is compared with in bins of
  // which few are large: by count, 128 comparisons take a warp as long as a pass by a digit.
  static constexpr u32 kTogether = 4, kMostInBin = 128, kLargeBins = ~0u;
  static constexpr u32 kBits = 8 * sizeof(K);
  static constexpr u32 kBytes = 4 * (kBits + 2 + sizeof(K) + sizeof(K) * kDigits);
  static constexpr u32 kSumBytes = 4 * sizeof(K) * (kDigits / 32), kAllBytes = kBytes + kSumBytes + 4 * kDigits;
  u32* zeros;   // [kBits] of the sample, keys in which the bit is 1; then the share of 0
  u32* met;     // [2] keys of the sample, and those whose digits are counted
  u32* widest;  // [sizeof(K)] the largest share of a row
  u32* shares;  // [sizeof(K)][kDigits] row p is the p-th highest digit's: how often a value was met, then its share
  u32* sums;    // [sizeof(K)][kDigits / 32]
  u32* found;   // [kDigits] of the sample, keys of a digit of the code; a large sort's alone

  GS_DEVICE ModelShared(void* base, u32* sums_) : zeros(static_cast<u32*>(base)), met(zeros + kBits), widest(met + 2), shares(widest + sizeof(K)), sums(sums_), found(nullptr) {}
  // A model of kAllBytes, with a place of its own for the sums and what is found.
  GS_DEVICE explicit ModelShared(void* base) : ModelShared(base, static_cast<u32*>(base) + kBytes / 4) { found = sums + kSumBytes / 4; }
};

// transposeWarp makes bit b of lane l bit l of lane b.
GS_DEVICE u32 transposeWarp(u32 x) {
  u32 low = 0x0000ffff;
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2) {
    const u32 other = __shfl_xor_sync(kAllLanes, x, d);
    x = (laneID() & d) == 0 ? (x & low) | (other & low) << d : (x & ~low) | (other >> d & low);
    low ^= low << (d / 2);
  }
  return x;
}

// clearModel prepares the tables for countModel, which a barrier must part from it.
template <u32 kThreads, typename K> GS_DEVICE void clearModel(const ModelShared<K>& m) {
#pragma unroll 1
  for (u32 at = threadIdx.x; at < ModelShared<K>::kBytes / 4; at += kThreads) m.zeros[at] = 0;
  if (m.found != nullptr && threadIdx.x < kDigits) m.found[threadIdx.x] = 0;
}

// countModel adds one key a thread to the sample, those of whole warps together;
// bits and digits say, the same in a warp, whether their bits and digits are counted.
template <typename K> GS_DEVICE void countModel(const ModelShared<K>& m, K key, bool valid, bool bits, bool digits) {
  const u32 lanes = __ballot_sync(kAllLanes, valid);
  if (bits) {
#pragma unroll
    for (u32 word = 0; word < sizeof(K) / 4; word++) {
      const u32 ones = __popc(transposeWarp(u32(u64(key) >> (32 * word))) & lanes);
      if (ones != 0) atomicAdd(&m.zeros[32 * word + laneID()], ones);
    }
  }
  if (laneID() == 0) {
    atomicAdd(&m.met[0], u32(__popc(lanes)));
    if (digits) atomicAdd(&m.met[1], u32(__popc(lanes)));
  }
  if (digits && valid) {
#pragma unroll
    for (u32 p = 0; p < sizeof(K); p++) atomicAdd(&m.shares[p * kDigits + DigitOf<K>(sizeof(K) - 1 - p)(key)], 1u);
  }
}

// countBits counts the ones of bits of a sample by its digits, which are counted: less than key by key, of more than
// one key a thread. Begins after a barrier and ends with one.
template <u32 kThreads, typename K> GS_DEVICE void countBits(const ModelShared<K>& m) {
#pragma unroll 1
  for (u32 entry = threadIdx.x; entry < sizeof(K) * kDigits; entry += kThreads) {
    const u32 p = entry / kDigits, value = entry % kDigits, met = m.shares[entry];
    u32 ones = 0;  // of bit l in lane l
#pragma unroll
    for (u32 bit = 0; bit < 8; bit++) {
      const u32 sum = warpSum(value >> bit & 1 ? met : 0u);
      if (laneID() == bit) ones = sum;
    }
    if (ones != 0) atomicAdd(&m.zeros[m.kBits - 8 - 8 * p + laneID()], ones);
  }
  __syncthreads();
}

// weighModel turns the counts into shares. byBits is the part of them that bits
// say, a fraction of 2^32. Two barriers within, one at the end; begins after one.
template <u32 kThreads, typename K> GS_DEVICE void weighModel(const ModelShared<K>& m, u32 byBits) {
  constexpr u32 kEntries = sizeof(K) * kDigits;
  static_assert(kThreads % 32 == 0, "a warp's entries are of one digit, and all warps are whole");
  if (threadIdx.x < m.kBits) {
    // Laplace's rule with halves: never 0, never all.
    const float all = float(m.met[0]), zeros = all - float(m.zeros[threadIdx.x]);
    m.zeros[threadIdx.x] = u32((zeros + 0.5f) / (all + 1.0f) * 4294967296.0f);
  }
  const u32 unit = m.met[1] == 0 ? 0 : (~byBits) / m.met[1];
  __syncthreads();
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 entry = threadIdx.x; entry < kEntries; entry += kThreads) {
    const u32 p = entry / kDigits, value = entry % kDigits;
    u32 wide = ~0u;
#pragma unroll
    for (u32 bit = 8; bit-- > 0;) {
      const u32 zero = highProduct(wide, m.zeros[m.kBits - 8 - 8 * p + bit]);
      wide = value >> bit & 1 ? wide - zero : zero;
    }
    u32* const mine = m.shares + entry;
    const u32 share = highProduct(wide, byBits) + unit * *mine, inclusive = inclusiveSum(share);
    if (laneID() == 31) m.sums[entry / 32] = inclusive;
    *mine = inclusive - share;
  }
  __syncthreads();
#pragma unroll 1
  for (u32 entry = threadIdx.x; entry < kEntries; entry += kThreads) {
    const u32* const sums = m.sums + entry / kDigits * (kDigits / 32);
    u32 before = 0;
#pragma unroll
    for (u32 w = 0; w < kDigits / 32; w++) {
      if (w < entry % kDigits / 32) before += sums[w];
    }
    const u32 begin = before + m.shares[entry], next = __shfl_down_sync(kAllLanes, begin, 1);
    const u32 end = laneID() < 31 ? next : before + m.sums[entry / 32];
    const u32 wide = (end >> 16) - (begin >> 16), widest = warpMost(wide);
    m.shares[entry] = (begin & 0xffff0000) | wide;
    if (laneID() == 0) atomicMax(&m.widest[entry / kDigits], widest);
  }
  __syncthreads();
}

// eachGroup calls f with 0, kGroup, 2·kGroup, … below kItems and used, as constants, and with kGroup, last with what
// is left, fewer than 2·kGroup; if fewer are used, with 0 and the power of 2 that suffices.
template <u32 kFirst> struct Constant { static constexpr u32 value = kFirst; };
template <u32 kItems, u32 kGroup, u32 kFirst, typename F> GS_DEVICE void eachGroupFrom(u32 used, F f) {
  if constexpr (kFirst < kItems) {
    constexpr u32 kLeft = kItems - kFirst, kMany = kLeft < 2 * kGroup ? kLeft : kGroup;
    if (kFirst < used) f(Constant<kFirst>(), Constant<kMany>());
    eachGroupFrom<kItems, kGroup, kFirst + kMany>(used, f);
  }
}
template <u32 kGroup, typename F> GS_DEVICE bool oneGroup(u32 used, F f) {
  if constexpr (kGroup > 1) {
    if (oneGroup<kGroup / 2>(used, f)) return true;
  }
  if (used > kGroup) return false;
  f(Constant<0>(), Constant<kGroup>());
  return true;
}
template <u32 kItems, u32 kGroup, typename F> GS_DEVICE void eachGroup(u32 used, F f) {
  if constexpr (kGroup > 1) {
    if (oneGroup<kGroup / 2>(used, f)) return;
  }
  eachGroupFrom<kItems, kGroup, 0>(used, f);
}

// depthOf is how many digits, from the highest, a model looks at so that each interval is less than `narrow`, or all:
// an even number.
template <typename K> GS_DEVICE u32 depthOf(const ModelShared<K>& m, u32 narrow) {
  u32 wide = ~0u, depth = 0;
#pragma unroll 1
  while (depth < sizeof(K) && wide >= narrow) {
    const u32 one = m.widest[depth] << 16, next = m.widest[depth + 1] << 16;
    wide = highProduct(highProduct(wide, one), next);
    depth += 2;
  }
  return depth;
}

// eachDigit calls f(i, from, wide) with where the share of a digit of key number kFirst + i begins, and how wide it
// is, for kItems keys at once, from digit number depth - 1, counted from the highest, up, two at a time.
template <u32 kFirst, u32 kItems, typename K, u32 kAll, typename F> GS_DEVICE void eachDigit(const ModelShared<K>& m, u32 depth, const K (&key)[kAll], F f) {
  constexpr u32 kWords = sizeof(K) / 4;
  u32 p = depth, row = sharedAt(m.shares) + 4 * kDigits * depth;
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 w = 0; w < kWords; w++) {
    const u32 above = 4 * (kWords - 1 - w);  // digits of higher words
    u32 word[kItems];
#pragma unroll
    for (u32 i = 0; i < kItems; i++) word[i] = w == 0 ? u32(key[kFirst + i]) : u32(u64(key[kFirst + i]) >> 32);
#pragma unroll 1
    while (p > above) {
      p -= 2, row -= 2 * 4 * kDigits;
      const DigitOf<u32> lowOf(2 - p % 4), highOf(3 - p % 4);
      u32 low[kItems], high[kItems];
#pragma unroll
      for (u32 i = 0; i < kItems; i++) low[i] = loadAt<u32, 4 * kDigits>(row + 4 * lowOf(word[i])), high[i] = loadAt<u32>(row + 4 * highOf(word[i]));
#pragma unroll
      for (u32 i = 0; i < kItems; i++) f(i, low[i] & 0xffff0000, low[i] << 16);
#pragma unroll
      for (u32 i = 0; i < kItems; i++) f(i, high[i] & 0xffff0000, high[i] << 16);
    }
  }
}

// codesOf finds the codes of kItems keys from number kFirst on, from the lowest digit up: what the digits behind one
// come to is brought into the one's share, so that no product waits for another digit's probe. code has the keys'
// places in the input, fractions of 2^32, which do not count unless all digits are looked at: keys that agree in
// those need not be equal.
template <u32 kFirst, u32 kItems, typename K, u32 kAll>
GS_DEVICE void codesOf(const ModelShared<K>& m, u32 depth, const K (&key)[kAll], u32 (&code)[kItems]) {
  if (depth < sizeof(K)) {
#pragma unroll
    for (u32 i = 0; i < kItems; i++) code[i] = 0;
  }
  eachDigit<kFirst, kItems>(m, depth, key, [&](u32 i, u32 from, u32 wide) { code[i] = from + highProduct(wide, code[i]); });
}

// Intervals are where the codes of keys begin, and how many each has: one for each place, or 0, as for codesOf.
template <u32 kItems> struct Intervals {
  u32 begin[kItems], wide[kItems];
};

template <u32 kFirst, u32 kItems, typename K, u32 kAll>
GS_DEVICE Intervals<kItems> intervalsOf(const ModelShared<K>& m, u32 depth, const K (&key)[kAll]) {
  Intervals<kItems> r;
#pragma unroll
  for (u32 i = 0; i < kItems; i++) r.begin[i] = 0, r.wide[i] = ~0u;  // wide is the end, at first
  eachDigit<kFirst, kItems>(m, depth, key, [&](u32 i, u32 from, u32 wide) { r.begin[i] = from + highProduct(wide, r.begin[i]), r.wide[i] = from + highProduct(wide, r.wide[i]); });
#pragma unroll
  for (u32 i = 0; i < kItems; i++) r.wide[i] = depth < sizeof(K) ? 0 : r.wide[i] - r.begin[i];
  return r;
}

}  // namespace gs

#endif
