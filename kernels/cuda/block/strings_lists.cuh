// Active strings: those that share their word with a neighbour in the order and go on behind it.
#ifndef GS_BLOCK_STRINGS_LISTS
#define GS_BLOCK_STRINGS_LISTS

#include "block/strings_text.cuh"
#include "warp/lookback.cuh"
#include "warp/match.cuh"

namespace gs {

constexpr u32 kStringsThreads = 256, kStringsBlocks = 8;
GS_CONSTANT(StringsThreads, kStringsThreads)
GS_CONSTANT(StringsBlocks, kStringsBlocks)

// StringsState is zero before the first launch: the plan's status record. number counts active strings, and above
// 32 bits their groups.
struct StringsState {
  u32 code, unused;
  u64 number;
};
GS_CONSTANT(StringsStateBytes, sizeof(StringsState))

// Refusals, as the planner's messages.
constexpr u32 kStringsDescend = 1, kStringsBeyond = 2, kStringsPlace = 3, kStringsRoom = 4, kStringsNarrow = 5;

// refuseStrings writes the record unless there is one.
GS_DEVICE void refuseStrings(StringsState* s, u32 code, u64 number) {
  if (atomicCAS(&s->code, 0u, code) == 0) s->number = number;
}

// StringsLists are the active strings by groups: of each string its number and its group's; of each group where its
// strings begin, with the end of all behind, which place in the order the first one has, and how many
// bytes all of its strings share.
struct StringsLists {
  u32 *ids, *groups, *starts, *slots;
  u64* depths;
};

// StringsFirst is the order after the first words: words that are sorted, and positions with them.
struct StringsFirst {
  const u64* words;
  u64 n;
  void* idx;
  u32 wide;
  u64 shared;  // bytes before the words
  GS_DEVICE u64 word(u64 i) const { return words[i]; }
  GS_DEVICE u32 group(u64) const { return 0; }
  GS_DEVICE u32 id(u64 i) const { return u32(widthAt(idx, wide, i)); }
  GS_DEVICE u32 slot(u64 i) const { return u32(i); }
  GS_DEVICE u64 depth(u64) const { return shared; }
  GS_DEVICE void place(u64) const {}
};

// StringsLater is that after later words: words as the lists have the strings, and positions that sort each group.
struct StringsLater {
  const u64* words;
  const u32* positions;
  StringsLists from;
  u64 n;
  void* idx;
  u32 wide;
  const u64* common;  // of each group, at most bound
  u64 bound;
  GS_DEVICE u64 word(u64 i) const { return words[positions[i]]; }
  GS_DEVICE u32 group(u64 i) const { return from.groups[i]; }
  GS_DEVICE u32 id(u64 i) const { return from.ids[positions[i]]; }
  GS_DEVICE u32 slot(u64 i) const {
    const u32 g = from.groups[i];
    return from.slots[g] + (u32(i) - from.starts[g]);
  }
  GS_DEVICE u64 depth(u64 i) const {
    const u32 g = from.groups[i];
    return from.depths[g] + least(common[g], bound);
  }
  GS_DEVICE void place(u64 i) const { setWidth(idx, wide, slot(i), id(i)); }
};

// joined reports whether item i of the order is active with the one before it.
template <typename O> GS_DEVICE bool joined(const O& o, u64 i) {
  if (i == 0 || i >= o.n || o.group(i) != o.group(i - 1)) return false;
  const u64 w = o.word(i);
  return (u32(w) & 255) == kWordMore && w == o.word(i - 1);
}

// StringsPart are the items that a block looks at: a multiple of its threads.
struct StringsPart {
  u64 begin, end;
  GS_DEVICE explicit StringsPart(u64 n) {
    const u64 rows = (n + kStringsThreads - 1) / kStringsThreads, each = (rows + gridDim.x - 1) / gridDim.x;
    begin = least(n, blockIdx.x * each * kStringsThreads), end = least(n, begin + each * kStringsThreads);
  }
};

// blockTotal is the sum over the block, in all threads. All threads; sums has a word to a warp.
GS_DEVICE u64 blockTotal(u64 mine, u64* sums) {
  mine = warpSum(mine);
  __syncthreads();
  if (laneID() == 0) sums[threadIdx.x / 32] = mine;
  __syncthreads();
  u64 all = 0;
  for (u32 i = 0; i < kStringsThreads / 32; i++) all += sums[i];
  return all;
}

// sumBefore is the sum of the counts of the blocks before this one. All threads.
GS_DEVICE u64 sumBefore(const u64* parts, u64* sums) {
  u64 mine = 0;
  for (u32 i = threadIdx.x; i < blockIdx.x; i += kStringsThreads) mine += parts[i];
  return blockTotal(mine, sums);
}

// countActive puts strings at their places in the order, and counts the active ones and, above 32 bits, their groups:
// those of a block go to its part.
// Launch: kStringsThreads threads, any grid. parts is read by later launches.
template <typename O> GS_DEVICE void countActive(const O& o, u64* parts, StringsState* s) {
  __shared__ u64 sums[kStringsThreads / 32];
  const StringsPart part(o.n);
  u64 mine = 0;
  for (u64 i = part.begin + threadIdx.x; i < part.end; i += kStringsThreads) {
    o.place(i);
    const bool before = joined(o, i), after = joined(o, i + 1);
    mine += u64(before || after) | u64(!before && after) << 32;
  }
  const u64 all = blockTotal(mine, sums);
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = all;
  if (all != 0 && s->code == 0) atomicAdd(&s->number, all);
}

// listActive writes the active strings of the order, whose counts are in parts, to lists.
// Launch: as that of countActive, and of as many blocks.
template <typename O> GS_DEVICE void listActive(const O& o, const u64* parts, const StringsLists& to) {
  __shared__ u64 sums[kStringsThreads / 32];
  const StringsPart part(o.n);
  u64 done = sumBefore(parts, sums);
  if (parts[blockIdx.x] != 0) {
    for (u64 first = part.begin; first < part.end; first += kStringsThreads) {  // whole block
      const u64 i = first + threadIdx.x;
      const bool before = i < part.end && joined(o, i), after = i < part.end && joined(o, i + 1);
      const bool active = before || after, head = !before && after;
      const u32 actives = __ballot_sync(kAllLanes, active), heads = __ballot_sync(kAllLanes, head);
      __syncthreads();
      if (laneID() == 0) sums[threadIdx.x / 32] = u64(__popc(actives)) | u64(__popc(heads)) << 32;
      __syncthreads();
      u64 at = done;
      for (u32 w = 0; w < kStringsThreads / 32; w++) {
        if (w < threadIdx.x / 32) at += sums[w];
        done += sums[w];
      }
      if (!active) continue;
      const u32 a = u32(at) + u32(__popc(actives & lanesBelow()));
      const u32 g = u32(at >> 32) + u32(__popc(heads & lanesBelow())) + head - 1;
      to.ids[a] = o.id(i), to.groups[a] = g;
      if (head) to.starts[g] = a, to.slots[g] = o.slot(i), to.depths[g] = o.depth(i) + kWordBytes;
    }
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) to.starts[done >> 32] = u32(done);
}

}  // namespace gs

#endif
