// Module mergeruns: two sorted runs, which lie anywhere, into one. internal/algo/mergeruns plans it.
//
// Stage partition: splits[i], for i <= tiles, is how many keys of a are among those of the first i tiles of the
// result, by merge path (warp/mergepath.cuh). 2^kLog lanes search for one. Launch: any grid, blocks of whole warps.
// Stage tiles: block i writes tile i of the result: its part of a and of b goes through shared memory, each thread
// merges kItems keys of it. Launch: a block of kMergeRunsThreads threads for each tile.
// In: a[lenA], b[lenB], sorted in the order of the codec. Out: out[lenA + lenB], which overlaps neither.
// Keys are compared encoded. No block reads what another one of its launch writes.
#include "warp/codec.cuh"
#include "warp/mergepath.cuh"

namespace gs {

// A tile of keys of 4 or 8 bytes is 28 to 35 KB: four blocks, which leave each thread 64 registers. The more keys a
// thread merges, the less the search for its first weighs; odd numbers spread a warp's accesses to shared memory over
// all banks.
constexpr u32 kMergeRunsThreads = 256, kMergeRunsBlocks = 4, kMergeRunsItems = 17, kMergeRunsItems32 = 27;
GS_CONSTANT(MergeRunsThreads, kMergeRunsThreads)
GS_CONSTANT(MergeRunsItems, kMergeRunsItems)
GS_CONSTANT(MergeRunsItems32, kMergeRunsItems32)
constexpr int kLog = 3;
GS_CONSTANT(MergeRunsLanes, 1 << kLog)

template <typename K> struct RunsTile {
  static constexpr u32 kItems = sizeof(K) == 4 ? kMergeRunsItems32 : kMergeRunsItems;
  static constexpr u32 kKeys = kMergeRunsThreads * kItems;
};

// EncodedRun reads keys as the order has them.
template <typename K> struct EncodedRun {
  const K* keys;
  u32 codec;
  GS_DEVICE K operator[](u64 i) const { return encode(codec, keys[i]); }
};

template <typename K>
GS_DEVICE void runsPartition(const K* a, const K* b, u64* splits, u64 lenA, u64 lenB, u32 tiles, u32 codec) {
  constexpr u32 kPerWarp = 32 >> kLog;
  const u32 warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, warps = gridDim.x * (blockDim.x / 32);
  for (u32 base = warp * kPerWarp; base <= tiles; base += warps * kPerWarp) {
    const u32 tile = least(base + (laneID() >> kLog), tiles);
    const u64 diagonal = least(u64(tile) * RunsTile<K>::kKeys, lenA + lenB);
    splits[tile] = mergePathLanes<kLog>(EncodedRun<K>{a, codec}, lenA, EncodedRun<K>{b, codec}, lenB, diagonal);
  }
}

// mergeOpen makes k[0, kItems) of the merge of a and b. Behind the end of each lie kItems + 1 keys of all ones: so it
// need not know where the ends are. Of equal keys it does not matter which is taken.
template <u32 kItems, typename K> GS_DEVICE void mergeOpen(const K* a, const K* b, K (&k)[kItems]) {
  K keyA = *a, keyB = *b;
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    const bool second = keyB < keyA;
    k[i] = second ? keyB : keyA;
    if (i + 1 == kItems) break;
    a += !second, b += second;
    const K next = *(second ? b : a);
    keyA = second ? keyA : next, keyB = second ? next : keyB;
  }
}

template <typename K>
GS_DEVICE void runsTile(const K* a, const K* b, K* out, const u64* splits, u64 lenA, u64 lenB, u32 codec) {
  constexpr u32 kItems = RunsTile<K>::kItems, kKeys = RunsTile<K>::kKeys, kPad = kItems + 1;
  __shared__ K keys[kKeys + 2 * kPad];  // a's part, pad, b's part, pad
  const u64 first = u64(blockIdx.x) * kKeys, a0 = splits[blockIdx.x], a1 = splits[blockIdx.x + 1];
  const u32 t = threadIdx.x, len = u32(least(u64(kKeys), lenA + lenB - first));
  // Borders of runs that are in no order may fall, or be further apart than a tile.
  const u32 partA = a1 < a0 ? 0 : u32(least(a1 - a0, u64(len)));
  const bool full = len == kKeys;
  const K *const fromA = a + a0 + t, *const fromB = b + (first - a0) + t - partA;
  K k[kItems];
  if (full) {
#pragma unroll
    for (u32 i = 0; i < kItems; i++) {
      k[i] = (i * kMergeRunsThreads + t < partA ? fromA : fromB)[i * kMergeRunsThreads];
    }
  } else {
#pragma unroll
    for (u32 i = 0; i < kItems; i++) {
      const u32 at = i * kMergeRunsThreads + t;
      k[i] = at < len ? (at < partA ? fromA : fromB)[i * kMergeRunsThreads] : K(0);
    }
  }
  encodeAll(codec, k);
  if (t < kPad) keys[partA + t] = keys[len + kPad + t] = K(~K(0));
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    const u32 at = i * kMergeRunsThreads + t;
    if (full || at < len) (at < partA ? keys : keys + kPad)[at] = k[i];
  }
  __syncthreads();
  const K* const partB = keys + partA + kPad;
  const u32 diagonal = least(t * kItems, len), split = mergePath(keys, partA, partB, len - partA, diagonal);
  mergeOpen(keys + split, partB + (diagonal - split), k);
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < kItems; i++) keys[t * kItems + i] = k[i];
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < kItems; i++) k[i] = keys[i * kMergeRunsThreads + t];
  decodeAll(codec, k);
  K* const to = out + first + t;
  if (full) {
#pragma unroll
    for (u32 i = 0; i < kItems; i++) to[i * kMergeRunsThreads] = k[i];
  } else {
#pragma unroll
    for (u32 i = 0; i < kItems; i++) {
      if (i * kMergeRunsThreads + t < len) to[i * kMergeRunsThreads] = k[i];
    }
  }
}

}  // namespace gs

using namespace gs;

#define GS_MERGE_RUNS(bits) \
  GS_GLOBAL __launch_bounds__(1024) \
      gs_mergeruns_partition_##bits##_keys(const WordOf<bits>* a, const WordOf<bits>* b, u64* splits, u64 lenA, \
                                           u64 lenB, u32 tiles, u32 codec) { \
    runsPartition(a, b, splits, lenA, lenB, tiles, codec); \
  } \
  GS_GLOBAL __launch_bounds__(kMergeRunsThreads, kMergeRunsBlocks) \
      gs_mergeruns_tiles_##bits##_keys(const WordOf<bits>* a, const WordOf<bits>* b, WordOf<bits>* out, \
                                       const u64* splits, u64 lenA, u64 lenB, u32 codec) { \
    runsTile(a, b, out, splits, lenA, lenB, codec); \
  }

GS_MERGE_RUNS(8)
GS_MERGE_RUNS(16)
GS_MERGE_RUNS(32)
GS_MERGE_RUNS(64)
