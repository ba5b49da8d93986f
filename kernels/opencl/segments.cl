// Each segment of the keys sorted by itself, between and behind stable sorts of all keys: the stages that
// internal/algo/segments plans around an argsort of the keys and a sort of its positions by segment. Offsets are of 32 or,
// wide, 64 bits; there are segments + 1. Launch: any number of groups of any size; the work-items of all groups take the
// elements in turns. None reads what another one of its launch writes.
#include "word.clh"

// The status record: a code, and the number of the offset that it is about.
#define GS_DESCENDS 1u
#define GS_BEYOND 2u

static inline ulong gs_offset(__global const uchar *offsets, uint wide, ulong i) {
    return wide ? ((__global const ulong *)offsets)[i] : ((__global const uint *)offsets)[i];
}

static inline void gs_refuse(__global uchar *status, uint code, ulong number) {
    if (atomic_cmpxchg((volatile __global uint *)status, 0u, code) == 0) {
        ((__global ulong *)status)[1] = number;
    }
}

// Stage check: a record of an offset that is below the one before it or above n, if there is one.
__kernel void gs_segments_check(GS_BUF(status), GS_BUF(offsets), uint wide, ulong segments, ulong n) {
    __global uchar *record = GS_PTR(uchar, status);
    __global const uchar *from = GS_PTR(const uchar, offsets);
    for (ulong i = get_global_id(0); i <= segments; i += get_global_size(0)) {
        const ulong at = gs_offset(from, wide, i);
        if (at > n) {
            gs_refuse(record, GS_BEYOND, i);
        }
        if (i > 0 && at < gs_offset(from, wide, i - 1)) {
            gs_refuse(record, GS_DESCENDS, i);
        }
    }
}

// Stage number: numbers[x] = how many offsets are not above positions[x], x < n.
__kernel void gs_segments_number(GS_BUF(positions), GS_BUF(numbers), GS_BUF(offsets), uint wide, ulong segments, ulong n) {
    __global const uint *of = GS_PTR(const uint, positions);
    __global uint *to = GS_PTR(uint, numbers);
    __global const uchar *from = GS_PTR(const uchar, offsets);
    for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {
        const ulong at = of[x];
        ulong lo = 0, hi = segments + 1;
        while (lo < hi) {
            const ulong mid = lo + (hi - lo) / 2;
            if (gs_offset(from, wide, mid) <= at) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        to[x] = (uint)lo;
    }
}

// gs_source is where the key of place x comes from: outside of all segments it stays.
static inline ulong gs_source(__global const uint *positions, __global const uchar *offsets, uint wide, ulong segments, ulong x) {
    return x < gs_offset(offsets, wide, 0) || x >= gs_offset(offsets, wide, segments) ? x : positions[x];
}

// Stage positions: result[x] of 4 bytes or, wideResult, 8 = where the key of place x comes from.
__kernel void gs_segments_positions(GS_BUF(status), GS_BUF(positions), GS_BUF(result), uint wideResult, GS_BUF(offsets), uint wide,
                                    ulong segments, ulong n) {
    if (*GS_PTR(const uint, status) != 0) {
        return;
    }
    for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {
        const ulong at = gs_source(GS_PTR(const uint, positions), GS_PTR(const uchar, offsets), wide, segments, x);
        if (wideResult) {
            GS_PTR(ulong, result)[x] = at;
        } else {
            GS_PTR(uint, result)[x] = (uint)at;
        }
    }
}

// Stage gather: out[x] = the key of place x. Stage back: keys[x] = out[x]. Both unless the offsets are refused.
#define GS_KEYS(bits)                                                                                               \
    __kernel void gs_segments_gather_##bits##_keys(GS_BUF(status), GS_BUF(keys), GS_BUF(positions), GS_BUF(out),    \
                                                   GS_BUF(offsets), uint wide, ulong segments, ulong n) {           \
        if (*GS_PTR(const uint, status) != 0) {                                                                     \
            return;                                                                                                 \
        }                                                                                                           \
        for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {                                          \
            const ulong at = gs_source(GS_PTR(const uint, positions), GS_PTR(const uchar, offsets), wide, segments, x); \
            GS_PTR(gs_word##bits, out)[x] = GS_PTR(const gs_word##bits, keys)[at];                                  \
        }                                                                                                           \
    }                                                                                                               \
    __kernel void gs_segments_back_##bits##_keys(GS_BUF(status), GS_BUF(keys), GS_BUF(out), ulong n) {              \
        if (*GS_PTR(const uint, status) != 0) {                                                                     \
            return;                                                                                                 \
        }                                                                                                           \
        for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {                                          \
            GS_PTR(gs_word##bits, keys)[x] = GS_PTR(const gs_word##bits, out)[x];                                   \
        }                                                                                                           \
    }

GS_KEYS(8)
GS_KEYS(16)
GS_KEYS(32)
GS_KEYS(64)
