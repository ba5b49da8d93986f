// The different values of sorted keys, and where each begins: what kernels/cuda/stage/groups.cu
// finds in one pass takes three launches here, since no group of work-items waits for another
// one (internal/algo/groups plans them). Keys are equal if their bits are; a head is a key that
// differs from the one before, or the first.
//
// Group g of count and write has the keys [g·share, (g+1)·share), those below n, and takes them
// in tiles of GS_EACH rows of GS_THREADS keys; a work-item has a key of each row.
// Launch of both: as many groups as shares. Launch of sums: one group. The build gives GS_THREADS, the
// work-items of a group, and GS_WIDTH, the keys' bits.
//
// Stage count: In: keys[n]. Out: counts[g], the heads of share g.
// Stage sums: In: counts[shares]. Out: counts[g] = the heads before share g; the status
// record: how many groups there are, and code 1 if that is more than room; if not, and startBytes is 4 or 8,
// starts[number] = n, an integer of so many bytes.
// Stage write: In: keys[n], counts as sums leaves them. Out: values[room], unless mode is GS_ARGSORT;
// the kernels with pairs in their name write starts[room], those with keys none.
#include "word.clh"
#include "share.clh"

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

// Work-items of a block of them: each block's numbers are summed one after the other.
#define GS_BLOCK 16u
#define GS_BLOCKS ((GS_THREADS + GS_BLOCK - 1) / GS_BLOCK)

// Defines NAME, which makes mine the sum of those of the work-items before, and returns the sum of all. part is local
// memory, free again when the next barrier has been passed.
#define GS_BEFORE(NAME, T)                                                                                           \
    GS_INLINE T NAME(__local T *part, T *mine) {                                                                     \
        const uint t = (uint)get_local_id(0);                                                                        \
        part[t] = *mine;                                                                                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                \
        if (t < GS_BLOCKS) {                                                                                         \
            T sum = 0;                                                                                               \
            for (uint i = GS_BLOCK * t; i < min(GS_BLOCK * (t + 1), (uint)GS_THREADS); i++) {                        \
                const T own = part[i];                                                                               \
                part[i] = sum;                                                                                       \
                sum += own;                                                                                          \
            }                                                                                                        \
            part[GS_THREADS + t] = sum;                                                                              \
        }                                                                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                \
        T before = part[t], all = 0;                                                                                 \
        for (uint b = 0; b < GS_BLOCKS; b++) {                                                                       \
            const T sum = part[GS_THREADS + b];                                                                      \
            if (b < t / GS_BLOCK) {                                                                                  \
                before += sum;                                                                                       \
            }                                                                                                        \
            all += sum;                                                                                              \
        }                                                                                                            \
        *mine = before;                                                                                              \
        return all;                                                                                                  \
    }

GS_BEFORE(gs_before, ulong)
GS_BEFORE(gs_rowsBefore, gs_rows)

__kernel GS_GROUP void gs_groups_sums(GS_BUF(counts), uint shares, ulong n, ulong room, GS_BUF(starts), uint startBytes,
                                      GS_BUF(status)) {
    __local ulong part[GS_THREADS + GS_BLOCKS];
    __global ulong *counts = GS_PTR(ulong, counts);
    const uint t = (uint)get_local_id(0);
    const uint each = (shares + GS_THREADS - 1) / GS_THREADS;
    const uint begin = min(t * each, shares), end = min(begin + each, shares);
    ulong before = 0;
    for (uint i = begin; i < end; i++) {
        before += counts[i];
    }
    const ulong all = gs_before(part, &before);
    for (uint i = begin; i < end; i++) {
        const ulong count = counts[i];
        counts[i] = before;
        before += count;
    }
    if (t == 0) {
        GS_PTR(uint, status)[0] = all > room ? GS_NO_ROOM : 0;
        GS_PTR(ulong, status)[1] = all;
        if (all <= room && startBytes == 4) {
            GS_PTR(uint, starts)[all] = (uint)n;
        }
        if (all <= room && startBytes == 8) {
            GS_PTR(ulong, starts)[all] = n;
        }
    }
}

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

// starts has integers of startBytes, or is left alone if that is 0.
GS_INLINE void gs_write(__global const gs_key *keys, ulong n, ulong share, __global const ulong *counts,
                        __global gs_key *values, __global uchar *starts, uint startBytes, ulong room, uint mode,
                        __local gs_rows *part) {
    const ulong begin = get_group_id(0) * share, end = min(begin + share, n);
    ulong before = counts[get_group_id(0)];
    for (ulong first = begin; first < end; first += GS_EACH * GS_THREADS) {
        gs_key own[GS_EACH];
        const uint heads = gs_headsOf(keys, first, end, own);
        gs_rows mine = gs_rowsOf(heads), all = gs_rowsBefore(part, &mine);
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong rows[4] = {mine.x, mine.y, mine.z, mine.w}, sums[4] = {all.x, all.y, all.z, all.w};
        GS_UNROLLED
        for (uint r = 0; r < GS_EACH; r++) {
            const ulong x = first + r * GS_THREADS + get_local_id(0);
            const ulong to = before + (rows[r / 4] >> 16 * (r % 4) & 0xffff);
            if ((heads >> r & 1u) && to < room) {
                if (startBytes == 0 || mode != GS_ARGSORT) {
                    values[to] = own[r];
                }
                if (startBytes == 4) {
                    ((__global uint *)starts)[to] = (uint)x;
                }
                if (startBytes == 8) {
                    ((__global ulong *)starts)[to] = x;
                }
            }
            before += sums[r / 4] >> 16 * (r % 4) & 0xffff;
        }
    }
}

__kernel GS_GROUP void GS_ENTRY(groups, count, GS_WIDTH, keys)(GS_BUF(keys), ulong n, ulong share, GS_BUF(counts)) {
    __local ulong part[GS_THREADS + GS_BLOCKS];
    gs_count(GS_PTR(const gs_key, keys), n, share, GS_PTR(ulong, counts), part);
}

#define GS_WRITE(suffix, startBytes)                                                                                 \
    __kernel GS_GROUP void GS_ENTRY(groups, write, GS_WIDTH, suffix)(                                                \
        GS_BUF(keys), ulong n, ulong share, GS_BUF(counts), GS_BUF(values), GS_BUF(starts), ulong room, uint mode) { \
        __local gs_rows part[GS_THREADS + GS_BLOCKS];                                                                \
        gs_write(GS_PTR(const gs_key, keys), n, share, GS_PTR(const ulong, counts), GS_PTR(gs_key, values),          \
                 GS_PTR(uchar, starts), startBytes, room, mode, part);                                               \
    }

GS_WRITE(keys, 0)
GS_WRITE(pairs32, 4)
GS_WRITE(pairs64, 8)
