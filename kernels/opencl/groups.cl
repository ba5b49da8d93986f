// The different values of sorted keys, and where each begins: what kernels/cuda/stage/groups.cu
// finds in one pass takes two launches here, since no group of work-items waits for another
// one (internal/algo/groups plans them). Keys are equal if their bits are; a head is a key that
// differs from the one before, or the first.
//
// Group g of count and write has the keys [g·share, (g+1)·share), those below n, and takes them
// in tiles of GS_EACH rows of GS_THREADS keys; a work-item has a key of each row.
// Launch of both: as many groups as shares. The build gives GS_THREADS, the work-items of a group, and GS_WIDTH,
// the keys' bits.
//
// Stage count: In: keys[n]. Out: counts[g], the heads of share g. The last share's is not asked for.
// Stage write: In: keys[n], counts. Out: values[room], unless mode is GS_ARGSORT; the kernels with pairs in their
// name write starts[room], those with keys none. The last group writes the status record: how many groups there
// are, and code 1 if that is more than room; if not, starts[number] = n.
#include "word.clh"
#include "sums.clh"

#define GS_ARGSORT 2u
#define GS_NO_ROOM 1u

typedef GS_CAT2(gs_word, GS_WIDTH) gs_key;

// Keys that a work-item has of a tile.
#define GS_EACH 16u

// Rows counts the heads of each of a tile's rows, in 16 bits: row r lies in the r/4-th word.
typedef ulong4 gs_rows;

// Bits 0 to 3 as the lowest of 16 bits each.
static inline ulong gs_spread(uint bits) {
    return (ulong)(bits & 1u) | (ulong)(bits & 2u) << 15 | (ulong)(bits & 4u) << 30 | (ulong)(bits & 8u) << 45;
}

static inline gs_rows gs_rowsOf(uint heads) {
    return (gs_rows)(gs_spread(heads), gs_spread(heads >> 4), gs_spread(heads >> 8), gs_spread(heads >> 12));
}

GS_BEFORE(gs_rowsBefore, gs_rows)

// This work-item's keys of the tile that begins with key `first`; those from `end` on are left out. Returns which of
// them are heads. All loads are on their way before the first is waited for.
GS_INLINE uint gs_headsOf(__global const gs_key *keys, ulong first, ulong end, gs_key *own) {
    gs_key before[GS_EACH];
    uint heads = 0;
    const ulong at = first + get_local_id(0);
    GS_UNROLLED
    for (uint r = 0; r < GS_EACH; r++) {
        const ulong x = at + r * GS_THREADS;
        if (x < end) {
            own[r] = keys[x];
            before[r] = keys[x == 0 ? 0 : x - 1];
        }
    }
    GS_UNROLLED
    for (uint r = 0; r < GS_EACH; r++) {
        const ulong x = at + r * GS_THREADS;
        if (x < end && (x == 0 || own[r] != before[r])) {
            heads |= 1u << r;
        }
    }
    return heads;
}

GS_INLINE void gs_count(__global const gs_key *keys, ulong n, ulong share, __global ulong *counts,
                        __local ulong *part) {
    const ulong begin = get_group_id(0) * share, end = min(begin + share, n);
    gs_key own[GS_EACH];
    ulong heads = 0;
    for (ulong first = begin; first < end; first += GS_EACH * GS_THREADS) {
        heads += popcount(gs_headsOf(keys, first, end, own));
    }
    const ulong all = gs_before(part, &heads);
    if (get_local_id(0) == 0) {
        counts[get_group_id(0)] = all;
    }
}

// gs_putStart writes a start of startBytes, or nothing if that is 0.
GS_INLINE void gs_putStart(__global uchar *starts, uint startBytes, ulong i, ulong start) {
    if (startBytes == 4) {
        ((__global uint *)starts)[i] = (uint)start;
    }
    if (startBytes == 8) {
        ((__global ulong *)starts)[i] = start;
    }
}

GS_INLINE void gs_write(__global const gs_key *keys, ulong n, ulong share, __global const ulong *counts,
                        __global gs_key *values, __global uchar *starts, uint startBytes, ulong room, uint mode,
                        __global uchar *status, __local gs_rows *part) {
    const ulong begin = get_group_id(0) * share, end = min(begin + share, n);
    ulong before = gs_sumBefore(counts, (__local ulong *)part);
    for (ulong first = begin; first < end; first += GS_EACH * GS_THREADS) {
        gs_key own[GS_EACH];
        const uint heads = gs_headsOf(keys, first, end, own);
        gs_rows mine = gs_rowsOf(heads), all = gs_rowsBefore(part, &mine);
        const ulong rows[4] = {mine.x, mine.y, mine.z, mine.w}, sums[4] = {all.x, all.y, all.z, all.w};
        GS_UNROLLED
        for (uint r = 0; r < GS_EACH; r++) {
            const ulong x = first + r * GS_THREADS + get_local_id(0);
            const ulong to = before + (rows[r / 4] >> 16 * (r % 4) & 0xffff);
            if ((heads >> r & 1u) && to < room) {
                if (startBytes == 0 || mode != GS_ARGSORT) {
                    values[to] = own[r];
                }
                gs_putStart(starts, startBytes, to, x);
            }
            before += sums[r / 4] >> 16 * (r % 4) & 0xffff;
        }
    }
    if (get_local_id(0) == 0 && end == n) {
        ((__global uint *)status)[0] = before > room ? GS_NO_ROOM : 0;
        ((__global ulong *)status)[1] = before;
        if (before <= room) {
            gs_putStart(starts, startBytes, before, n);
        }
    }
}

__kernel GS_GROUP void GS_ENTRY(groups, count, GS_WIDTH, keys)(GS_BUF(keys), ulong n, ulong share, GS_BUF(counts)) {
    __local ulong part[GS_THREADS + GS_BLOCKS];
    gs_count(GS_PTR(const gs_key, keys), n, share, GS_PTR(ulong, counts), part);
}

#define GS_WRITE(suffix, startBytes)                                                                                 \
    __kernel GS_GROUP void GS_ENTRY(groups, write, GS_WIDTH, suffix)(                                                \
        GS_BUF(keys), ulong n, ulong share, GS_BUF(counts), GS_BUF(values), GS_BUF(starts), ulong room, uint mode, \
        GS_BUF(status)) {                                                                                            \
        __local gs_rows part[GS_THREADS + GS_BLOCKS];                                                                \
        gs_write(GS_PTR(const gs_key, keys), n, share, GS_PTR(const ulong, counts), GS_PTR(gs_key, values),          \
                 GS_PTR(uchar, starts), startBytes, room, mode, GS_PTR(uchar, status), part);                        \
    }

GS_WRITE(keys, 0)
GS_WRITE(pairs32, 4)
GS_WRITE(pairs64, 8)
