// The MSD sort's launches before keys move: bucket sizes, their prefix sums,
// the route and what the two splits need.
#ifndef GS_BLOCK_MSD_COUNT
#define GS_BLOCK_MSD_COUNT

#include "block/msd_state.cuh"

namespace gs {

// msdHistogram counts keys[0, n) by their top bits into counts, which is zero,
// and notes the order of neighbours. The top bits are those behind state->skip upper ones, which keys
// of the sample have in common; whether all have is noted, too. It does nothing if
// the sample has chosen the route. Launch: 1,024 threads, any grid; dynamic shared
// memory 2 << bits bytes. keys is aligned to its element.
//
// Two 16-bit counters share a word. 65,536 equal digits in one block wrap one;
// each wrap takes 65,536 or (with the carry into the upper half) 65,535 from
// the sum of all counts, so that the sum is n if and only if none wrapped.
template <typename K>
GS_DEVICE void msdHistogram(const K* keys, u32 n, MsdState* state, u32* counts, u32 bits, u32 codec) {
  constexpr u32 kThreads = 1024, kVector = KeyVector<K>::kKeys;
  constexpr int kAhead = 4;  // independent 16-byte loads per thread
  extern __shared__ uint4 dynamicShared[];
  __shared__ u32 blockSeen, blockDiffer;
  u32* const packed = reinterpret_cast<u32*>(dynamicShared);
  const u32 words = 1u << (bits - 1), shift = 32 - bits;
  const u32 sampled = state->sampled, skip = state->skip;  // they arrive while counters are cleared
  for (u32 i = threadIdx.x; i < words / 4; i += kThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
  if (threadIdx.x == 0) blockSeen = blockDiffer = 0;
  __syncthreads();
  if (sampled != 0) return;

  u32 seen = 0, differ = 0;
  bool watch = true;  // same in the whole warp
  const u32 sample = topWord(encode(codec, keys[0]));
  auto add = [&](u32 digit, u32 times) { atomicAdd(&packed[digit >> 1], times << (digit & 1) * 16); };
  const WholeVectors<K, u32> whole(keys, n);
  auto take = [&](KeyVector<K>& v) {
    encodeAll(codec, v.k);
    if (skip != 0) {
#pragma unroll
      for (u32 j = 0; j < kVector; j++) differ |= topWord(v.k[j]) ^ sample, v.k[j] <<= skip;
    }
  };
  // A warp with 32 vectors. Sorted and constant keys have one digit in the
  // whole warp; 32 additions to one counter would take 32 rounds, one takes one.
  auto addWarp = [&](KeyVector<K>& v, u32 at) {
    take(v);
    const u32 first = __shfl_sync(kAllLanes, topWord(v.k[0]) >> shift, 0);
    bool same = true;
#pragma unroll
    for (u32 j = 0; j < kVector; j++) same &= topWord(v.k[j]) >> shift == first;
    if (__all_sync(kAllLanes, same)) {
      if (laneID() == 0) add(first, 32 * kVector);
    } else {
#pragma unroll
      for (u32 j = 0; j < kVector; j++) add(topWord(v.k[j]) >> shift, 1);
    }
    // A descent and an ascent together rule out every shortcut.
    if (watch) {
      K next = __shfl_down_sync(kAllLanes, v.k[0], 1);
      const u32 after = whole.head + (at + 1) * kVector;
      if (laneID() == 31) next = after < n ? encode(codec, keys[after]) << skip : v.k[kVector - 1];
      if (laneID() != 31 || after < n) seen |= relation(v.k[kVector - 1], next);
#pragma unroll
      for (u32 j = 0; j + 1 < kVector; j++) seen |= relation(v.k[j], v.k[j + 1]);
      watch = !__all_sync(kAllLanes, (seen & (kSeenDescent | kSeenAscent)) == (kSeenDescent | kSeenAscent));
    }
  };
  u32 i = blockIdx.x * kThreads + threadIdx.x;
  const u32 stride = gridDim.x * kThreads;
  for (; (i | 31) + (kAhead - 1) * stride < whole.many; i += kAhead * stride) {
    KeyVector<K> v[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; j++) v[j].raw = whole.body[i + j * stride];
#pragma unroll
    for (int j = 0; j < kAhead; j++) addWarp(v[j], i + j * stride);
  }
  for (; (i | 31) < whole.many; i += stride) {
    KeyVector<K> v;
    v.raw = whole.body[i];
    addWarp(v, i);
  }
  // The ends: keys before the first vector, of an incomplete warp of vectors,
  // and behind the last vector. The first warp of the grid takes them.
  if (blockIdx.x == 0 && threadIdx.x < 32) {
    const u32 head = whole.head, from = head + (whole.many & ~31u) * kVector;
    for (u32 x = threadIdx.x; x < head + (n - from); x += 32) {
      const u32 at = x < head ? x : from + x - head;
      const K k = encode(codec, keys[at]);
      add(topWord(k << skip) >> shift, 1);
      if (skip != 0) differ |= topWord(k) ^ sample;
      if (at + 1 < n) seen |= relation(k, encode(codec, keys[at + 1]));
    }
  }
  if (seen != 0) atomicOr(&blockSeen, seen);
  if (differ != 0) atomicOr(&blockDiffer, differ);
  __syncthreads();
  for (u32 j = threadIdx.x; j < words; j += kThreads) {
    const u32 w = packed[j];
    if (w & 0xffff) atomicAdd(&counts[2 * j], w & 0xffff);
    if (w >> 16) atomicAdd(&counts[2 * j + 1], w >> 16);
  }
  if (threadIdx.x == 0 && (blockSeen & ~*(volatile u32*)&state->seen)) atomicOr(&state->seen, blockSeen);
  if (threadIdx.x == 0 && blockDiffer != 0) atomicOr(&state->differ, blockDiffer);
}

// msdScan writes starts[b], the keys in buckets before b, and in the place
// after the last bucket the sum; nothing if the sample has chosen the route. Launch:
// 1,024 threads, a block per 1,024 buckets; each block sums all counts before its own,
// which are in the L2.
GS_DEVICE void msdScan(const u32* counts, u32* starts, MsdState* state) {
  __shared__ u32 warpSums[32];
  __shared__ u32 before, largest;
  const u32 t = threadIdx.x, lane = laneID(), b = blockIdx.x;
  if (state->sampled != 0) return;
  if (t == 0) largest = 0;
  const uint4* vectors = reinterpret_cast<const uint4*>(counts);
  u32 sum = 0;
  for (u32 i = t; i < b * 256; i += 1024) {
    const uint4 v = vectors[i];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = warpSum(sum);
  if (lane == 0) warpSums[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const u32 all = warpSum(warpSums[t]);
    if (t == 0) before = all;
  }
  __syncthreads();
  const u32 count = counts[b * 1024 + t], inclusive = inclusiveSum(count);
  if (lane == 31) warpSums[t / 32] = inclusive;
  const u32 most = warpGreatest(count);
  if (lane == 0) atomicMax(&largest, most);
  __syncthreads();
  if (t < 32) {
    const u32 x = warpSums[t];
    warpSums[t] = inclusiveSum(x) - x;
  }
  __syncthreads();
  const u32 end = before + warpSums[t / 32] + inclusive;
  starts[b * 1024 + t] = end - count;
  if (b == gridDim.x - 1 && t == 1023) starts[(b + 1) * 1024] = end;
  if (t == 0) atomicMax(&state->largest, largest);
}

}  // namespace gs

#endif
