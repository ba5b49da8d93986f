// Module groups: the different values of sorted keys, and where each begins (internal/algo/groups plans it;
// kernels/opencl/groups.cl finds the same in three launches). Keys are equal if their bits are, so that there is no
// codec.
//
// In: keys[n], n > 0. Out: values[room], unless mode is kModeArgsort; the kernels with pairs in their name write
// starts[room+1], of 32 or 64 bits, those with keys none; and the record (block/groups.cuh).
// Stage sweep: any number of tiles in any grid of kGroupsThreads threads. words, one of each tile, and *ticket are
// zero.
// Stage once, on sm_90: a block of kGroupsThreads threads for each tile, all at once, by a cooperative launch. counts
// has a word of each tile. The order of memory accesses: see sweepGroups and groupsOnce.
#include "block/groups_sweep.cuh"
#if defined(GS_TARGET_SM_90)
#include "block/groups_once.cuh"
#endif

using namespace gs;

#define GS_SWEEP(bits, suffix, Start, hasStarts) \
  GS_SHARED(groups_sweep_##bits##_##suffix, GroupsShared<WordOf<bits>, hasStarts>::bytes(kGroupsHalves)) \
  GS_GLOBAL __launch_bounds__(kGroupsThreads, kGroupsBlocks) \
      gs_groups_sweep_##bits##_##suffix(const WordOf<bits>* keys, u64 n, WordOf<bits>* values, Start* starts, \
                                        u64 room, u32 mode, u64* words, u32* ticket, GroupsStatus* status) { \
    const GroupsOut<WordOf<bits>, Start> out{values, starts, n, room, mode, status}; \
    sweepGroups<hasStarts>(keys, out, words, ticket); \
  }

#if defined(GS_TARGET_SM_90)
#define GS_ONCE(bits, suffix, Start, hasStarts) \
  GS_SHARED(groups_once_##bits##_##suffix, GroupsShared<WordOf<bits>, hasStarts>::bytes(1)) \
  GS_GLOBAL __launch_bounds__(kGroupsThreads, kGroupsBlocks) \
      gs_groups_once_##bits##_##suffix(const WordOf<bits>* keys, u64 n, WordOf<bits>* values, Start* starts, u64 room, \
                                       u32 mode, u32* counts, GroupsStatus* status) { \
    const GroupsOut<WordOf<bits>, Start> out{values, starts, n, room, mode, status}; \
    groupsOnce<hasStarts>(keys, out, counts); \
  }
#else
#define GS_ONCE(bits, suffix, Start, hasStarts)
#endif

#define GS_GROUPS(bits, suffix, Start, hasStarts) \
  GS_SWEEP(bits, suffix, Start, hasStarts) \
  GS_ONCE(bits, suffix, Start, hasStarts)

#define GS_GROUPS_ALL(bits) \
  GS_GROUPS(bits, keys, u32, false) \
  GS_GROUPS(bits, pairs32, u32, true) \
  GS_GROUPS(bits, pairs64, u64, true)

GS_GROUPS_ALL(8)
GS_GROUPS_ALL(16)
GS_GROUPS_ALL(32)
GS_GROUPS_ALL(64)
