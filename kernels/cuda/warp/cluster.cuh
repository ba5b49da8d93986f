// Thread-block clusters (compute capability 9.0): a launch is one cluster, so
// that a block's rank is its index. Only code compiled for sm_90 includes this.
#ifndef GS_WARP_CLUSTER
#define GS_WARP_CLUSTER

#include "warp/word.cuh"

namespace gs {

// clusterArrive and clusterWait are the halves of a barrier of all threads of
// the cluster. What a thread wrote before it arrived, to any block's shared
// memory, is seen by every thread that has waited; what it read before was read
// before any of their later writes (release and acquire at cluster scope).
GS_DEVICE void clusterArrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
// clusterStarted is clusterArrive of a thread that has written nothing for others to see, and so need not wait
// for its writes.
GS_DEVICE void clusterStarted() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
GS_DEVICE void clusterWait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

// peerShared is where the object that p points to in this block's shared memory
// lies in that of block `rank`.
template <typename T> GS_DEVICE T* peerShared(T* p, u32 rank) {
  u64 at;
  asm("mapa.u64 %0, %1, %2;" : "=l"(at) : "l"(p), "r"(rank));
  return reinterpret_cast<T*>(at);
}

}  // namespace gs

#endif
