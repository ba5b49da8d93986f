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
  const MsdImage<typename G::Key> image(codec, state);
  for (u32 i = blockIdx.x; i < listed; i += gridDim.x) {
    const u32 b = slow[i], begin = starts[b], items = starts[b + 1] - begin;
    sortTile<G>(keys + begin, static_cast<typename G::Value*>(nullptr), items, 0, image.skip != 0 ? 0 : codec, kModeKeys);
    __syncthreads();  // the next bucket uses the same shared memory; what the block wrote is there for all its threads
    if (image.skip == 0) continue;
    for (u32 j = threadIdx.x; j < items; j += G::kThreads) keys[begin + j] = image.key(keys[begin + j]);
  }
}

}  // namespace gs

#endif
