// Groups in one pass over any number of tiles: which keys begin a group, how many before them do, by decoupled
// look-back (Merrill and Garland 2016), and an ordered compaction of those keys and their positions.
#ifndef GS_BLOCK_GROUPS_SWEEP
#define GS_BLOCK_GROUPS_SWEEP

#include "block/groups.cuh"
#include "block/groups_lookback.cuh"

namespace gs {

// Where two halves of shared memory fit, a block looks back from a tile when it has published the count of its next
// one. By then the counts of the tiles before are there, so that it seldom waits.
#if defined(GS_TARGET_SM_90)
constexpr bool kGroupsLate = true;
#else
constexpr bool kGroupsLate = false;
#endif
constexpr u32 kGroupsHalves = kGroupsLate ? 2 : 1;

// CountedTile is a tile whose heads lie in a half of the shared memory, and how many they are.
struct CountedTile {
  u32 tile, half, all;
};

// sweepGroups finds the groups of keys[0, out.n), out.n > 0. Launch: kGroupsThreads threads, any grid. words, one of
// each tile, and *ticket are zero.
//
// Tile numbers come from a ticket: the tiles before one are done, or in blocks that run now. A block takes its
// next ticket and publishes that tile's count before it looks back from this tile, but holds no other tile up by that:
// it publishes a count without waiting for anyone, and of the tiles not finished the first waits for none. The next
// tile's keys are under way while this one looks back.
// Words hold a count with its status and hand nothing else over (block/groups_lookback.cuh); values and starts are
// read by later launches alone.
template <bool kStarts, typename K, typename I>
GS_DEVICE void sweepGroups(const K* in, const GroupsOut<K, I>& out, u64* words, u32* ticket) {
  extern __shared__ uint4 dynamicShared[];
  const GroupsShared<K, kStarts> shared(dynamicShared);
  const GroupsKeys<K> keys(in, out.n);
  const u32 tiles = keys.tiles(), t = threadIdx.x;
  if (t == 0) *shared.next = atomicAdd(ticket, 1u);
  __syncthreads();
  u32 tile = *shared.next;
  __syncthreads();
  GroupsTile<K> rows;
  if (tile < tiles) rows.load(keys.base, keys.begin, keys.end, tile);
  CountedTile due{tiles, 0, 0};               // the tile to be written, if it is one
  while (tile < tiles || due.tile < tiles) {  // whole block
    CountedTile now{tiles, due.half ^ (kGroupsHalves - 1), 0};
    if (tile < tiles) {
      u32 next = 0;
      if (t == 0) next = atomicAdd(ticket, 1u);  // under way until the heads are counted
      const Heads<K> heads(rows, keys.begin, keys.end, tile);
      if (t == 0) *shared.next = next;
      now.tile = tile;
      now.all = gatherHeads(shared, rows, heads, now.half, [&](u32 all) {
        tile = *shared.next;
        if (t == 0) publishGroups(words, now.tile, now.tile == 0 ? kGroupsInclusive : kGroupsPartial, all);
      });
      if (tile < tiles) rows.load(keys.base, keys.begin, keys.end, tile);
    }
    if (!kGroupsLate) due = now;
    if (due.tile < tiles && t < 32) {
      u64 sum = 0;
      if (due.tile != 0) {
        sum = groupsBefore(words, due.tile);
        if (laneID() == 0) publishGroups(words, due.tile, kGroupsInclusive, sum + due.all);
      }
      if (laneID() == 0) *shared.before = sum;
    }
    __syncthreads();
    if (due.tile < tiles) writeGroups(shared, keys, out, due.tile, due.half, *shared.before, due.all);
    due = kGroupsLate ? now : CountedTile{tiles, 0, 0};
  }
}

}  // namespace gs

#endif
