// Each segment of the keys sorted by itself, in place or as the positions that an argsort gives. Offsets are of 32
// or, wide, 64 bits; there are segments + 1, and n keys, below 2^32. internal/algo/segments plans the launches. In
// groups of GS_THREADS work-items these are, in this order:
//   check   looks at all offsets; what is no short segment is listed (segments_lists.clh)
//   count, divide, move   once for each digit of the keys: what is longer than a tile is split (segments_split.clh)
//   pieces  the listed parts, each sorted by a group in local memory (segments_pieces.clh)
//   short   segments of up to GS_SHORT keys (segments_short.clh), and the positions outside of all
// Groups of one launch read and write parts of the keys that are apart; none waits for another.
//
// The build gives GS_THREADS, a multiple of 16 from 32 on and up to 256, GS_ITEMS, the keys that a work-item has of a
// tile, an odd number, GS_SHORT, GS_WINDOW, the keys that a group holds of short segments, GS_WIDTH, the keys' bits,
// and GS_ARGSORT, 0 or 1. Without them it has the stages of segments_sorts.clh.
#include "word.clh"
#include "width.clh"

// The status record: a code, and the number of the offset that it is about.
#define GS_DESCENDS 1u
#define GS_BEYOND 2u

static inline void gs_refuse(__global uchar *status, uint code, ulong number) {
    if (atomic_cmpxchg((volatile __global uint *)status, 0u, code) == 0) {
        ((__global ulong *)status)[1] = number;
    }
}

#ifdef GS_THREADS
#include "share.clh"
#define GS_W GS_WIDTH
#include "codec.clh"
#define GS_TILE (GS_THREADS * GS_ITEMS)
#if GS_ARGSORT
#define GS_SUFFIX pairs32
#else
#define GS_SUFFIX keys
#endif
#include "segments_lists.clh"
#include "segments_tile.clh"
#include "segments_split.clh"
#include "segments_pieces.clh"
#include "segments_short.clh"
#else
#include "segments_sorts.clh"
#endif
