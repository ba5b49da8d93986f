// Module small: sorts of one launch. few, many and more are one block, and grid a cooperative launch (more and grid
// on sm_90 only). internal/algo/small plans them. Instances come from the policy table, but for more, one block of
// 5,120 items.
#include "block/digits.cuh"
#include "block/split.cuh"
#include "policy/zsmall.cuh"

namespace gs {

// sortBlock sorts 1 <= n <= kTile items stably in one block of kThreads threads, with TileShared<G>::kBytes of dynamic
// shared memory. Keys are read once and written once. They are split into as many bins as a full tile has keys, and
// each is compared with the others of its bin. Where keys are too unevenly spread for that, they pass by the digits
// that vary. Blocks share nothing: the order of memory is that of the block's barriers.
template <typename G> GS_DEVICE void sortBlock(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  const TileShared<G> s = sharedOfBlock<G>();
  K* const keys = static_cast<K*>(keysIO);
  ValueOf<G>* const values = static_cast<ValueOf<G>*>(valuesIO);
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
  const Intervals<K> bins = {bounds.least, shiftFor<G>(bounds.top())};
  if (splitTile<G>(s, bins, share, n, t)) {
    placeInBins<G>(s, bins, keys, values, n, codec, mode);
    return;
  }
  passTile<G>(s, share, n, bounds, t);
  storeTile<G>(t, share, keys, values, n, codec, mode);
}

}  // namespace gs

using namespace gs;

// Words of a key and its place take room that older devices lack.
#if defined(GS_TARGET_SM_90)
constexpr bool kJoinsPairs = true;
#else
constexpr bool kJoinsPairs = false;
#endif
template <int... kSizes> using SmallTile = TileGeometry<kSizes..., kJoinsPairs>;

#define GS_BLOCK(stage, bits, valueBytes, suffix, threads, items) \
  GS_SHARED(small_##stage##_##bits##_##suffix, TileShared<SmallTile<bits, valueBytes, threads, items>>::kBytes)\
  GS_GLOBAL __launch_bounds__(threads, 1) \
      gs_small_##stage##_##bits##_##suffix(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) { \
    sortBlock<SmallTile<bits, valueBytes, threads, items>>(keysIO, valuesIO, n, codec, mode); \
  }

#if defined(GS_TARGET_SM_90)
#include "block/grid.cuh"
#define GS_GRID(bits, valueBytes, suffix, threads, items) \
  GS_SHARED(small_grid_##bits##_##suffix, GridBytes<SmallTile<bits, valueBytes, threads, items>>::kAll)\
  GS_GLOBAL __launch_bounds__(threads, 1) gs_small_grid_##bits##_##suffix( \
      void* keysIO, void* keysAlt, void* valuesIO, u32* totals, u64* bounds, u32 n, u32 codec, u32 mode) { \
    sortGrid<SmallTile<bits, valueBytes, threads, items>>({keysIO, keysAlt, valuesIO, totals, bounds, n, codec, \
                                                           mode}); \
  }
#else
#define GS_GRID(bits, valueBytes, suffix, threads, items)
#endif

#define GS_INSTANCE(bits, valueBytes, suffix, fewThreads, fewItems, manyThreads, manyItems, gridThreads, gridItems) \
  GS_BLOCK(few, bits, valueBytes, suffix, fewThreads, fewItems) \
  GS_BLOCK(many, bits, valueBytes, suffix, manyThreads, manyItems) \
  GS_GRID(bits, valueBytes, suffix, gridThreads, gridItems)

GS_SMALL_POLICIES(GS_INSTANCE)

#if defined(GS_TARGET_SM_90)
// Items that are more than many holds, and few for a grid.
constexpr int kMoreThreads = 1024, kMoreItems = 5;
GS_CONSTANT(SmallMoreThreads, kMoreThreads)
GS_CONSTANT(SmallMoreItems, kMoreItems)
GS_BLOCK(more, 32, 0, keys, kMoreThreads, kMoreItems)
GS_BLOCK(more, 32, 4, pairs32, kMoreThreads, kMoreItems)
GS_BLOCK(more, 64, 0, keys, kMoreThreads, kMoreItems)
GS_BLOCK(more, 64, 4, pairs32, kMoreThreads, kMoreItems)
#endif

GS_GLOBAL gs_small_policy(u64* hash) { *hash = GS_SMALL_POLICY_HASH; }
