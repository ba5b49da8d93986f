// Module small: sorts of one launch. few and many are one block of fewer or more
// threads, cluster is a thread-block cluster (sm_90 only). internal/algo/small
// plans them. Instances come from the policy table.
#include "block/split.cuh"
#include "policy/zsmall.cuh"

using namespace gs;

#if defined(GS_TARGET_SM_90)
#include "block/cluster.cuh"
#define GS_CLUSTER(bits, valueBytes, suffix, threads, items)                                             \
  extern "C" __global__ void __launch_bounds__(threads, 1)                                              \
      gs_small_cluster_##bits##_##suffix(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {     \
    sortCluster<TileGeometry<bits, valueBytes, threads, items, false>>(keysIO, valuesIO, n, codec, mode); \
  }
#else
#define GS_CLUSTER(bits, valueBytes, suffix, threads, items)
#endif

#define GS_INSTANCE(bits, valueBytes, suffix, fewThreads, fewItems, manyThreads, manyItems, clusterThreads, clusterItems) \
  extern "C" __global__ void __launch_bounds__(fewThreads, 1)                                            \
      gs_small_few_##bits##_##suffix(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {         \
    sortBlock<TileGeometry<bits, valueBytes, fewThreads, fewItems, true>>(keysIO, valuesIO, n, codec, mode); \
  }                                                                                                      \
  extern "C" __global__ void __launch_bounds__(manyThreads, 1)                                           \
      gs_small_many_##bits##_##suffix(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {        \
    sortBlock<TileGeometry<bits, valueBytes, manyThreads, manyItems, true>>(keysIO, valuesIO, n, codec, mode); \
  }                                                                                                      \
  GS_CLUSTER(bits, valueBytes, suffix, clusterThreads, clusterItems)

GS_SMALL_POLICIES(GS_INSTANCE)

extern "C" __global__ void gs_small_policy(u64* hash) { *hash = GS_SMALL_POLICY_HASH; }
