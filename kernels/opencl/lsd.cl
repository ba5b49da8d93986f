// radix-lsd: a stable least-significant-digit radix sort with 8-bit digits by
// reduce-then-scan (Merrill & Grimshaw 2011). No group waits for another, so
// that no forward progress is assumed; barriers and 32-bit atomics in local and
// global memory are all it needs. Stages: analyze, then for every digit
// upsweep, scan, downsweep, then finish; or small alone.
//
// The build gives one target, which selects rows of the policy table:
//   GS_TARGET_SERIAL   a work-group's items run one after the other
//   GS_TARGET_SIMT     any device that runs them side by side
//   GS_TARGET_TINY     the same with 64 work-items and little local memory
//   GS_TARGET_NVIDIA   side by side, with PTX (group.clh)
// and GS_WIDTH, the keys' bits, so that a program builds only what it runs.

#if defined(GS_TARGET_SERIAL)
#define GS_SERIAL 1
#elif defined(GS_TARGET_NVIDIA)
#define GS_MATCH 1
#elif !defined(GS_TARGET_SIMT) && !defined(GS_TARGET_TINY)
#error "define one of GS_TARGET_SERIAL, GS_TARGET_SIMT, GS_TARGET_TINY and GS_TARGET_NVIDIA"
#endif

#include "policy/zlsd.h"
#include "word.clh"
#include "lsd_state.clh"
#if !GS_SERIAL
#include "group.clh"
#endif

// The policy rows as constants: GS_ITEMS_32_pairs64 and the like.
#define GS_ROW(bits, valueBytes, suffix, threads, items, unroll, units, small) \
    enum {                                                                     \
        GS_THREADS_##bits##_##suffix = threads,                                \
        GS_ITEMS_##bits##_##suffix = items,                                    \
        GS_UNROLL_##bits##_##suffix = unroll                                   \
    };
GS_LSD_POLICIES(GS_ROW)
#undef GS_ROW

#define GS_W GS_WIDTH
#include "codec.clh"
#include "lsd_route.clh"

// The stages that see keys alone follow the row of keys alone.
#define GS_THREADS GS_CAT4(GS_THREADS_, GS_W, _, keys)
#define GS_UNROLL GS_CAT4(GS_UNROLL_, GS_W, _, keys)
#include "lsd_scan.clh"
#if GS_SERIAL
#include "lsd_serial_width.clh"
#else
#include "lsd_width.clh"
#endif
#undef GS_THREADS
#undef GS_UNROLL

#define GS_V 0
#define GS_SUFFIX keys
#include "lsd_modes.clh"
#undef GS_V
#undef GS_SUFFIX

#define GS_V 4
#define GS_VALUE uint
#define GS_SUFFIX pairs32
#include "lsd_modes.clh"
#undef GS_V
#undef GS_VALUE
#undef GS_SUFFIX

#define GS_V 8
#define GS_VALUE ulong
#define GS_SUFFIX pairs64
#include "lsd_modes.clh"

// Writes the hash of the policy rows that the program was built from.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gs_lsd_policy(GS_BUF(hash)) {
    *GS_PTR(ulong, hash) = GS_LSD_POLICY_HASH;
}
