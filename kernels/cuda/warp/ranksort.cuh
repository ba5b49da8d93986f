// A stable radix sort of one value per lane, by ballots and shuffles alone.
#ifndef GS_WARP_RANKSORT
#define GS_WARP_RANKSORT

#include "warp/match.cuh"

namespace gs {

// warpRank finds, bit by bit from the most significant, which lanes hold a
// smaller key and which an equal one, a ballot per bit, with nothing to do for a bit that all
// lanes share. It returns the lane's place in the stable order. No key moves,
// where a radix sort from the least significant bit exchanges all of them at
// every bit.
template <typename K> GS_DEVICE u32 warpRank(K key) {
  u32 smaller = 0, equal = kAllLanes;
  for (int bit = 8 * sizeof(K) - 1; bit >= 0; bit--) {
    const bool set = key >> bit & 1;
    const u32 ones = __ballot_sync(kAllLanes, set);
    if (ones == 0 || ones == kAllLanes) continue;
    if (set) smaller |= equal & ~ones;
    equal &= set ? ones : ~ones;
  }
  return u32(__popc(smaller) + __popc(equal & lanesBelow()));
}

// warpSource returns the lane whose rank is this lane's number. A shuffle reads
// from a lane and cannot send to one; five ballots turn the permutation round,
// so that a read does.
GS_DEVICE u32 warpSource(u32 rank) {
  u32 mask = kAllLanes;
#pragma unroll
  for (int bit = 0; bit < 5; bit++) {
    const u32 ones = __ballot_sync(kAllLanes, rank >> bit & 1);
    mask &= laneID() >> bit & 1 ? ones : ~ones;
  }
  return u32(__ffs(mask)) - 1;
}

}  // namespace gs

#endif
