// Module small: sorts of one launch. few and many are one block of fewer or more
// threads, cluster is a thread-block cluster and grid a cooperative launch (both
// sm_90 only). internal/algo/small plans them. Instances come from the policy
// table.
#include "block/bins.cuh"
#include "policy/zsmall.cuh"

using namespace gs;

#define GS_BLOCK(stage, bits, valueBytes, suffix, threads, items)                                        \
  extern "C" __global__ void __launch_bounds__(threads, 1)                                              \
      gs_small_##stage##_##bits##_##suffix(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {   \
    sortBlock<TileGeometry<bits, valueBytes, threads, items>>(keysIO, valuesIO, n, codec, mode);   \
  }

#if defined(GS_TARGET_SM_90)
#include "block/cluster.cuh"
#include "block/grid.cuh"
#define GS_CLUSTER(bits, valueBytes, suffix, threads, items)                                             \
  extern "C" __global__ void __launch_bounds__(threads, 1)                                              \
      gs_small_cluster_##bits##_##suffix(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {     \
    sortCluster<TileGeometry<bits, valueBytes, threads, items, kMaxClusterBlocks>>(keysIO, valuesIO, n, codec, mode); \
  }
#define GS_GRID(bits, valueBytes, suffix, threads, items)                                                \
  extern "C" __global__ void __launch_bounds__(threads, 1) gs_small_grid_##bits##_##suffix(             \
      void* keysIO, void* keysAlt, void* valuesIO, u32* totals, u64* varying, u32 n, u32 codec, u32 mode) { \
    sortGrid<TileGeometry<bits, valueBytes, threads, items>>({keysIO, keysAlt, valuesIO, totals, varying, n, codec, mode}); \
  }
#else
#define GS_CLUSTER(bits, valueBytes, suffix, threads, items)
#define GS_GRID(bits, valueBytes, suffix, threads, items)
#endif

#define GS_INSTANCE(bits, valueBytes, suffix, fewThreads, fewItems, manyThreads, manyItems, clusterThreads, clusterItems, gridThreads, gridItems) \
  GS_BLOCK(few, bits, valueBytes, suffix, fewThreads, fewItems)                                          \
  GS_BLOCK(many, bits, valueBytes, suffix, manyThreads, manyItems)                                       \
  GS_CLUSTER(bits, valueBytes, suffix, clusterThreads, clusterItems)                                     \
  GS_GRID(bits, valueBytes, suffix, gridThreads, gridItems)

GS_SMALL_POLICIES(GS_INSTANCE)

extern "C" __global__ void gs_small_policy(u64* hash) { *hash = GS_SMALL_POLICY_HASH; }
