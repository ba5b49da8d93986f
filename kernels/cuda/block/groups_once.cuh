// Groups of as many tiles as blocks run at once: each block has one, and a barrier of the grid stands between the
// counts and the results. No memory is cleared beforehand.
#ifndef GS_BLOCK_GROUPS_ONCE
#define GS_BLOCK_GROUPS_ONCE

#include "block/groups.cuh"
#include "warp/grid.cuh"

namespace gs {

// groupsOnce finds the groups of keys[0, out.n), out.n > 0. Launch: cooperative, kGroupsThreads threads, a block for
// each tile. counts has a word of each tile, without initial contents: written before the barrier of the grid by the
// tile's block, read behind it past the L1.
template <bool kStarts, typename K, typename I>
GS_DEVICE void groupsOnce(const K* in, const GroupsOut<K, I>& out, u32* counts) {
  extern __shared__ uint4 dynamicShared[];
  const GroupsShared<K, kStarts> shared(dynamicShared);
  const GroupsKeys<K> keys(in, out.n);
  const u32 tile = blockIdx.x, t = threadIdx.x;
  GroupsTile<K> rows;
  rows.load(keys.base, keys.begin, keys.end, tile);
  const Heads<K> heads(rows, keys.begin, keys.end, tile);
  const u32 all = gatherHeads(shared, rows, heads, 0, [&](u32 count) {
    if (t == 0) counts[tile] = count;
  });
  if (gridDim.x > 1) gridSync();
  if (t < 32) {
    u32 sum = 0;  // of fewer keys than 2^32
    for (u32 i = t; i < tile; i += 32) sum += __ldcg(counts + i);
    sum = warpSum(sum);
    if (t == 0) *shared.before = sum;
  }
  __syncthreads();
  if (tile < keys.tiles()) writeGroups(shared, keys, out, tile, 0, *shared.before, all);
}

}  // namespace gs

#endif
