// radix-4way: an LSD radix sort with 2-bit digits whose tiles are put in order
// inside a work-group before they are moved (Ha, Krüger and Silva, "Fast
// four-way parallel radix sorting on GPUs", 2009). Four counters of 16 bits
// share one 64-bit word, so that one prefix sum over a group ranks all four
// digits at once. Stages per digit: count, scan, move.
//
// The build gives GS_WIDTH, the keys' bits. Launch of count and move: any number
// of groups of any size, the same for both; items keys per work-item,
// size·items < 2^16. Each group has a contiguous range of tiles. Local memory is
// the last parameter, laid out by internal/algo/radix4 with the same formulas.
// Groups share nothing within a launch and the queue is in order; within a group
// barriers order every exchange. Values have 4 or 8 bytes, 0 for none: mode is
// plan.Mode's number.
#include "word.clh"

#define GS_W GS_WIDTH
#include "codec.clh"

#define GS_NAME_(stage, w) gs_radix4_##stage##_##w
#define GS_NAME(stage, w) GS_NAME_(stage, w)
#define GS_ARGSORT 2u

static inline uint gs_digit4(GS_KEY k, uint shift) { return (uint)(k >> shift) & 3u; }

static inline uint gs_field(ulong packed, uint digit) { return (uint)(packed >> 16 * digit) & 0xffffu; }

// The encoded key i in the order of the passes so far: one after the other, or
// through indices of indexBytes.
static inline GS_KEY gs_encoded(__global const GS_KEY *keys, __global const uchar *indices, uint indexBytes, uint codec, ulong i) {
    if (indexBytes == 4) {
        i = ((__global const uint *)indices)[i];
    } else if (indexBytes == 8) {
        i = ((__global const ulong *)indices)[i];
    }
    return gs_encode(codec, keys[i]);
}

// The first tile of a group.
static inline ulong gs_beginTile(ulong n, uint tile, ulong group) {
    return (n + tile - 1) / tile * group / get_num_groups(0);
}

