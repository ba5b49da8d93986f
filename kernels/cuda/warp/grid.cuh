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

// gridArrive and gridWait are gridSync in two steps: what a thread does between them
// is not ordered with other blocks' work, and hides the time until the last arrives.
// gridArrive begins and gridWait ends with a barrier of the block. All threads call
// both, and no other barrier of the grid between.
typedef cooperative_groups::grid_group::arrival_token GridToken;
GS_DEVICE GridToken gridArrive() { return cooperative_groups::this_grid().barrier_arrive(); }
GS_DEVICE void gridWait(GridToken token) {
  cooperative_groups::this_grid().barrier_wait(static_cast<GridToken&&>(token));
}

}  // namespace gs

#endif
