// Buckets that the counters of msd_fields.cuh cannot hold: many equal or nearly
// equal keys. A block sorts one after the other by digits in shared memory.
#ifndef GS_BLOCK_MSD_SLOW
#define GS_BLOCK_MSD_SLOW

#include "block/msd_bins.cuh"
#include "block/small.cuh"

namespace gs {

// msdSlow sorts the listed buckets, of at most G::kTile keys each, by bins, and those
// whose bins are overfull by digits; digits in which all keys agree cost nothing.
// Launch: G::kThreads threads, any grid, PassShared<G>::kBytes of dynamic shared
// memory. The list is complete: an earlier launch wrote it.
template <typename G>
GS_DEVICE void msdSlow(KeyOf<G>* keys, const u32* starts, const MsdState* state, const u32* slow, u32 codec) {
  static_assert(BinShared<G>::kBytes <= PassShared<G>::kBytes, "one launch");
  const u32 listed = state->slow;
  const MsdEncoded<KeyOf<G>> encoded(codec, state);
  for (u32 i = blockIdx.x; i < listed; i += gridDim.x) {
    const u32 b = slow[i], begin = starts[b], items = starts[b + 1] - begin;
    KeyOf<G>* const bucket = keys + begin;
    const bool sorted = sortBins<G>(bucket, items, [&](u32 at, KeyOf<G> key) { bucket[at] = encoded.key(key); });
    __syncthreads();  // what comes next uses the same shared memory
    if (sorted) continue;
    sortTile<G>(bucket, static_cast<ValueOf<G>*>(nullptr), items, 0, encoded.skip != 0 ? 0 : codec, kModeKeys);
    __syncthreads();  // here also: what the block wrote is there for all its threads
    if (encoded.skip == 0) continue;
    for (u32 j = threadIdx.x; j < items; j += G::kThreads) bucket[j] = encoded.key(bucket[j]);
  }
}

}  // namespace gs

#endif
