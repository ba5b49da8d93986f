// Two sorted runs, which lie anywhere, into one: kernels/cuda/stage/mergeruns.cu.
// internal/algo/mergeruns plans it.
//
// In: a[lenA], b[lenB], sorted in the order of the codec. Out: out[lenA + lenB], which overlaps neither. Keys are
// compared encoded. Runs in no order give something, and nothing is read or written outside of the regions.
// Stage partition: splits[i], for i <= tiles, is how many keys of a are among the first i · GS_TILE of the result.
// Launch: any number of groups. Stage tiles: group i writes tile i of the result. Launch: a group for each tile.
// Groups have GS_THREADS work-items. No group reads what another one of its launch writes.
//
// The build gives GS_THREADS, GS_ITEMS, the keys that a work-item merges, and GS_WIDTH, the keys' bits. Groups
// of more than one are of a multiple of GS_LANES. A group of one work-item merges from memory to memory.
#include "word.clh"
#include "share.clh"

#define GS_W GS_WIDTH
#include "codec.clh"

#define GS_TILE (GS_THREADS * GS_ITEMS)

// Where the merge crosses a diagonal: the first `diagonal` keys of the result are a[0, x) and b[0, diagonal - x), where
// x is how many of the numbers y from lo up to hi have a[y] <= b[diagonal - 1 - y], which holds up to some y and for
// none behind it.
typedef struct {
    ulong lo, hi;
} gs_range;

static inline gs_range gs_rangeOf(ulong lenA, ulong lenB, ulong diagonal) {
    gs_range r = {sub_sat(diagonal, lenB), min(diagonal, lenA)};
    return r;
}

static inline bool gs_isBefore(__global const GS_KEY *a, __global const GS_KEY *b, ulong diagonal, ulong y,
                               uint codec) {
    return gs_encode(codec, a[y]) <= gs_encode(codec, b[diagonal - 1 - y]);
}

#if GS_THREADS == 1

__kernel GS_GROUP void GS_ENTRY(mergeruns, partition, GS_W, keys)(GS_BUF(a), GS_BUF(b), GS_BUF(splits), ulong lenA,
                                                                 ulong lenB, uint tiles, uint codec) {
    __global const GS_KEY *a = GS_PTR(const GS_KEY, a), *b = GS_PTR(const GS_KEY, b);
    const gs_share mine = gs_shareOf((ulong)tiles + 1);
    for (ulong tile = mine.begin; tile < mine.end; tile++) {
        const ulong diagonal = min(tile * GS_TILE, lenA + lenB);
        gs_range r = gs_rangeOf(lenA, lenB, diagonal);
        while (r.lo < r.hi) {
            const ulong mid = (r.lo + r.hi) / 2;
            if (gs_isBefore(a, b, diagonal, mid, codec)) {
                r.lo = mid + 1;
            } else {
                r.hi = mid;
            }
        }
        GS_PTR(ulong, splits)[tile] = r.lo;
    }
}

#else

// So many neighbouring work-items look for one border: a round of bisection waits for memory as
// long as one that divides by eight.
#define GS_LANES 8u

// Rounds are the same for the whole group, as many as the longest range takes: one of s numbers has
// s / GS_LANES at most after a round. What the lanes found goes through one of two lists in turns, so that a
// round has one barrier.
__kernel GS_GROUP void GS_ENTRY(mergeruns, partition, GS_W, keys)(GS_BUF(a), GS_BUF(b), GS_BUF(splits), ulong lenA,
                                                                 ulong lenB, uint tiles, uint codec) {
    __local ulong found[2][GS_THREADS / GS_LANES];
    __global const GS_KEY *a = GS_PTR(const GS_KEY, a), *b = GS_PTR(const GS_KEY, b);
    const uint t = (uint)get_local_id(0), lane = t % GS_LANES, perGroup = GS_THREADS / GS_LANES;
    uint turn = 0;
    for (ulong base = (ulong)get_group_id(0) * perGroup; base <= tiles; base += (ulong)get_num_groups(0) * perGroup) {
        const ulong tile = min(base + t / GS_LANES, (ulong)tiles), diagonal = min(tile * GS_TILE, lenA + lenB);
        gs_range r = gs_rangeOf(lenA, lenB, diagonal);
        for (ulong longest = min(lenA, lenB); longest != 0; longest /= GS_LANES) {
            // Lane i probes the end of the i-th of equal parts; the last lane's would be hi.
            const ulong from = r.lo, size = r.hi - from, y = from + size * (lane + 1) / GS_LANES;
            ((__local uchar *)found[turn])[t] = y < r.hi && gs_isBefore(a, b, diagonal, y, codec);
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint holds = (uint)popcount(found[turn][t / GS_LANES]);
            turn ^= 1;
            if (holds > 0) {
                r.lo = from + size * holds / GS_LANES + 1;
            }
            if (holds + 1 < GS_LANES) {
                r.hi = from + size * (holds + 1) / GS_LANES;
            }
            r.hi = max(r.hi, r.lo); // runs that are in no order
        }
        if (lane == 0) {
            GS_PTR(ulong, splits)[tile] = r.lo;
        }
    }
}

#endif

// Tile number get_group_id: len keys of the result from place `first` on, the first `lenA` of the tile from a.
typedef struct {
    ulong first;
    uint len, lenA;
    __global const GS_KEY *a, *b;
} gs_tile;

