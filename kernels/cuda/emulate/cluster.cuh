// warp/cluster.cuh and warp/grid.cuh for the host.
#ifndef GS_WARP_CLUSTER
#define GS_WARP_CLUSTER
#define GS_WARP_GRID

#include "emulate/fibers.h"

namespace gs {

inline void clusterArrive() { emulated::arriveCluster(); }
inline void clusterStarted() { emulated::arriveCluster(); }
inline void clusterWait() { emulated::waitCluster(); }
template <typename T> T* peerShared(T* p, u32 rank) { return emulated::peerShared(p, rank); }
typedef u32 GridToken;
inline GridToken gridArrive() { return __syncthreads(), emulated::arriveCluster(), 0; }
inline void gridWait(GridToken) { emulated::waitCluster(); }
inline void gridSync() { emulated::arriveCluster(), emulated::waitCluster(); }

}  // namespace gs

#endif
