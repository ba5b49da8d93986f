// warp/grid.cuh for the host.
#ifndef GS_WARP_GRID
#define GS_WARP_GRID

#include "emulate/fibers.h"

namespace gs {

typedef u32 GridToken;
inline GridToken gridArrive() { return __syncthreads(), emulated::arriveGrid(), 0; }
inline void gridWait(GridToken) { emulated::waitGrid(); }
inline void gridSync() { emulated::arriveGrid(), emulated::waitGrid(); }

}  // namespace gs

#endif