// Borders of runs that are in no order may fall, or be further apart than a tile.
static inline gs_tile gs_tileOf(__global const GS_KEY *a, __global const GS_KEY *b, __global const ulong *splits,
                                ulong n) {
    gs_tile s;
    const ulong group = get_group_id(0), a0 = splits[group], a1 = splits[group + 1];
    s.first = group * GS_TILE;
    s.len = (uint)min((ulong)GS_TILE, n - s.first);
    s.lenA = a1 < a0 ? 0 : (uint)min(a1 - a0, (ulong)s.len);
    s.a = a + a0;
    s.b = b + (s.first - a0);
    return s;
}

#if GS_THREADS == 1

__kernel GS_GROUP void GS_ENTRY(mergeruns, tiles, GS_W, keys)(GS_BUF(a), GS_BUF(b), GS_BUF(out), GS_BUF(splits),
                                                             ulong lenA, ulong lenB, uint codec) {
    __global const ulong *splits = GS_PTR(const ulong, splits);
    const gs_tile s = gs_tileOf(GS_PTR(const GS_KEY, a), GS_PTR(const GS_KEY, b), splits, lenA + lenB);
    __global GS_KEY *out = GS_PTR(GS_KEY, out) + s.first;
    const uint endB = s.len - s.lenA;
    uint x = 0, y = 0;
    while (x < s.lenA && y < endB) {
        const GS_KEY keyA = s.a[x], keyB = s.b[y];
        const bool second = gs_encode(codec, keyB) < gs_encode(codec, keyA);
        out[x + y] = second ? keyB : keyA;
        x += !second;
        y += second;
    }
    for (; x < s.lenA; x++) {
        out[x + y] = s.a[x];
    }
    for (; y < endB; y++) {
        out[x + y] = s.b[y];
    }
}

#else

// Encodes, or decodes, all of a work-item's keys. The codec of integers changes the same bits of every key, and
// none of unsigned ones that ascend.
#define GS_CODE_ALL(NAME, CODE)                                                                                     \
    GS_INLINE void NAME(uint codec, GS_KEY *k) {                                                                \
        const GS_KEY flip = gs_encode(codec, 0);                                                                    \
        if (codec & 2u) {                                                                                           \
            GS_UNROLLED                                                                                             \
            for (uint i = 0; i < GS_ITEMS; i++) {                                                                   \
                k[i] = CODE(codec, k[i]);                                                                           \
            }                                                                                                       \
        } else {                                                                                                    \
            GS_UNROLLED                                                                                             \
            for (uint i = 0; i < GS_ITEMS; i++) {                                                                   \
                k[i] ^= flip;                                                                                       \
            }                                                                                                       \
        }                                                                                                           \
    }
GS_CODE_ALL(gs_encodeAll, gs_encode)
GS_CODE_ALL(gs_decodeAll, gs_decode)

// The merge path of keys[0, lenA) and keys[lenA, len).
static inline uint gs_path(__local const GS_KEY *keys, uint lenA, uint len, uint diagonal) {
    uint lo = sub_sat(diagonal, len - lenA), hi = min(diagonal, lenA);
    while (lo < hi) {
        const uint mid = (lo + hi) / 2;
        if (keys[mid] <= keys[lenA + diagonal - 1 - mid]) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

// The tile goes through local memory. A work-item merges its part of it in registers; keys of no meaning come behind
// the end of both runs, of which a merge reads GS_ITEMS at most. An odd GS_ITEMS spreads the work-items over all
// banks.
__kernel GS_GROUP void GS_ENTRY(mergeruns, tiles, GS_W, keys)(GS_BUF(a), GS_BUF(b), GS_BUF(out), GS_BUF(splits),
                                                             ulong lenA, ulong lenB, uint codec) {
    __local GS_KEY keys[GS_TILE + GS_ITEMS + 1];
    __global const ulong *splits = GS_PTR(const ulong, splits);
    const gs_tile s = gs_tileOf(GS_PTR(const GS_KEY, a), GS_PTR(const GS_KEY, b), splits, lenA + lenB);
    __global GS_KEY *out = GS_PTR(GS_KEY, out) + s.first;
    const uint t = (uint)get_local_id(0);
    GS_KEY k[GS_ITEMS];
    GS_UNROLLED
    for (uint i = 0; i < GS_ITEMS; i++) {
        const uint at = min(i * GS_THREADS + t, s.len - 1);
        k[i] = (at < s.lenA ? s.a : s.b)[at < s.lenA ? at : at - s.lenA];
    }
    gs_encodeAll(codec, k);
    GS_UNROLLED
    for (uint i = 0; i < GS_ITEMS; i++) {
        keys[i * GS_THREADS + t] = k[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint diagonal = min(t * GS_ITEMS, s.len);
    uint x = gs_path(keys, s.lenA, s.len, diagonal), y = s.lenA + diagonal - x;
    GS_KEY keyA = keys[x], keyB = keys[y];
    GS_UNROLLED
    for (uint i = 0; i < GS_ITEMS; i++) {
        const bool second = y < s.len && (x >= s.lenA || keyB < keyA);
        k[i] = second ? keyB : keyA;
        const uint next = (second ? y : x) + 1;
        const GS_KEY key = keys[next];
        x = second ? x : next;
        y = second ? next : y;
        keyA = second ? keyA : key;
        keyB = second ? key : keyB;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    GS_UNROLLED
    for (uint i = 0; i < GS_ITEMS; i++) {
        keys[t * GS_ITEMS + i] = k[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    GS_UNROLLED
    for (uint i = 0; i < GS_ITEMS; i++) {
        k[i] = keys[i * GS_THREADS + t];
    }
    gs_decodeAll(codec, k);
    GS_UNROLLED
    for (uint i = 0; i < GS_ITEMS; i++) {
        const uint at = i * GS_THREADS + t;
        if (at < s.len) {
            out[at] = k[i];
        }
    }
}

#endif
