// Module groups: the different values of sorted keys, and where each begins
// (internal/algo/groups plans it; kernels/opencl/groups.cl finds the same in three launches).
// Keys are equal if their bits are, so that there is no codec.
//
// Stage find: In: keys[n], n > 0. Out: values[room], unless mode is kModeArgsort; the kernels with pairs in
// their name write starts[room+1], of 32 or 64 bits, those with keys none; the status record: how
// many groups there are, and code 1 if that is more than room. Then values and starts may hold
// anything, within their room. Launch: kGroupsThreads threads, any grid; the blocks take tiles by
// tickets. words, one of each tile, and *ticket are zero, unless all keys lie in one tile.
// The order of memory accesses: see findGroups.
#include "block/groups.cuh"

using namespace gs;

#define GS_FIND(bits, suffix, Start, hasStarts) \
  GS_SHARED(groups_find_##bits##_##suffix, GroupsShared<Word<bits / 8>::type, hasStarts>::kBytes) \
  GS_GLOBAL __launch_bounds__(kGroupsThreads, kGroupsBlocks) \
      gs_groups_find_##bits##_##suffix(const Word<bits / 8>::type* keys, u64 n, Word<bits / 8>::type* values, \
                                       Start* starts, u64 room, u32 mode, u64* words, u32* ticket, GroupsStatus* status) { \
    findGroups<Word<bits / 8>::type, Start, hasStarts>(keys, n, values, starts, room, mode, words, ticket, status); \
  }

#define GS_FIND_ALL(bits) \
  GS_FIND(bits, keys, u32, false) \
  GS_FIND(bits, pairs32, u32, true) \
  GS_FIND(bits, pairs64, u64, true)

GS_FIND_ALL(8)
GS_FIND_ALL(16)
GS_FIND_ALL(32)
GS_FIND_ALL(64)
