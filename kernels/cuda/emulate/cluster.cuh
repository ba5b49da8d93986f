// warp/cluster.cuh without its inline assembly.
#ifndef GS_WARP_CLUSTER
#define GS_WARP_CLUSTER

#include "emulate/fibers.h"

namespace gs {

inline void clusterArrive() { emulated::arriveCluster(); }
inline void clusterWait() { emulated::waitCluster(); }
template <typename T> T* peerShared(T* p, u32 rank) { return emulated::peerShared(p, rank); }

}  // namespace gs

#endif