// The inclusive prefix sum of sums over the group, in place (Hillis and Steele).
// The caller's barrier comes before; complete on return.
static inline void gs_groupSum(__local ulong *sums) {
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0);
    for (uint d = 1; d < size; d <<= 1) {
        const ulong add = t >= d ? sums[t - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[t] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Stage count: a group's digits into counts[4][groups].
// Local: four words of 64 bits for each work-item.
__kernel void GS_NAME(count, GS_WIDTH)(GS_BUF(keys), GS_BUF(indices), GS_BUF(counts), ulong n, uint items, uint shift, uint codec,
                                       uint indexBytes, __local ulong *sums) {
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0), tile = size * items;
    __global const GS_KEY *keys = GS_PTR(const GS_KEY, keys);
    __global const uchar *indices = GS_PTR(const uchar, indices);
    const ulong end = min(n, gs_beginTile(n, tile, get_group_id(0) + 1) * tile);
    ulong c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    for (ulong i = gs_beginTile(n, tile, get_group_id(0)) * tile + t; i < end; i += size) {
        const uint digit = gs_digit4(gs_encoded(keys, indices, indexBytes, codec, i), shift);
        c0 += digit == 0;
        c1 += digit == 1;
        c2 += digit == 2;
        c3 += digit == 3;
    }
    sums[t] = c0;
    sums[size + t] = c1;
    sums[2 * size + t] = c2;
    sums[3 * size + t] = c3;
    barrier(CLK_LOCAL_MEM_FENCE);
    // The upper part is added to the lower until one is left; an odd one waits for its turn.
    for (uint left = size; left > 1;) {
        const uint lower = (left + 1) / 2;
        if (t + lower < left) {
            for (uint d = 0; d < 4; d++) {
                sums[d * size + t] += sums[d * size + t + lower];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        left = lower;
    }
    if (t == 0) {
        for (uint d = 0; d < 4; d++) {
            GS_PTR(ulong, counts)[d * get_num_groups(0) + get_group_id(0)] = sums[d * size];
        }
    }
}

// Stage scan: counts[m] become the sums of all before each, in place.
// Launch: one group. Local: a word of 64 bits for each work-item.
__kernel void gs_radix4_scan(GS_BUF(counts), uint m, __local ulong *sums) {
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0);
    __global ulong *counts = GS_PTR(ulong, counts);
    const uint each = (m + size - 1) / size;
    const uint begin = min(m, t * each), end = min(m, begin + each);
    ulong mine = 0;
    for (uint i = begin; i < end; i++) {
        mine += counts[i];
    }
    sums[t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    gs_groupSum(sums);
    ulong at = sums[t] - mine;
    for (uint i = begin; i < end; i++) {
        const ulong c = counts[i];
        counts[i] = at;
        at += c;
    }
}

// Stage move: each group's keys to their digits' places, tile by tile. A tile is
// loaded coalesced, its work-items rank items neighbours each by the packed
// prefix sum, the order goes to local memory as 16-bit positions, and the tile
// leaves in that order, so that neighbours go to neighbouring addresses. Keys are
// loaded through codec and stored through decode, each a codec or 0 for none; an
// argsort stores none. With identity value i is i.
// Local: a word of 64 bits for each work-item, four places, the tile's keys, its
// order.
__kernel void GS_NAME(move, GS_WIDTH)(GS_BUF(keys), GS_BUF(keysOut), GS_BUF(values), GS_BUF(valuesOut), GS_BUF(places), ulong n,
                                      uint items, uint shift, uint codec, uint decode, uint mode, uint valueBytes, uint identity,
                                      __local ulong *sums) {
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0), tile = size * items;
    __local ulong *goal = sums + size;
    __local GS_KEY *tileKeys = (__local GS_KEY *)(goal + 4);
    __local ushort *order = (__local ushort *)(goal + 4) + (tile * sizeof(GS_KEY) + 1) / 2;
    __global const GS_KEY *keys = GS_PTR(const GS_KEY, keys);
    __global const uchar *values = GS_PTR(const uchar, values);
    const uint indexBytes = mode == GS_ARGSORT && !identity ? valueBytes : 0;
    // The places stay in local memory: a group may have fewer than four work-items.
    if (t == 0) {
        for (uint d = 0; d < 4; d++) {
            goal[d] = GS_PTR(const ulong, places)[d * get_num_groups(0) + get_group_id(0)];
        }
    }
    const ulong last = gs_beginTile(n, tile, get_group_id(0) + 1);
    for (ulong number = gs_beginTile(n, tile, get_group_id(0)); number < last; number++) {
        const ulong base = number * tile;
        const uint count = (uint)min((ulong)tile, n - base);
        for (uint i = t; i < count; i += size) {
            tileKeys[i] = gs_encoded(keys, values, indexBytes, codec, base + i);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint begin = min(count, t * items), end = min(count, begin + items);
        ulong mine = 0;
        for (uint i = begin; i < end; i++) {
            mine += 1ul << 16 * gs_digit4(tileKeys[i], shift);
        }
        sums[t] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        gs_groupSum(sums);
        const ulong total = sums[size - 1];
        const ulong starts = (total << 16) + (total << 32) + (total << 48); // per digit the keys of lower ones
        ulong rank = sums[t] - mine + starts;
        for (uint i = begin; i < end; i++) {
            const uint digit = gs_digit4(tileKeys[i], shift);
            order[gs_field(rank, digit)] = (ushort)i;
            rank += 1ul << 16 * digit;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint i = t; i < count; i += size) {
            const uint from = order[i];
            const GS_KEY key = tileKeys[from];
            const uint digit = gs_digit4(key, shift);
            const ulong to = goal[digit] + i - gs_field(starts, digit);
            if (mode != GS_ARGSORT) {
                GS_PTR(GS_KEY, keysOut)[to] = gs_decode(decode, key);
            }
            if (valueBytes == 4) {
                GS_PTR(uint, valuesOut)[to] = identity ? (uint)(base + from) : ((__global const uint *)values)[base + from];
            } else if (valueBytes == 8) {
                GS_PTR(ulong, valuesOut)[to] = identity ? base + from : ((__global const ulong *)values)[base + from];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tile's memory is free again
        if (t == 0) {
            for (uint d = 0; d < 4; d++) {
                goal[d] += gs_field(total, d);
            }
        }
    }
}
