// The digit that the wanted key has, and the key among few candidates: what the last block of a
// launch does alone. Other blocks' writes are read past the L1.
#ifndef GS_BLOCK_LEAST_CHOOSE
#define GS_BLOCK_LEAST_CHOOSE

#include "block/least_state.cuh"

namespace gs {

// chooseDigit returns the digit of the wanted key by the counts of all candidates' digits, which
// at(d) returns, and how many candidates lie before that digit and in it. All threads; begins and
// ends with a barrier.
struct LeastChoice {
  u32 digit;
  u64 before, count;
};
template <typename At> GS_DEVICE LeastChoice chooseDigit(u64 rank, At at) {
  constexpr u32 kEach = kLeastBins / kLeastThreads;
  __shared__ u64 warpSums[kLeastWarps];
  __shared__ LeastChoice choice;
  u64 mine[kEach], sum = 0;
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < kEach; i++) mine[i] = at(threadIdx.x * kEach + i), sum += mine[i];
  const u64 upTo = inclusiveSum(sum);
  if (laneID() == 31) warpSums[threadIdx.x / 32] = upTo;
  __syncthreads();
  u64 before = upTo - sum;
#pragma unroll 1
  for (u32 w = 0; w < threadIdx.x / 32; w++) before += warpSums[w];
#pragma unroll
  for (u32 i = 0; i < kEach; i++) {
    if (before <= rank && rank - before < mine[i]) choice = LeastChoice{threadIdx.x * kEach + i, before, mine[i]};
    before += mine[i];
  }
  __syncthreads();
  return choice;
}

// LeastCandidates are keys, and their positions if those tell equal keys apart.
template <typename K, typename P> struct LeastCandidates {
  K* keys;
  P* places;
};

// solveShort finds the digits from that of level l on among count gathered candidates, and
// writes those before the key that is found, and, where positions are written, that key itself.
// hist has kLeastBins words of shared memory.
template <typename K, typename P, bool kPlaced, typename Write>
GS_DEVICE void solveShort(u32* hist, const LeastCandidates<K, P>& from, u32 count, LeastLevel l, u64 key, u64 place,
                          u64 rank, u32 placeBits, u32 codec, LeastState* s, Write write) {
  __shared__ u32 cursor;
  const auto placeOf = [&](u32 i) { return kPlaced ? u64(__ldcg(from.places + i)) : 0; };
#pragma unroll 1
  for (;;) {
    for (u32 d = threadIdx.x; d < kLeastBins; d += kLeastThreads) hist[d] = 0;
    __syncthreads();
    const LeastFilter<K> filter(l, key, place);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += kLeastThreads) {
      const K e = encode(codec, K(__ldcg(from.keys + i)));
      const u64 p = placeOf(i);
      if (!filter.match(e, p)) continue;
      atomicAdd(&hist[u32((l.placed ? p : u64(e)) >> l.shift) & (1u << l.bits) - 1], 1u);
    }
    const LeastChoice c = chooseDigit(rank, [&](u32 d) { return u64(hist[d]); });
    rank -= c.before;
    (l.placed ? place : key) |= u64(c.digit) << l.shift;
    l.placedBefore = l.placed, l.top = l.shift, l.lastBits = l.bits;
    if (l.shift == 0) {
      if (l.placed || !kPlaced || placeBits == 0) break;
      l.placed = true, l.shift = placeBits;
    }
    l.bits = least(l.shift, kLeastDigitBits), l.shift -= l.bits;
  }
  if (threadIdx.x == 0) cursor = 0;
  __syncthreads();
  const u64 written = __ldcg(&s->written);
#pragma unroll 1
  for (u32 i = threadIdx.x; i < count; i += kLeastThreads) {
    const K raw = __ldcg(from.keys + i), e = encode(codec, raw);
    const u64 p = placeOf(i);
    if (e < K(key) || kPlaced && e == K(key) && p <= place) write(written + atomicAdd(&cursor, 1u), raw, e, p);
  }
  if (threadIdx.x == 0) {
    s->key = key, s->place = place, s->rank = rank, s->less = 0, s->found = 1;
    s->bits = u64(decode(codec, K(key)));
  }
}

}  // namespace gs

#endif
