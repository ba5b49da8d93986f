// Module mergeruns: two sorted runs, which lie anywhere, into one. internal/algo/mergeruns plans it.
//
// Stage partition: splits[i], for i <= tiles, is how many keys of a are among the first i · kTile of the
// result, by merge path (warp/mergepath.cuh). 2^kLog lanes search for one. Launch: any grid, blocks of whole warps.
// Stage tiles: block i writes tile i of the result: its part of a and of b goes through shared memory, each thread
// merges kItems keys of it. Launch: a block of kMergeRunsThreads threads for each tile.
// In: a[lenA], b[lenB], sorted in the order of the codec. Out: out[lenA + lenB], which overlaps neither.
// Keys are compared encoded. No block reads what another one of its launch writes.
#include "block/merge_tile.cuh"

namespace gs {

// A tile of keys of 4 or 8 bytes is 15 to 18 KB: four blocks, which leave each thread 64 registers, have some 64 KB on
// their way on a multiprocessor. An odd number of keys a thread spreads a warp's accesses to shared memory over all banks.
constexpr u32 kMergeRunsThreads = 256, kMergeRunsBlocks = 4;
GS_CONSTANT(MergeRunsThreads, kMergeRunsThreads)
GS_CONSTANT(MergeRunsItems, 15)
GS_CONSTANT(MergeRunsItems64, 9)
constexpr int kLog = 3;
GS_CONSTANT(MergeRunsLanes, 1 << kLog)

template <int kBits> struct RunsGeometry : MergeGeometry<kBits, 0, kBits == 64 ? 9 : 15> {
  static constexpr u32 kTile = kMergeRunsThreads * MergeGeometry<kBits, 0, kBits == 64 ? 9 : 15>::kItems;
};

// EncodedRun reads keys as the order has them.
template <typename K> struct EncodedRun {
  const K* keys;
  u32 codec;
  GS_DEVICE K operator[](u64 i) const { return encode(codec, keys[i]); }
};

template <typename G>
GS_DEVICE void runsPartition(const typename G::Key* a, const typename G::Key* b, u64* splits, u64 lenA, u64 lenB, u32 tiles, u32 codec) {
  typedef EncodedRun<typename G::Key> Run;
  constexpr u32 kPerWarp = 32 >> kLog;
  const u32 warps = gridDim.x * (blockDim.x / 32);
  for (u32 base = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * kPerWarp; base <= tiles; base += warps * kPerWarp) {
    const u32 tile = least(base + (laneID() >> kLog), tiles);
    const u64 diagonal = least(u64(tile) * G::kTile, lenA + lenB);
    splits[tile] = mergePathLanes<kLog>(Run{a, codec}, lenA, Run{b, codec}, lenB, diagonal);
  }
}

template <typename G>
GS_DEVICE void runsTile(const typename G::Key* a, const typename G::Key* b, typename G::Key* out, const u64* splits, u64 lenA, u64 lenB, u32 codec) {
  typedef typename G::Key K;
  __shared__ uint4 memory[(MergeShared<G>::bytes(G::kTile) + 15) / 16];
  const MergeShared<G> s(memory, G::kTile);
  const u64 first = u64(blockIdx.x) * G::kTile, a0 = splits[blockIdx.x];
  const u32 t = threadIdx.x, len = u32(least(u64(G::kTile), lenA + lenB - first));
  // Borders of runs that are in no order may fall, or be further apart than a tile.
  const u64 a1 = splits[blockIdx.x + 1];
  const u32 partA = a1 < a0 ? 0 : u32(least(a1 - a0, u64(len)));
  const K *const fromA = a + a0, *const fromB = b + (first - a0);
  K k[G::kItems];
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 at = i * kMergeRunsThreads + t;
    if (at < len) k[i] = at < partA ? fromA[at] : fromB[at - partA];
  }
  encodeAll(codec, k);
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 at = i * kMergeRunsThreads + t;
    if (at < len) s.keys[at] = k[i];
  }
  __syncthreads();
  u32 x[1];
  const u32 diagonal = least(t * G::kItems, len), split = mergePath(s.keys, partA, s.keys + partA, len - partA, diagonal);
  mergeSerial<false>(s.keys, split, partA, partA + diagonal - split, len, k, x);
  __syncthreads();
  storeBlocked<G>(s, k, x);
  __syncthreads();
  if (len == G::kTile)
    storeStriped<G, true>(s, out + first, kMergeRunsThreads, len, codec);
  else
    storeStriped<G, false>(s, out + first, kMergeRunsThreads, len, codec);
}

}  // namespace gs

using namespace gs;

#define GS_MERGE_RUNS(bits) \
  GS_GLOBAL __launch_bounds__(1024) \
      gs_mergeruns_partition_##bits##_keys(const Word<bits / 8>::type* a, const Word<bits / 8>::type* b, u64* splits, u64 lenA, u64 lenB, \
                                           u32 tiles, u32 codec) { \
    runsPartition<RunsGeometry<bits>>(a, b, splits, lenA, lenB, tiles, codec); \
  } \
  GS_GLOBAL __launch_bounds__(kMergeRunsThreads, kMergeRunsBlocks) \
      gs_mergeruns_tiles_##bits##_keys(const Word<bits / 8>::type* a, const Word<bits / 8>::type* b, Word<bits / 8>::type* out, \
                                       const u64* splits, u64 lenA, u64 lenB, u32 codec) { \
    runsTile<RunsGeometry<bits>>(a, b, out, splits, lenA, lenB, codec); \
  }

GS_MERGE_RUNS(8)
GS_MERGE_RUNS(16)
GS_MERGE_RUNS(32)
GS_MERGE_RUNS(64)
