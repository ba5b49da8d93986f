// Prefix sums of 32- and 64-bit words, modulo 2^32 and 2^64, in place: hillis
// (one launch per doubling), blelloch_tiles and blelloch_add (a tree per tile in
// local memory, recursively over the tiles' sums). No group waits for another.
// Contracts as in kernels/cuda/block/scan_ladder.cuh; internal/algo/scan plans.
//
// flags: 1 inclusive, 2 the number of elements is *limit where that is below n.
// The build gives GS_TARGET_SERIAL or GS_TARGET_SIMT, which selects the policy
// rows that the hash stands for; the kernels are the same.

#include "policy/zscan.h"
#include "word.clh"

#define GS_SCAN_INCLUSIVE 1u
#define GS_SCAN_LIMITED 2u

static inline ulong gs_spanItems(ulong n, __global const uint *limit, uint flags) {
    return (flags & GS_SCAN_LIMITED) ? min(n, (ulong)*limit) : n;
}

// One element of padding per 32: the tree's strides are powers of two, and so
// is the number of banks.
static inline uint gs_padded(uint i) { return i + i / 32; }

#define GS_W 32
#include "scan_width.clh"
#undef GS_W
#undef GS_T
#define GS_W 64
#include "scan_width.clh"

// Writes the hash of the policy rows that the program was built from.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gs_scan_policy(GS_BUF(hash)) {
    *GS_PTR(ulong, hash) = GS_SCAN_POLICY_HASH;
}
