// The last launch of an MSD sort of pairs before items move: the route, and the
// tiles of the second split.
#ifndef GS_BLOCK_PAIRS_PREPARE
#define GS_BLOCK_PAIRS_PREPARE

#include "block/msd_state.cuh"

namespace gs {

// A tile of a split: items [at, at+items) of part `part`, whose tile number
// `local` it is. A part's tiles but for the first start at multiples of 32
// items, so that their loads are aligned.
struct PairsTile {
  u32 at, items, part, local;
};
static_assert(sizeof(PairsTile) == 16, "size known to internal/algo/msd");

// pairsPrepare decides the route. If it is kRouteSplit, block b writes the tiles
// that cover top digit b. Launch: 256 threads, 1 << bits1 blocks.
//
// There are at most n/tile + 512 tiles. Only strictly descending input is turned
// round: equal keys keep their order.
GS_DEVICE void pairsPrepare(const u32* starts, MsdState* state, Control* control, PairsTile* tiles, u32 n, u32 bits1,
                            u32 bits2, u32 tile, u32 capacity) {
  __shared__ u32 warpSums[8];
  __shared__ u32 mine;
  const u32 t = threadIdx.x, b = blockIdx.x, digits1 = 1u << bits1;
  if (state->sampled != 0) return;  // the route is chosen; nothing was counted
  const u32 seen = state->seen;
  const bool misled = msdMisled(state);
  const bool sorted = !misled && !(seen & kSeenDescent), reversed = !misled && !(seen & (kSeenAscent | kSeenEqual));
  u32 route = kRouteSplit;
  if (misled || starts[digits1 << bits2] != n || state->largest > capacity) route = kRouteOnesweep;
  if (sorted || reversed) route = kRouteNone;
  if (b == 0 && t == 0) {
    state->route = route;
    if (reversed && !sorted) control->finish = kFinishReverse;
  }
  if (route != kRouteSplit) return;  // state->tiles stays 0

  u32 count = 0;
  if (t < digits1) {
    const u32 begin = starts[t << bits2], end = starts[(t + 1) << bits2];
    if (end > begin) count = (end - (begin & ~31u) + tile - 1) / tile;
  }
  const u32 sum = warpSum(t < b ? count : 0u);
  if (laneID() == 0) warpSums[t / 32] = sum;
  if (t == b) mine = count;
  __syncthreads();
  u32 first = 0;
#pragma unroll
  for (int w = 0; w < 8; w++) first += warpSums[w];
  const u32 lo = starts[b << bits2], hi = starts[(b + 1) << bits2], base = lo & ~31u, own = mine;
  for (u32 j = t; j < own; j += 256) {
    const u32 at = base + j * tile, from = at < lo ? lo : at;
    tiles[first + j] = PairsTile{from, least(hi, at + tile) - from, b, j};
  }
  if (b == gridDim.x - 1 && t == 0) state->tiles = first + own;
}

}  // namespace gs

#endif
