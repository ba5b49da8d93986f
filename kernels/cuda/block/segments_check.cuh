// The offsets of segments, looked at once: whether they may be sorted by, and which segments are no warp's.
#ifndef GS_BLOCK_SEGMENTS_CHECK
#define GS_BLOCK_SEGMENTS_CHECK

#include "block/segments_state.cuh"

namespace gs {

// Refusals, as the planner's messages: an offset below the one before it, and one behind the keys.
constexpr u32 kSegmentsDescends = 1, kSegmentsBeyond = 2;

// refuseSegments writes the record unless there is one: the code and the number of the offset.
GS_DEVICE void refuseSegments(SegmentsState* s, u32 code, u64 number) {
  if (atomicCAS(&s->code, 0u, code) == 0) s->number = number;
}

// warpAppend is a place in a list for each lane with `mine`, in order of lanes. All lanes take part.
GS_DEVICE u32 warpAppend(bool mine, u32* many) {
  const u32 lanes = __ballot_sync(kAllLanes, mine);
  if (lanes == 0) return 0;
  u32 first = 0;
  if (laneID() == 0) first = atomicAdd(many, u32(__popc(lanes)));
  return __shfl_sync(kAllLanes, first, 0) + u32(__popc(lanes & lanesBelow()));
}

// checkSegments looks at offsets[0, segments], and lists what is longer than a warp sorts: pieces up to `most` keys,
// longer runs for round 0, in tiles of `tile`.
// Launch: kSegmentsCheckThreads threads, any grid. The lists are read by later launches.
GS_DEVICE void checkSegments(const void* offsets, u32 wide, u64 segments, u64 n, u32 most, u32 tile,
                             const SegmentsLists& l) {
  if (segments == 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && widthAt(offsets, wide, 0) > n) {
      refuseSegments(l.state, kSegmentsBeyond, 0);
    }
    return;
  }
  const u64 step = u64(gridDim.x) * kSegmentsCheckThreads;
  for (u64 first = u64(blockIdx.x) * kSegmentsCheckThreads + threadIdx.x / 32 * 32; first < segments; first += step) {
    const u64 i = first + laneID();
    u64 lo = 0, hi = 0;
    if (i < segments) lo = widthAt(offsets, wide, i), hi = widthAt(offsets, wide, i + 1);
    if (hi < lo) refuseSegments(l.state, kSegmentsDescends, i + 1);
    if (hi > n) refuseSegments(l.state, kSegmentsBeyond, i + 1);
    if (lo > n) refuseSegments(l.state, kSegmentsBeyond, i);
    const u32 length = hi > lo && hi <= n ? u32(hi - lo) : 0, begin = u32(lo);
    const bool block = length > kSegmentsWarp && length <= most;
    if (!__any_sync(kAllLanes, length > kSegmentsWarp)) continue;
#pragma unroll
    for (u32 list = 0; list < 2; list++) {
      const bool mine = block && (length > kSegmentsSmall) == (list == 1);
      const u32 at = warpAppend(mine, &l.state->many[list]);
      if (mine) l.addPiece(list, at, begin, length, kSegmentsIO);
    }
    if (length > most) l.addRun(0, begin, length, kSegmentsIO, tile);
  }
}

}  // namespace gs

#endif
