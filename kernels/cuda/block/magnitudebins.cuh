// Digits and bins by magnitudes: of a grid, of its parts, and of one block. Keys are looked up one after the other,
// in loops, since code that runs once waits for memory.
#ifndef GS_BLOCK_MAGNITUDEBINS
#define GS_BLOCK_MAGNITUDEBINS

#include "block/magnitudes.cuh"

namespace gs {

// kEqualKeys: where more than one key in so many is one of four others, and has fewer than kRoomOfEqual codes, values
// gather.
constexpr u32 kEqualKeys = 256, kRoomOfEqual = 1 << 20;

// modelMagnitudes models n encoded keys of codec, which vary below bit `top` and are not skewed within their
// magnitudes, by a sample of them, and says, in all threads, whether keys are spread evenly over their digits: none
// has more than `most` keys. sample(0), sample(1), … are `times` keys of a thread that is valid, of all `size`.
// Begins after a barrier and ends with one.
template <u32 kThreads, typename K, typename Sample>
GS_DEVICE bool modelMagnitudes(const Magnitudes<K>& m, Sample sample, u32 times, bool valid, u32 size, u32 codec, u32 top, u32 n, u32 most) {
  const K one = sample(0);
  const bool far = beginMagnitudes<kThreads>(m, codec, top, one, valid);
  if (isFloat(codec)) {
    const Scale<K> none(codec, top, 0, 0);
#pragma unroll 1
    for (u32 j = 0; j < times; j++) noteExponent(m, none, K(sample(j)), valid);
  }
  const Scale<K> scale = scaleOf<kThreads>(m, codec, top, one, valid, far);
#pragma unroll 1
  for (u32 j = 0; j < times; j++) countMagnitude(m, scale, K(sample(j)), valid);
  __syncthreads();
  weighMagnitudes(m, scale);
  const u32 uniform = 4 * n / kDigits, limit = (most < uniform ? most : uniform) * size / n + 8, place = threadIdx.x * (~0u / kThreads);
  u32 room = 0;
#pragma unroll 1
  for (u32 j = times; j-- > 0;) {
    u32 begin;
    magnitudeInterval(m, scale, K(sample(j)), begin, room);
    // Not what it was before: where most are one digit's that would take one after the other.
    if (valid) atomicAdd(&m.found[(begin + highProduct(room, place)) >> (32 - kDigitBits)], 1u);
  }
  bool equal = false;
#pragma unroll
  for (u32 apart = 2; apart < 32; apart *= 2) equal |= one == __shfl_xor_sync(kAllLanes, one, apart);
  equal = equal && valid && room < kRoomOfEqual;
  if (u32(__syncthreads_count(equal)) * kEqualKeys > size) return false;
  return !__syncthreads_or(threadIdx.x < kDigits && m.found[threadIdx.x] > limit);
}

// codesByMagnitude finds codes of the n keys that putAside put into s, and puts them where the ordered keys' will be,
// as codesOfTile.
template <typename G, typename Shared> GS_DEVICE void codesByMagnitude(const Magnitudes<typename G::Key>& m, const Shared& s, const Share& share, u32 n) {
  const Scale<typename G::Key> scale(m);
  const u32 unit = ~0u / n, slots = share.slot() + 32 * share.used;
#pragma unroll 1
  for (u32 slot = share.slot(); slot < slots; slot += 32) {
    u32 begin = ~0u, wide = 0;
    const u32 place = share.first + slot;
    if (place < n) magnitudeInterval(m, scale, s.keys[slot], begin, wide);
    s.codes[slot] = begin + highProduct(wide, place * unit);
  }
}

// binsByMagnitude models the n keys of a share that begins at 0, and numbers their bins, or says, in all threads,
// that too many keys have the same, or would. Begins after a barrier behind which `room` is free.
template <typename G>
GS_DEVICE bool binsByMagnitude(void* room, u32 codec, u32 top, const Share& share, u32 n, const TileKeys<G>& t, u32 (&bin)[G::kItems]) {
  typedef typename G::Key K;
  constexpr u32 kTimes = kModelSample / G::kThreads, kShift = 32 - Log2<G::kTile>::value;
  const Magnitudes<K> m(room);
  const u32 slot = share.slot();
  if (areSkewed<G::kThreads>(codec, top, n, slot < n, t.k[0])) return false;
  const bool far = beginMagnitudes<G::kThreads>(m, codec, top, t.k[0], slot < n);
  if (isFloat(codec)) {
    const Scale<K> none(codec, top, 0, 0);
#pragma unroll
    for (u32 i = 0; i < kTimes; i++) {
      if (i >= share.used) break;
      noteExponent(m, none, t.k[i], slot + 32 * i < n);
    }
  }
  const Scale<K> scale = scaleOf<G::kThreads>(m, codec, top, t.k[0], slot < n, far);
#pragma unroll
  for (u32 i = 0; i < kTimes; i++) {
    if (i >= share.used) break;
    countMagnitude(m, scale, t.k[i], slot + 32 * i < n);
  }
  __syncthreads();
  weighMagnitudes(m, scale);
  const u32 unit = ~0u / n;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    u32 begin, wide;
    magnitudeInterval(m, scale, t.k[i], begin, wide);
    bin[i] = (begin + highProduct(wide, (slot + 32 * i) * unit)) >> kShift;
  }
  return u32(__syncthreads_count(share.used > 1 && slot + 32 < n && bin[0] == bin[1])) <= kOverfullPairs;
}

}  // namespace gs

#endif
