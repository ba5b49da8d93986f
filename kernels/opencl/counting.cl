// Counting sorts of keys alone, GS_WIDTH bits wide: stages and contracts as in
// kernels/cuda/block/counting_*.cuh, with these differences. A group takes a
// contiguous share of the keys, its work-items every get_local_size(0)-th key of
// it, so that a group of one item reads in order. The least and greatest encoded key go
// through an array of groups, because 64-bit atomics are no part of OpenCL 1.2.
// No group keeps frequent keys of wide ranges to itself.
//
// No group waits for another; 32-bit atomics in local and global memory are all
// that it takes. The build gives GS_TARGET_SERIAL or GS_TARGET_SIMT and GS_WIDTH.

#include "policy/zcounting.h"
#include "word.clh"
#define GS_W GS_WIDTH
#include "codec.clh"

// The words of CountingState; two-word fields have their low half first.
#define GS_REFUSED 0
#define GS_CULPRIT 2
#define GS_ROUTE 4
#define GS_BINS 5
#define GS_LO 6
#define GS_MAX 8
#define GS_NOT_MIN 10
#define GS_DISTINCT 12
#define GS_OVERFLOW 13
#define GS_GATHERED 14

// Routes and the refusal, as in counting_state.cuh.
#define GS_COUNT_SHARED 1u
#define GS_COUNT_RADIX 2u
#define GS_COUNT_GLOBAL 3u
#define GS_COUNT_DISTINCT 4u
#define GS_REFUSED_KEY 1u

// The table of distinct keys, as in counting_tally.cuh.
#define GS_MAX_DISTINCT 8192u
#define GS_TABLE_SLOTS (4 * GS_MAX_DISTINCT)
#define GS_MAX_PROBES 256u

static inline ulong gs_word64At(__global const uint *state, uint at) { return (ulong)state[at + 1] << 32 | state[at]; }

static inline void gs_setWord64(__global uint *state, uint at, ulong x) {
    state[at] = (uint)x;
    state[at + 1] = (uint)(x >> 32);
}

// The keys of this group.
#define GS_EACH(i, n)                                                                                     \
    for (ulong i = (n) * get_group_id(0) / get_num_groups(0) + get_local_id(0),                           \
               end_##i = (n) * (get_group_id(0) + 1) / get_num_groups(0);                                 \
         i < end_##i; i += get_local_size(0))

#include "counting_count.clh"
#include "counting_tally.clh"

// Writes the hash of the policy rows that the program was built from.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gs_counting_policy(GS_BUF(hash)) {
    *GS_PTR(ulong, hash) = GS_COUNTING_POLICY_HASH;
}
