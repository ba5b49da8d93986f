// The different values of sorted keys, and where each begins: what kernels/cuda/stage/groups.cu
// finds in one pass takes three launches here, since no group of work-items waits for another
// one (internal/algo/groups plans them). Keys are equal if their bits are; a head is a key that
// differs from the one before, or the first.
//
// Group g of count and write has the keys [g·share, (g+1)·share), those below n.
// Launch of both: as many groups as shares, of any size. Launch of sums: one group of any size.
// Dynamic local memory of all: 8 bytes of each work-item. The build gives GS_WIDTH, the keys' bits.
//
// Stage count: In: keys[n]. Out: counts[g], the heads of share g.
// Stage sums: In: counts[shares]. Out: counts[g] = the heads before share g; the status
// record: how many groups there are, and code 1 if that is more than room; if not, and startBytes is 4 or 8,
// starts[number] = n, an integer of so many bytes.
// Stage write: In: keys[n], counts as sums leaves them. Out: values[room], unless mode is GS_ARGSORT;
// the kernels with pairs in their name write starts[room], those with keys none.
#include "word.clh"

#define GS_ARGSORT 2u
#define GS_NO_ROOM 1u

// A work-item of write takes so many keys that lie side by side at once.
#define GS_EACH 8u

// Replaces mine by the sum of those of the work-items before, and returns the sum of all.
// part has one element of each work-item.
static inline ulong gs_groupsBefore(__local ulong *part, ulong *mine) {
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const ulong own = *mine;
    part[t] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < size; d <<= 1) {
        const ulong add = t >= d ? part[t - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[t] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const ulong all = part[size - 1];
    *mine = part[t] - own;
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

__kernel void gs_groups_sums(GS_BUF(counts), uint shares, ulong n, ulong room, GS_BUF(starts), uint startBytes,
                             GS_BUF(status), __local ulong *part) {
    __global ulong *counts = GS_PTR(ulong, counts);
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const uint each = (shares + size - 1) / size, begin = min(t * each, shares), end = min(begin + each, shares);
    ulong before = 0;
    for (uint i = begin; i < end; i++) {
        before += counts[i];
    }
    const ulong all = gs_groupsBefore(part, &before);
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

#define GS_COUNT(bits)                                                                                              \
    __kernel void gs_groups_count_##bits##_keys(GS_BUF(keys), ulong n, ulong share, GS_BUF(counts),                 \
                                                __local ulong *part) {                                              \
        __global const gs_word##bits *keys = GS_PTR(const gs_word##bits, keys);                                     \
        const ulong begin = get_group_id(0) * share, end = min(begin + share, n);                                   \
        ulong heads = 0;                                                                                            \
        for (ulong x = begin + get_local_id(0); x < end; x += get_local_size(0)) {                                  \
            heads += x == 0 || keys[x] != keys[x - 1];                                                              \
        }                                                                                                           \
        const ulong all = gs_groupsBefore(part, &heads);                                                            \
        if (get_local_id(0) == 0) {                                                                                 \
            GS_PTR(ulong, counts)[get_group_id(0)] = all;                                                           \
        }                                                                                                           \
    }

#define GS_WRITE(bits, suffix, start, hasStarts)                                                                    \
    __kernel void gs_groups_write_##bits##_##suffix(GS_BUF(keys), ulong n, ulong share, GS_BUF(counts),             \
                                                    GS_BUF(values), GS_BUF(starts), ulong room, uint mode,          \
                                                    __local ulong *part) {                                          \
        __global const gs_word##bits *keys = GS_PTR(const gs_word##bits, keys);                                     \
        __global gs_word##bits *values = GS_PTR(gs_word##bits, values);                                             \
        __global start *starts = GS_PTR(start, starts);                                                             \
        const ulong begin = get_group_id(0) * share, end = min(begin + share, n);                                   \
        const uint mine = (uint)get_local_id(0) * GS_EACH, step = (uint)get_local_size(0) * GS_EACH;                \
        ulong before = GS_PTR(ulong, counts)[get_group_id(0)];                                                      \
        for (ulong first = begin; first < end; first += step) {                                                     \
            const ulong from = min(first + mine, end), to = min(from + GS_EACH, end);                               \
            uint heads = 0;                                                                                         \
            ulong rank = 0;                                                                                         \
            for (ulong x = from; x < to; x++) {                                                                     \
                const uint head = x == 0 || keys[x] != keys[x - 1];                                                 \
                heads |= head << (uint)(x - from);                                                                  \
                rank += head;                                                                                       \
            }                                                                                                       \
            const ulong all = gs_groupsBefore(part, &rank);                                                         \
            rank += before;                                                                                         \
            before += all;                                                                                          \
            for (ulong x = from; x < to; x++) {                                                                     \
                if ((heads >> (uint)(x - from) & 1u) && rank < room) {                                              \
                    if (!hasStarts || mode != GS_ARGSORT) {                                                         \
                        values[rank] = keys[x];                                                                     \
                    }                                                                                               \
                    if (hasStarts) {                                                                                \
                        starts[rank] = (start)x;                                                                    \
                    }                                                                                               \
                    rank++;                                                                                         \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
    }

#define GS_GROUPS(bits)                                                                                             \
    GS_COUNT(bits)                                                                                                  \
    GS_WRITE(bits, keys, uint, 0)                                                                                   \
    GS_WRITE(bits, pairs32, uint, 1)                                                                                \
    GS_WRITE(bits, pairs64, ulong, 1)

GS_GROUPS(GS_WIDTH)
