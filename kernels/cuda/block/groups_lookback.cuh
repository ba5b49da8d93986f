// How many groups begin before a tile: decoupled look-back over words of 64 bits.
#ifndef GS_BLOCK_GROUPS_LOOKBACK
#define GS_BLOCK_GROUPS_LOOKBACK

#include "warp/lookback.cuh"
#include "warp/match.cuh"

namespace gs {

// A tile's word holds a status in its upper two bits and a count of groups below, and is
// written and read whole: who sees a status sees the count that belongs to it, so that
// relaxed order is enough. 0: nothing yet.
constexpr u64 kGroupsPartial = 1ull << 62;    // groups that begin in the tile
constexpr u64 kGroupsInclusive = 2ull << 62;  // in it and all tiles before it
constexpr u64 kGroupsCount = (1ull << 62) - 1;

GS_DEVICE void publishGroups(u64* words, u32 tile, u64 status, u64 count) {
  storeWord<u64>(words + tile, status | count);
}

// kGroupsWindow rows of 32 words are asked for together, so that one trip to the L2 covers as many tiles as start
// meanwhile: about 100 in a microsecond, of 32 KB.
constexpr u32 kGroupsWindow = 8;

// groupsBefore sums the tiles before `tile`, which is not 0. One whole warp: lane i reads
// the i-th word of each row, the nearest first. The lanes meet in votes, never at a barrier
// of the block. It ends because the tiles before hold smaller tickets: see findGroups.
GS_DEVICE u64 groupsBefore(const u64* words, u32 tile) {
  u64 mine = 0;
  for (long long row = (long long)tile - 1 - laneID();; row -= 32 * kGroupsWindow) {
    u64 word[kGroupsWindow];
#pragma unroll
    for (u32 i = 0; i < kGroupsWindow; i++) {
      const long long at = row - 32 * i;
      word[i] = at >= 0 ? loadWord(words + at) : kGroupsInclusive;  // before the first tile lies nothing
    }
#pragma unroll
    for (u32 i = 0; i < kGroupsWindow; i++) {
      u32 needed;  // lanes up to the nearest inclusive count
      u32 inclusive;
      for (;;) {
        inclusive = __ballot_sync(kAllLanes, word[i] >= kGroupsInclusive);
        needed = inclusive ? inclusive ^ (inclusive - 1) : kAllLanes;
        const bool empty = word[i] < kGroupsPartial;
        if ((__ballot_sync(kAllLanes, empty) & needed) == 0) break;
        if (empty) word[i] = loadWord(words + (row - 32 * i));
      }
      if (needed >> laneID() & 1) mine += word[i] & kGroupsCount;
      if (inclusive) {
return warpSum(mine);
      }
    }
  }
}

}  // namespace gs

#endif
