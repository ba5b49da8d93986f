// radix-lsd: a stable least-significant-digit radix sort with 8-bit digits by
// reduce-then-scan (Merrill & Grimshaw 2011). No group waits for another, so
// that no forward progress is assumed; barriers and 32-bit atomics in local and
// global memory are all it needs. Stages: analyze, then for every digit
// upsweep, scan, downsweep, then finish; or small alone.
//
// The policy's row (internal/tune) gives
//   GS_SERIAL    1 where a work-group's items run one after the other
//   GS_MATCH     how lanes find equal digits (group.clh)
//   GS_THREADS   work-items per group: a multiple of 32
//   GS_UNROLL    independent loads per work-item in analyze and upsweep
//   GS_ITEMS_<width>_<keys|pairs32|pairs64>   keys per work-item in a tile

#include "word.clh"
#include "lsd_state.clh"
#if !GS_SERIAL
#include "group.clh"
#endif
#include "lsd_scan.clh"

#define GS_W 8
#include "lsd_variant.clh"
#undef GS_W

#define GS_W 16
#include "lsd_variant.clh"
#undef GS_W

#define GS_W 32
#include "lsd_variant.clh"
#undef GS_W

#define GS_W 64
#include "lsd_variant.clh"
#undef GS_W
