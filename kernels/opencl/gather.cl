// Item i of the result is the source's item at place i: kernels/cuda/stage/gather.cu.
// internal/algo/gather plans it.
//
// In: places[n], unsigned or signed, and source[length]. Out: out[n], which overlaps neither.
// Items have `width` bytes. A place outside the source is not read: it goes to the status
// record, with code 1, and its item stays as it is. Of several such places any is told.
// Launch: groups of GS_THREADS, any number of them. No group reads what another one writes.
// The build gives GS_THREADS, GS_EACH, the units that a work-item has on their way, and
// GS_WIDTH, the places' bits.
#include "word.clh"
#include "share.clh"

#define GS_PLACE GS_CAT2(gs_word, GS_WIDTH)
#define GS_OUTSIDE 1u

// A negative place becomes a number that no source has.
static inline ulong gs_placeOf(uint isSigned, GS_PLACE place) {
    const ulong p = place;
    return isSigned ? (ulong)((long)(p << (64 - GS_WIDTH)) >> (64 - GS_WIDTH)) : p;
}

#define GS_UNIT uchar
#include "gather_units.clh"
#undef GS_UNIT
#define GS_UNIT ushort
#include "gather_units.clh"
#undef GS_UNIT
#define GS_UNIT uint
#include "gather_units.clh"
#undef GS_UNIT
#define GS_UNIT ulong
#include "gather_units.clh"
#undef GS_UNIT
#define GS_UNIT uint4
#include "gather_units.clh"
#undef GS_UNIT

// Items move by the widest unit that divides them and that both sides are aligned to.
__kernel GS_GROUP void GS_ENTRY(gather, items, GS_WIDTH, keys)(GS_BUF(places), GS_BUF(source), GS_BUF(out), ulong n,
                                                               ulong length, uint width, uint isSigned,
                                                               GS_BUF(status)) {
    __global const GS_PLACE *places = GS_PTR(const GS_PLACE, places);
    __global const uchar *source = GS_PTR(const uchar, source);
    __global uchar *out = GS_PTR(uchar, out), *status = GS_PTR(uchar, status);
    const uint aligned = (uint)(size_t)source | (uint)(size_t)out | width;
    if (aligned % 16 == 0) {
        gs_gather_uint4(places, isSigned, source, out, n, length, width / 16, status);
    } else if (aligned % 8 == 0) {
        gs_gather_ulong(places, isSigned, source, out, n, length, width / 8, status);
    } else if (aligned % 4 == 0) {
        gs_gather_uint(places, isSigned, source, out, n, length, width / 4, status);
    } else if (aligned % 2 == 0) {
        gs_gather_ushort(places, isSigned, source, out, n, length, width / 2, status);
    } else {
        gs_gather_uchar(places, isSigned, source, out, n, length, width, status);
    }
}
