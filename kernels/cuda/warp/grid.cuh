// The barrier of a cooperative launch. Only code compiled for sm_90 includes this:
// NVRTC, which makes the PTX, has no such header.
#ifndef GS_WARP_GRID
#define GS_WARP_GRID

#include <cooperative_groups.h>

#include "warp/word.cuh"

namespace gs {

// gridSync waits for all threads of the grid. What they wrote to global memory
// before is seen by loads after it that bypass the L1 (__ldcg), which other
// multiprocessors' writes do not reach.
GS_DEVICE void gridSync() { cooperative_groups::this_grid().sync(); }

}  // namespace gs

#endif
