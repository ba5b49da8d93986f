// 64-bit keys whose upper halves are all the same: the splits and the bucket sort
// move their lower halves, the last store puts the upper one before them. Usually
// these launches have nothing to do, so that their grids are small and a block
// takes one tile or bucket after the other.
#ifndef GS_BLOCK_MSD_NARROW
#define GS_BLOCK_MSD_NARROW

#include "block/msd_runs.cuh"
#include "block/msd_split.cuh"
#include "block/small.cuh"

namespace gs {

// NarrowSource reads keys and keeps the lower halves.
struct NarrowSource : TopWordDigits {
  typedef u64 Raw;
  const u64* in;
  u32 codec;
  GS_DEVICE NarrowSource(const u64* in_, u32 codec_) : in(in_), codec(codec_) {}
  GS_DEVICE u32 pack(u64 k, u32) const { return u32(k); }
};

// msdNarrowFirst splits the lower halves by their top bits1 bits. Any grid.
template <typename S> GS_DEVICE void msdNarrowFirst(const u64* keys, u32* out, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec) {
  if (state->route != kRouteNarrow) return;
  for (u32 base = blockIdx.x * S::kTile; base < n; base += gridDim.x * S::kTile) {
    msdSplit<S>(NarrowSource(keys, codec), out, base, 0, smaller(S::kTile, n - base), cursors, 32 - bits1, 255);
    __syncthreads();  // the next tile uses the same shared memory
  }
}

// msdNarrowSecond splits each part by the next bits2 bits. Any grid.
template <typename S>
GS_DEVICE void msdNarrowSecond(const u32* in, u32* out, u32* cursors, const uint4* tiles, const MsdState* state, u32 bits1, u32 bits2) {
  if (state->route != kRouteNarrow) return;
  for (u32 i = blockIdx.x; i < state->tiles; i += gridDim.x) {
    const uint4 tile = tiles[i];
    msdSplit<S>(KeySource<u32>(in, 0, 0), out, tile.x, tile.y, tile.z, cursors + (tile.w << bits2) * kPad, 32 - bits1 - bits2, (1u << bits2) - 1);
    __syncthreads();
  }
}

// msdWiden sorts the buckets of lower halves and writes whole keys. Any grid;
// L::kRunsBytes of dynamic shared memory.
template <typename L> GS_DEVICE void msdWiden(const u32* in, u64* keys, const u32* starts, MsdState* state, u32* slow, u32 bits, u32 codec) {
  extern __shared__ uint4 dynamicShared[];
  if (state->route != kRouteNarrow) return;
  const u64 top = u64(state->top) << 32;
  for (u32 b = blockIdx.x; b < 1u << bits; b += gridDim.x) {
    const u32 begin = starts[b], items = starts[b + 1] - begin;
    if (items == 0) continue;
    const Bucket<u32> bucket(const_cast<u32*>(in), begin, items);
    if (sortRuns<L>(bucket, TopValue{bits}, Natural())) {
      const u32* sorted = RunsShared<L>(dynamicShared).sorted + bucket.skew;
      for (u32 i = threadIdx.x; i < items; i += L::kThreads) keys[begin + i] = decode(codec, top | sorted[i]);
    } else {
      toSlow(state, slow, b);
    }
    __syncthreads();
  }
}

// msdSlowWiden sorts the listed buckets in place and writes whole keys. Any grid,
// G::kThreads threads, PassShared<G>::kBytes of dynamic shared memory.
template <typename G> GS_DEVICE void msdSlowWiden(u32* in, u64* keys, const u32* starts, const MsdState* state, const u32* slow, u32 codec) {
  if (state->route != kRouteNarrow) return;
  const u64 top = u64(state->top) << 32;
  const u32 listed = state->slow;
  for (u32 i = blockIdx.x; i < listed; i += gridDim.x) {
    const u32 begin = starts[slow[i]], items = starts[slow[i] + 1] - begin;
    sortTile<G>(in + begin, static_cast<typename G::Value*>(nullptr), items, 0, 0, kModeKeys);
    __syncthreads();  // what the block wrote is there for all its threads
    for (u32 j = threadIdx.x; j < items; j += G::kThreads) keys[begin + j] = decode(codec, top | in[begin + j]);
    __syncthreads();
  }
}

}  // namespace gs

#endif
