// Where parts and buckets begin.
#ifndef GS_LARGE_PREPARE
#define GS_LARGE_PREPARE

#include "sample.cuh"

namespace gs {

// exclusiveOf is the sum of x over the threads before this one; total: of all. 1,024 threads, whole warps.
GS_DEVICE u32 exclusiveOf(u32 x, u32* warps, u32& total) {
  const u32 lane = laneID(), warp = threadIdx.x / 32;
  u32 sum = x;
  for (u32 d = 1; d < 32; d *= 2) {
    const u32 below = __shfl_up_sync(kAllLanes, sum, d);
    if (lane >= d) sum += below;
  }
  __syncthreads();
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  u32 before = 0;
  total = 0;
  for (u32 w = 0; w < blockDim.x / 32; w++) before += w < warp ? warps[w] : 0, total += warps[w];
  return before + sum - x;
}

// largePrepare: one block of kDigits threads. Parts, their buckets of `mean` keys, and tiles that do not cross them.
GS_DEVICE void largePrepare(Split* s, Tile* tiles, u32 mean) {
  __shared__ u32 warps[32];
  const u32 d = threadIdx.x, items = s->counts[d];
  const bool constant = isConstant(s->splitters, d, kParts);
  u32 all, buckets = (items + mean - 1) / mean;
  if (buckets > kParts) buckets = kParts;
  if (constant && buckets > 1) buckets = 1;
  const u32 begin = exclusiveOf(items, warps, all), many = (items + kTile - 1) / kTile;
  const u32 first = exclusiveOf(buckets, warps, all);
  if (d == 0) s->buckets = all;
  const u32 tile = exclusiveOf(many, warps, all);
  if (d == 0) s->tiles = all;
  s->parts[d] = {begin, items, buckets, first, constant};
  s->cursors[d] = begin;
  // Equal tiles: none is small.
  for (u32 i = 0; i < many; i++) {
    const u32 from = u32(u64(items) * i / many), to = u32(u64(items) * (i + 1) / many);
    tiles[tile + i] = {begin + from, to - from, d, 0};
  }
}

// largeStarts: one block of 1,024 threads. starts has the buckets' first places and n, cursors the same.
GS_DEVICE void largeStarts(const u32* counters, u32* starts, u32* cursors, const Split* s, u32 n) {
  __shared__ u32 warps[32];
  u32 before = 0, all;
  for (u32 from = 0; from < s->buckets; from += 4 * 1024) {
    u32 x[4], sum = 0;
    for (u32 j = 0; j < 4; j++) {
      const u32 b = from + 4 * threadIdx.x + j;
      x[j] = b < s->buckets ? counters[b] : 0;
      sum += x[j];
    }
    u32 at = before + exclusiveOf(sum, warps, all);
    for (u32 j = 0; j < 4; j++) {
      const u32 b = from + 4 * threadIdx.x + j;
      if (b < s->buckets) starts[b] = cursors[b] = at;
      at += x[j];
    }
    before += all;
  }
  if (threadIdx.x == 0) starts[s->buckets] = n;
}

}  // namespace gs

#endif
