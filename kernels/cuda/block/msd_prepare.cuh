// The MSD sort's last launch before keys move: the route, and what the two
// splits need.
#ifndef GS_BLOCK_MSD_PREPARE
#define GS_BLOCK_MSD_PREPARE

#include "block/msd_state.cuh"

namespace gs {

// msdPrepare decides the route. If keys will move, block b writes the cursor of
// top digit b and those of its 1 << bits2 buckets, and the tiles of the
// second split that cover digit b. Launch: 256 threads, 1 << bits1 blocks.
//
// A tile {A, lo, hi, b} stands for the keys [A+lo, A+hi). A is a multiple of 32
// keys, so that the tile's loads are aligned; there are at most n/tile + 512.
//
// Buckets of more than capacity keys, and counts that say nothing, since a counter wrapped or the sample misled, send
// the input to onesweep.
//
// parts is 0 for keys alone. For argsort it is the number of groups, 2 or 3, and
// the groups are written. With 3, the first group's words go to the n indices'
// place of 4 bytes each, but not where the group's own indices will lie, which
// leaves room for a third of all words; one word is lost to alignment. With 2,
// they go to room for half of all words behind the n words of the first split.
// Groups end where parts do. If some part is so large that a group would have no
// room, or more tiles than its grid (n/2 items of the last group of 3, 5n/8 of 2),
// the route is kRouteOnesweep.
GS_DEVICE void msdPrepare(const u32* starts, MsdState* state, Control* control, u32* cursors1, u32* cursors2,
                          uint4* tiles, MsdGroups* groups, u32 n, u32 bits1, u32 bits2, u32 tile, u32 capacity,
                          u32 parts) {
  __shared__ u32 warpSums[8];
  __shared__ u32 mine;
  const u32 t = threadIdx.x, b = blockIdx.x, digits1 = 1u << bits1, digits2 = 1u << bits2;
  // sum adds x over all threads.
  auto sum = [&](u32 x) {
    const u32 s = warpSum(x);
    __syncthreads();
    if (laneID() == 0) warpSums[t / 32] = s;
    __syncthreads();
    u32 all = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) all += warpSums[w];
    return all;
  };
  // from is the first part that starts at or behind item x, or digits1.
  auto from = [&](u32 x) { return sum(t < digits1 && starts[t << bits2] < x); };

  if (state->sampled != 0) return;  // the route is chosen; nothing was counted
  const u32 seen = state->seen;
  const bool misled = msdMisled(state), sorted = !misled && !(seen & kSeenDescent);
  // Turned round, equal keys would change their order.
  const bool reversed = !misled && !(seen & (parts == 0 ? kSeenAscent : kSeenAscent | kSeenEqual));
  u32 route = kRouteSplit;
  if (misled || starts[digits1 << bits2] != n || state->largest > capacity) route = kRouteOnesweep;
  if (sorted || reversed) route = kRouteNone;
  u32 part1 = 0, part2 = 0, begin1 = 0, begin2 = 0;
  if (parts != 0 && route == kRouteSplit) {
    // 8·(n − begin1) + 8 ≤ 4·begin1, or n − begin1 ≤ n/2.
    part1 = from(parts == 3 ? (2 * n + 4) / 3 : n - n / 2);
    begin1 = starts[part1 << bits2];
    if (parts == 3) {
      part2 = from(2 * begin1 - n);  // begin1 − begin2 ≤ n − begin1
      begin2 = starts[part2 << bits2];
      if (begin2 > n / 2) route = kRouteOnesweep;
    } else if (begin1 > n / 8 * 5) {
      route = kRouteOnesweep;
    }
  }
  if (b == 0 && t == 0) {
    state->route = route;
    if (sorted || reversed) {
      if (parts != 0)
        control->finish = sorted ? kFinishIota : kFinishIotaReverse;
      else if (!sorted)
        control->finish = kFinishReverse;
    }
  }
  if (route != kRouteSplit) return;  // state->tiles stays 0

  u32 count = 0;
  if (t < digits1) {
    const u32 begin = starts[t << bits2], end = starts[(t + 1) << bits2];
    if (end > begin) count = (end - (begin & ~31u) + tile - 1) / tile;
  }
  if (t == b) mine = count;
  if (t < digits2) cursors2[((b << bits2) + t) * kPad] = starts[(b << bits2) + t];
  if (t == 0) cursors1[b * kPad] = starts[b << bits2];
  const u32 first = sum(t < b ? count : 0u);  // its barriers publish mine
  const u32 lo = starts[b << bits2], hi = starts[(b + 1) << bits2], base = lo & ~31u, own = mine;
  for (u32 j = t; j < own; j += 256) {
    const u32 at = base + j * tile;
    tiles[first + j] = make_uint4(at, lo > at ? lo - at : 0, least(hi - at, tile), b);
  }
  if (t != 0) return;
  const bool last = b == gridDim.x - 1;
  if (last) state->tiles = first + own;
  if (parts == 0) return;
  const u32 begins[4] = {n, begin1, begin2, 0}, firsts[4] = {digits1, part1, part2, 0};
#pragma unroll
  for (int g = 0; g < 4; g++) {
    if (b == 0) groups->begin[g] = begins[g], groups->part[g] = firsts[g];
    // The block of the part that starts there; behind the last part, the last.
    if (b == firsts[g]) groups->tile[g] = first;
    if (last && firsts[g] == digits1) groups->tile[g] = first + own;
  }
}

}  // namespace gs

#endif
