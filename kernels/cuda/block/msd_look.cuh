// The first launch of an MSD sort of keys alone: a look at a sample, as msdSample
// takes it, that says more.
#ifndef GS_BLOCK_MSD_LOOK
#define GS_BLOCK_MSD_LOOK

#include "block/msd_sample.cuh"

namespace gs {

// LookShared is the dynamic shared memory: counters and the number of one key for
// each of 1 << bits buckets, and the sample.
template <typename K> struct LookShared {
  u32* counts;
  K* keys;
  u16* some;
  GS_DEVICE LookShared(uint4* base, u32 bits) : counts(reinterpret_cast<u32*>(base)) {
    keys = reinterpret_cast<K*>(counts + (1u << bits));
    some = reinterpret_cast<u16*>(keys + kSampleKeys);
  }
};

// What the block adds up.
struct LookSums {
  u32 differ[2];  // of the images: bits in which they differ, lower and upper word
  u32 crowded;    // keys in buckets that are too large
  u32 same;       // of these: equal to some one key of their bucket
  u32 near;       // of these: not equal, but the same in the next eight bits, too
};

template <typename K> GS_DEVICE u32 lookBytes(const LookSums& s) {
  u32 bytes = 0;
  for (u32 i = 0; i < 4; i++) bytes += (s.differ[0] >> 8 * i & 255) != 0, bytes += (s.differ[1] >> 8 * i & 255) != 0;
  return bytes;
}

// lookSaysOnesweep weighs what large buckets cost. Equal keys cost nothing more: no
// digit of theirs varies. Others need further splits: two for 32-bit keys take as
// long as onesweep's four passes; for 64 bits they beat eight, if one split more
// leaves no large parts, and if more than four digits vary at all: onesweep skips
// the others.
template <typename K> GS_DEVICE bool lookSaysOnesweep(const LookSums& s) {
  if (sizeof(K) == 4) return 4 * s.same < 3 * s.crowded;
  return s.differ[1] == 0 || lookBytes<K>(s) <= 4 || 8 * s.near > s.crowded;
}

// msdLook writes state->skip and prefix: the upper bits that the sample has in
// common, unless all of the upper word's are. And it chooses kRouteOnesweep if
// buckets by the bits behind them are too large (least: see msdSample) in a way that
// the MSD sort, with msdLarge if large is 1, sorts no faster; for input that is
// neither sorted nor reversed. Launch: one block of 1,024 threads; dynamic shared
// memory (6 << bits) + 4,096 keys, bits 10 to kSampleBits.
template <typename K> GS_DEVICE void msdLook(const K* keys, u32 n, MsdState* state, u32 bits, u32 least, u32 codec, u32 large) {
  extern __shared__ uint4 dynamicShared[];
  __shared__ LookSums sums;
  const LookShared<K> s(dynamicShared, bits);
  const u32 t = threadIdx.x;
  K k[kSampleEach];
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) k[j] = keys[samplePlace(j * kSampleThreads + t, n)];
  const K first = encode(codec, keys[samplePlace(0, n)]);
  for (u32 i = t; i < 1u << (bits - 2); i += kSampleThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
  if (t == 0) sums = LookSums{};
  __syncthreads();
  u32 seen = 0;
  u64 differ = 0;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    k[j] = encode(codec, k[j]);
    s.keys[j * kSampleThreads + t] = k[j];
    differ |= k[j] ^ first;
    const K next = __shfl_down_sync(kAllLanes, k[j], 1);  // lane 31: its own
    seen |= msdRelation(k[j], next);
    if (j > 0) seen |= msdRelation(k[j - 1], k[j]);
  }
  atomicOr(&sums.differ[0], u32(differ));
  if (sizeof(K) == 8) atomicOr(&sums.differ[1], u32(differ >> 32));
  // The barriers complete the sample and what differs, too.
  const bool descent = __syncthreads_or(seen & kSeenDescent), ascent = __syncthreads_or(seen & kSeenAscent);
  const u32 top = sums.differ[sizeof(K) / 8];
  const u32 skip = top != 0 ? u32(__clz(int(top))) : 0;
  auto word = [&](K key) { return top != 0 ? topWord(K(key << skip)) : u32(key); };
  if (t == 0 && skip != 0) {
    state->skip = skip;
    state->prefix = topWord(first) >> (32 - skip) << (32 - skip);
  }
  if (!descent || !ascent) return;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    const u32 d = word(k[j]) >> (32 - bits);
    atomicAdd(&s.counts[d], 1u);
    s.some[d] = u16(j * kSampleThreads + t);  // any of the bucket's will do
  }
  __syncthreads();
  u32 crowded = 0, same = 0, near = 0;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    const u32 w = word(k[j]), d = w >> (32 - bits);
    if (s.counts[d] < least) continue;
    const K other = s.keys[s.some[d]];
    crowded++;
    if (k[j] == other)
      same++;
    else if ((w ^ word(other)) << bits >> 24 == 0)
      near++;
  }
  if (crowded != 0) atomicAdd(&sums.crowded, crowded);
  if (same != 0) atomicAdd(&sums.same, same);
  if (near != 0) atomicAdd(&sums.near, near);
  __syncthreads();
  if (t != 0 || sums.crowded == 0 || (large != 0 && !lookSaysOnesweep<K>(sums))) return;
  state->sampled = 1;
  state->route = kRouteOnesweep;
}

}  // namespace gs

#endif
