// A whole sort in one block and one launch.
//
// Launch: one block of kThreads threads, TileShared<G>::kBytes of dynamic shared memory. Keys are read once and
// written once. They are split into as many bins as there are keys, and each is compared with the others of its bin.
// Where keys are too unevenly spread for that, they pass by the digits that vary. Blocks share nothing: the order of
// memory is that of the block's barriers.
#ifndef GS_BLOCK_BINS
#define GS_BLOCK_BINS

#include "block/digits.cuh"
#include "block/split.cuh"

namespace gs {

// sortBlock sorts 1 <= n <= kTile items stably.
template <typename G> GS_DEVICE void sortBlock(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  const TileShared<G> s = sharedOfBlock<G>();
  K* const keys = static_cast<K*>(keysIO);
  V* const values = static_cast<V*>(valuesIO);
  const Share share(G::kThreads, (n + G::kThreads - 1) / G::kThreads, 0);
  TileKeys<G> t;
  loadTile<G>(t, share, keys, values, n, mode);
  const K sample = firstKey<K>(codec, keys);
  clearBins<G>(s);
  const Bounds<K> bounds = blockBounds<G>(s.warpBounds, encodeTile<G>(t, share, n, codec, sample));
  if (bounds.differ == 0) {
    // All keys are equal: pairs, too, are in order as they are.
    if (G::kPairs && mode == kModeArgsort) storeTile<G>(t, share, keys, values, n, codec, mode);
    return;
  }
  const Bins<K> bins = {bounds.least, shiftFor<G>(bounds.top())};
  if (splitTile<G>(s, bins, share, n, t)) {
    placeInBins<G>(s, bins, keys, values, n, codec, mode);
    return;
  }
  passTile<G>(s, share, n, bounds, t);
  storeTile<G>(t, share, keys, values, n, codec, mode);
}

}  // namespace gs

#endif
