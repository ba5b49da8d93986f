// The last step of an MSD sort: one block sorts one bucket in shared memory by
// the 16 bits behind the bucket's, reads it once and writes it once.
//
// A bucket lies anywhere in the caller's buffer, which is aligned to its
// element only. Shared slots count from the 16-byte boundary at or before the
// bucket, so that slots and memory have the same vectors; the up to 2·(V−1)
// keys outside whole vectors of V keys are the block's edge, one per thread.
#ifndef GS_BLOCK_MSD_LOCAL
#define GS_BLOCK_MSD_LOCAL

#include "block/msd_fields.cuh"

namespace gs {

// Geometry: kVectors 16-byte loads per thread, at most kKeys slots, kStep
// superblocks per prefix step.
template <typename K_, int kThreads_, int kVectors_, int kKeys_, int kStep_> struct MsdLocal {
  typedef K_ K;
  static constexpr int kThreads = kThreads_, kVectors = kVectors_, kKeys = kKeys_, kStep = kStep_;
  static constexpr u32 kVector = 16 / sizeof(K);
  static constexpr u32 kRuns = 512;  // listed runs of equal bits
  // Keys of the largest bucket that surely fits, wherever it begins.
  static constexpr u32 kCapacity = kKeys - kVector + 1;
  static_assert(kKeys % 32 == 0 && kKeys <= kVectors * kThreads * int(kVector), "every key is loaded");
  // Fields, then slots of 16 bits; or slots of a key, 4 bits per slot, runs.
  static constexpr u32 kHalvesBytes = 4 * kFieldWords + 2 * kKeys;
  static constexpr u32 kRunsBytes = 4 * kFieldWords + kKeys * sizeof(K) + kKeys / 2 + 4 * kRuns;
};

// Bucket is where a bucket lies.
template <typename K> struct Bucket {
  static constexpr u32 kVector = 16 / sizeof(K);
  K* keys;
  u32 items, skew, head, vectors, edge;  // skew: slots before the bucket
  GS_DEVICE Bucket(K* all, u32 begin, u32 n) : keys(all + begin), items(n) {
    skew = u32(reinterpret_cast<u64>(keys) % 16 / sizeof(K));
    head = least(items, (kVector - skew) % kVector);
    vectors = (items - head) / kVector;
    edge = items - kVector * vectors;
  }
  GS_DEVICE const uint4* body() const { return reinterpret_cast<const uint4*>(keys + head); }
  GS_DEVICE uint4* slots() const { return reinterpret_cast<uint4*>(keys - skew); }  // memory of slot 0
  // edgeAt is the place of this thread's edge key, if threadIdx.x < edge.
  GS_DEVICE u32 edgeAt() const { return threadIdx.x < head ? threadIdx.x : threadIdx.x + kVector * vectors; }
  // The whole vectors in slots.
  GS_DEVICE u32 firstVector() const { return (skew + kVector - 1) / kVector; }
  GS_DEVICE u32 endVector() const { return (skew + items) / kVector; }
};

// msdHalves sorts bucket b of 32-bit keys whose last 16 bits are left, as 16-bit
// numbers. L::kHalvesBytes of dynamic shared memory.
//
// Equal keys all store to the last slot of their run. A slot that stays empty
// (0xffff: the largest number, thus right where it is stored) then takes the
// nearest number to its right; runs have at most 7 slots.
template <typename L>
GS_DEVICE void msdHalves(u32* keys, const u32* starts, MsdState* state, u32* slow, u32 codec, u32 b) {
  constexpr int kThreads = L::kThreads, kVectors = L::kVectors;
  extern __shared__ uint4 dynamicShared[];
  __shared__ u32 totals[kSuperblocks];
  u32* const words = reinterpret_cast<u32*>(dynamicShared);
  u16* const slots = reinterpret_cast<u16*>(words + kFieldWords);
  const u32 t = threadIdx.x, lane = laneID();
  const u32 begin = starts[b], items = starts[b + 1] - begin;
  if (items == 0 || tooLarge(items, L::kCapacity, state, slow, b)) return;
  const Bucket<u32> bucket(keys, begin, items);

  u32 k[2 * kVectors], edgeKey = 0;  // two numbers each
#pragma unroll
  for (int j = 0; j < kVectors; j++) {
    k[2 * j] = k[2 * j + 1] = 0;
    if (t + j * kThreads < bucket.vectors) {
      const uint4 v = bucket.body()[t + j * kThreads];
      k[2 * j] = __byte_perm(v.x, v.y, 0x5410);
      k[2 * j + 1] = __byte_perm(v.z, v.w, 0x5410);
    }
  }
  const u32 edgeAt = bucket.edgeAt();
  if (t < bucket.edge) edgeKey = bucket.keys[edgeAt] & 0xffff;
  clearFields<kThreads>(dynamicShared);
  for (u32 i = t; i < (bucket.skew + items + 7) / 8; i += kThreads)
    reinterpret_cast<uint4*>(slots)[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
  if (__syncthreads_or(t == 0 && hopeless(state, b))) return toSlow(state, slow, b);
  auto count = [&](u32 v) { atomicAdd(&words[v >> 3], fieldAddend(fieldShift(v))); };
#pragma unroll
  for (int j = 0; j < kVectors; j++) {
    if (t + j * kThreads < bucket.vectors) {
      count(k[2 * j] & 0xffff);
      count(k[2 * j] >> 16);
      count(k[2 * j + 1] & 0xffff);
      count(k[2 * j + 1] >> 16);
    }
  }
  if (t < bucket.edge) count(edgeKey);
  __syncthreads();
  prefixFields<kThreads, L::kStep>(dynamicShared, totals);
  __syncthreads();
  const u32 total = totals[lane], inclusive = inclusiveSum(total);
  if (__shfl_sync(kAllLanes, inclusive, 31) != items) return toSlow(state, slow, b);
  const u32 base = bucket.skew + inclusive - total - 1;  // lane s: of superblock s
#pragma unroll
  for (int j = 0; j < 2 * kVectors; j++) forget(k[j]);
  auto place = [&](u32 v, bool on) {
    const u32 w = words[v >> 3], slot = __shfl_sync(kAllLanes, base, v >> 11) + fieldUpTo(w, fieldShift(v)) + (w & 255);
    if (on) slots[slot] = u16(v);
  };
#pragma unroll
  for (int j = 0; j < kVectors; j++) {
    if ((t & ~31u) + j * kThreads < bucket.vectors) {
      const bool on = t + j * kThreads < bucket.vectors;
      place(k[2 * j] & 0xffff, on);
      place(k[2 * j] >> 16, on);
      place(k[2 * j + 1] & 0xffff, on);
      place(k[2 * j + 1] >> 16, on);
    }
  }
  if (t < 32) place(edgeKey, t < bucket.edge);
  __syncthreads();

  const u32 top = b << 16, end = bucket.skew + items;
  auto right = [&](u32 p) {
    u32 v;
    do v = slots[p];
    while (v == 0xffff && ++p < end);
    return v;
  };
  const MsdEncoded<u32> encoded(codec, state);
  auto out = [&](u32 v) { return encoded.key(top | v); };
  for (u32 q = bucket.firstVector() + t; q < bucket.endVector(); q += kThreads) {
    const uint2 v = reinterpret_cast<const uint2*>(slots)[q];
    u32 w = v.y >> 16;
    if (w == 0xffff && 4 * q + 4 < end) w = right(4 * q + 4);
    const u32 z = least(v.y & 0xffff, w), y = least(v.x >> 16, z), x = least(v.x & 0xffff, y);
    bucket.slots()[q] = encoded.plain() ? make_uint4(top | x, top | y, top | z, top | w)
        : make_uint4(out(x), out(y), out(z), out(w));
  }
  if (t < bucket.edge) bucket.keys[edgeAt] = out(right(bucket.skew + edgeAt));
}

}  // namespace gs

#endif
