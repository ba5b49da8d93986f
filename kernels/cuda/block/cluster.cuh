// A whole sort in one cluster and one launch: each block holds a share of the
// keys, and keys move between blocks through distributed shared memory.
#ifndef GS_BLOCK_CLUSTER
#define GS_BLOCK_CLUSTER

#include "block/digits.cuh"
#include "warp/cluster.cuh"

namespace gs {

// Cluster is the group of all blocks of the launch.
struct Cluster {
  u32 blocks, rank, reciprocal;
  // ⌈2^32/slots⌉ · x has the error x·e/2^32 with e < slots: below 1/slots, so
  // that the quotient is exact, for x < 2^17 and slots < 2^15.
  GS_DEVICE explicit Cluster(u32 slots) : blocks(gridDim.x), rank(blockIdx.x), reciprocal(0xffffffffu / slots + 1) {}
  GS_DEVICE void sync() const {
    clusterArrive();
    clusterWait();
  }
  template <typename F> GS_DEVICE void each(F f) const {
    for (u32 b = 0; b < blocks; b++) f(b);
  }
  template <typename T> GS_DEVICE T* shared(T* p, u32 block) const { return peerShared(p, block); }
  GS_DEVICE u32 blockOf(u32 x) const { return u32(u64(x) * reciprocal >> 32); }
};

// sortCluster sorts 1 <= n <= blocks · kTile items stably. Launch: a grid of 2
// to 16 blocks, one cluster, kThreads threads each, TileShared<G>::kBytes of
// dynamic shared memory.
template <typename G> GS_DEVICE void sortCluster(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  K* const keys = static_cast<K*>(keysIO);
  V* const values = static_cast<V*>(valuesIO);
  // A block may touch another's shared memory when that one has started: this
  // half of a barrier is waited for below, behind the loads.
  clusterArrive();
  const u32 threads = gridDim.x * G::kThreads;
  const Share share(G::kThreads, (n + threads - 1) / threads, blockIdx.x);
  const Cluster group(share.slots);
  TileKeys<G> t;
  K sample = keys[0];
  loadTile<G>(t, share, keys, values, n, mode);
  sample = encode(codec, sample);
  const u64 own = blockVarying<G>(s.warpVarying, encodeTile<G>(t, share, n, codec, sample));
  clusterWait();
  if (threadIdx.x < group.blocks) *group.shared(&s.varying[group.rank], threadIdx.x) = own;
  group.sync();
  u64 varying = 0;
  for (u32 b = 0; b < group.blocks; b++) varying |= s.varying[b];
  digitPasses<G>(s, group, share, varying, t);
  storeTile<G>(t, share, keys, values, n, codec, mode);
}

}  // namespace gs

#endif
