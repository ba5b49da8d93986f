// A tile of up to 1,024 keys sorted by merging, where bins are overfull.
#ifndef GS_BLOCK_MERGE_SMALL
#define GS_BLOCK_MERGE_SMALL

#include "block/lists.cuh"
#include "block/tile.cuh"

namespace gs {

// Keys of overfull bins are merged up to so many, and floats of 64 bits up to 1,024: more are refined, or pass by
// digits, in less time (measured).
constexpr u32 kMergedTile = 512;
template <typename G> constexpr bool kMergesTile = TileShared<G>::kRows;

// mergeTile sorts the tile's n keys, of a share that begins at 0, and writes them out. Begins after a
// barrier behind the last look at counters, keys and values in shared memory.
template <typename G>
GS_DEVICE void mergeTile(const TileShared<G>& s, const Share& share, u32 n, const TileKeys<G>& t, typename G::Key* keys, typename G::Value* values, u32 codec,
                         u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  char* const room = reinterpret_cast<char*>(s.counts);
  u16* const from = reinterpret_cast<u16*>(room + 2 * G::kTile * sizeof(K));
  V* const staged = reinterpret_cast<V*>(room + G::kTile * (2 * sizeof(K) + 4));
  const u32 at = sharedAt(room), places = sharedAt(from);
  Rows<K, G::kPairs> rows = {at, at + G::kTile * u32(sizeof(K)), places, places + 2 * G::kTile};
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    storeAt<K>(rows.keys + (share.slot() + 32 * i) * u32(sizeof(K)), t.k[i]);
    if constexpr (G::kPairs) staged[share.slot() + 32 * i] = t.v[i];
  }
  sortRows<G::kThreads>(rows, n);
#pragma unroll 1  // code that runs once waits for memory: loops keep it short
  for (u32 i = threadIdx.x; i < n; i += G::kThreads) {
    if (mode != kModeArgsort) keys[i] = decode(codec, rows.key(i));
    if constexpr (G::kPairs) values[i] = staged[rows.place(i)];
  }
}

}  // namespace gs

#endif
