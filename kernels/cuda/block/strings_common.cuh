// Which prefix the strings of a group share.
#ifndef GS_BLOCK_STRINGS_COMMON
#define GS_BLOCK_STRINGS_COMMON

#include "block/strings_lists.cuh"

namespace gs {

// A team of lanes compares two strings, 8 bytes each at a time: one lane where there are strings for all threads of a
// device, as kStringsMany are, else kStringsTeam. A launch looks at `chunks` times kStringsChunk bytes.
constexpr u32 kStringsTeam = 8, kStringsMany = 1 << 17, kStringsChunk = 2048;
GS_CONSTANT(StringsMany, kStringsMany)
GS_CONSTANT(StringsTeam, kStringsTeam)
GS_CONSTANT(StringsChunk, kStringsChunk)

// firstDifference is the least x in [from, to) where bytes a + x and b + x differ, or else `to`. The lanes of a team
// have the same arguments. All lanes of the warp.
template <u32 kTeam>
GS_DEVICE u64 firstDifference(const StringsText& text, u64 a, u64 b, u64 from, u64 to) {
  constexpr u32 kStep = 8 * kTeam;
  const u32 lane = laneID() % kTeam, first = laneID() - lane;
  u64 found = to;
  bool done = from >= to;
  for (u64 x = from; __any_sync(kAllLanes, !done); x += kStep) {
    const u64 at = x + 8 * lane;
    u64 differ = 0;
    if (!done && at < to) {
      const u32 many = u32(least(to - at, u64(8)));
      differ = text.some(a + at, many) ^ text.some(b + at, many);
    }
    const u32 votes = __ballot_sync(kAllLanes, differ != 0) >> first & ((1u << kTeam) - 1);
    const u64 place = at + u32(63 - __clzll((long long)(differ & (~differ + 1)))) / 8;
    const u64 nearest = __shfl_sync(kAllLanes, place, votes != 0 ? first + u32(__ffs(int(votes))) - 1 : first);
    if (!done && votes != 0) found = nearest;
    done = done || votes != 0 || x + kStep >= to;
  }
  return found;
}

// commonPrefixes lowers common[g] to the length of the prefix that all strings of group g share behind their depth, or
// leaves it above chunks · kStringsChunk. Lists without ids are one group of all strings, of depth 0. common holds
// largest numbers before.
// Launch: kStringsThreads threads, any grid. Loads of common are hints: a late one costs a comparison.
template <u32 kTeam>
GS_DEVICE void commonPrefixes(const StringsText& text, const StringsLists& from, u64 members, u64 chunks, u64* common) {
  const bool all = from.ids == nullptr;
  const u64 tasks = members * chunks, teams = u64(gridDim.x) * (kStringsThreads / kTeam);
  const u32 lane = laneID() % kTeam;
  const u64 mine = (u64(blockIdx.x) * kStringsThreads + threadIdx.x) / kTeam;
  const u64 warp = (u64(blockIdx.x) * kStringsThreads + threadIdx.x / 32 * 32) / kTeam;
  u64 known = 0;  // of common[0], which all strings would ask for
  for (u64 done = 0, row = 0; warp + done < tasks; done += teams, row++) {  // whole warp
    if (all && row % 8 == 0) known = loadWord(common);
    const u64 task = mine + done, chunk = chunks == 1 ? 0 : task / members, begin = chunk * kStringsChunk;
    const u64 i = chunks == 1 ? task : task - chunk * members;
    bool work = task < tasks;
    u64 a = 0, b = 0, to = 0, end = 0;
    u32 g = 0;
    bool none = false;
    if (work) {
      g = all ? 0 : from.groups[i];
      const u64 head = all ? 0 : from.starts[g], seen = all ? known : loadWord(common + g);
      none = seen == 0;
      work = i != head && seen > begin;
      if (work) {
        const u64 depth = all ? 0 : from.depths[g];
        const StringSpan s = text.span(all ? i : from.ids[i]), t = text.span(all ? 0 : from.ids[head]);
        end = least(s.length, t.length), end = end > depth ? end - depth : 0;
        a = s.begin + depth, b = t.begin + depth;
        to = least(least(end, begin + kStringsChunk), seen);
        work = end >= begin;
      }
    }
    if (all && __any_sync(kAllLanes, none)) return;  // the whole warp: nothing is lower
    const u64 found = firstDifference<kTeam>(text, a, b, work ? begin : 0, work ? to : 0);
    if (work && lane == 0 && (found < to || end <= to) && found < loadWord(common + g)) atomicMin(common + g, found);
  }
}

}  // namespace gs

#endif
