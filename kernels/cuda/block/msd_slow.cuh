// Buckets that the counters of msd_fields.cuh cannot hold: many equal or nearly
// equal keys. A block sorts one after the other by digits in shared memory.
#ifndef GS_BLOCK_MSD_SLOW
#define GS_BLOCK_MSD_SLOW

#include "block/msd_state.cuh"
#include "block/small.cuh"

namespace gs {

// msdSlow sorts the listed buckets, of at most G::kTile keys each. Digits in
// which a bucket's keys agree cost nothing: the bucket's own bits, all of equal
// keys. Launch: G::kThreads threads, any grid, PassShared<G>::kBytes of dynamic
// shared memory. The list is complete: an earlier launch wrote it.
template <typename G> GS_DEVICE void msdSlow(typename G::Key* keys, const u32* starts, const MsdState* state, const u32* slow, u32 codec) {
  const u32 listed = state->slow;
  for (u32 i = blockIdx.x; i < listed; i += gridDim.x) {
    const u32 b = slow[i], begin = starts[b];
    sortTile<G>(keys + begin, static_cast<typename G::Value*>(nullptr), starts[b + 1] - begin, 0, codec, kModeKeys);
    __syncthreads();  // the next bucket uses the same shared memory
  }
}

}  // namespace gs

#endif
