// Byte strings put in order, and copied in a given order: kernels/cuda/stage/strings.cu, which says what the stages
// are and how they follow one another. internal/algo/strings plans the launches.
//
// Strings are bytes[size] and offsets[n + 1] of 32 or, wide, 64 bits; n is below 2^32. An order is idx[n] of 32 or,
// wideIdx, 64 bits.
// Launch: groups of GS_THREADS, any number of them; a count and the list behind it, and lengths and offsets, have
// equal ones. Groups share atomics alone, whose results later launches read.
//
// The build gives GS_THREADS, GS_CHUNK, the most bytes that a work-item compares, and GS_TILE and GS_TEXTS.
#include "word.clh"
#include "width.clh"
#include "sums.clh"
#include "strings_text.clh"
#include "strings_lists.clh"
#include "strings_gather.clh"

// The least x in [from, to) where bytes a + x and b + x differ, or else `to`.
static inline ulong gs_firstDifference(gs_text text, ulong a, ulong b, ulong from, ulong to) {
    for (ulong x = from; x < to; x += 8) {
        const uint many = (uint)min(to - x, (ulong)8);
        const ulong differ = gs_some(text, a + x, many) ^ gs_some(text, b + x, many);
        if (differ != 0) {
            return x + (63 - clz(differ & (~differ + 1))) / 8;
        }
    }
    return to;
}

// gs_lower lowers least to the length of the prefix that strings i and head share from `begin` bytes behind depth on,
// if it is less than `most`. Before that they share all.
GS_INLINE void gs_lower(gs_text text, ulong i, ulong head, ulong depth, ulong begin, ulong most, ulong *least) {
    const gs_span s = gs_spanOf(text, i), t = gs_spanOf(text, head);
    const ulong shorter = min(s.length, t.length);
    if (i == head || shorter < depth + begin) {
        return;
    }
    const ulong end = shorter - depth, to = min(end, most);
    const ulong found = gs_firstDifference(text, s.begin + depth, t.begin + depth, begin, to);
    if (found < to || end <= to) {
        *least = min(*least, found);
    }
}

// Lowers the lower half of common, which holds the largest number before, to the length of the prefix that all strings
// share, or leaves it above GS_CHUNK.
__kernel GS_GROUP void gs_strings_common_first(GS_TEXT, ulong n, GS_BUF(common)) {
    const gs_text text = GS_TEXT_OF;
    ulong least = UINT_MAX;
    for (ulong i = get_global_id(0); i < n && least != 0; i += get_global_size(0)) {
        gs_lower(text, i, 0, 0, 0, min(least, (ulong)GS_CHUNK), &least);
    }
    if (least < UINT_MAX) {
        atomic_min(GS_PTR(uint, common), (uint)least);
    }
}

// The same of each group, behind its depth and up to chunks · GS_CHUNK bytes, for which as many work-items look.
__kernel GS_GROUP void gs_strings_common_lane(GS_TEXT, GS_LISTS(ids, groups, starts, slots, depths), ulong members,
                                              ulong chunks, GS_BUF(common)) {
    const gs_text text = GS_TEXT_OF;
    const gs_lists from = GS_LISTS_OF(ids, groups, starts, slots, depths);
    for (ulong task = get_global_id(0); task < members * chunks; task += get_global_size(0)) {
        const ulong chunk = chunks == 1 ? 0 : task / members, i = task - chunk * members, begin = chunk * GS_CHUNK;
        const uint g = from.groups[i];
        ulong least = UINT_MAX;
        gs_lower(text, from.ids[i], from.ids[from.starts[g]], from.depths[g], begin, begin + GS_CHUNK, &least);
        if (least < UINT_MAX) {
            atomic_min(&GS_PTR(uint, common)[2 * g], (uint)least);
        }
    }
}

// words[n] has the length of the shared prefix.
__kernel GS_GROUP void gs_strings_first(GS_TEXT, ulong n, GS_BUF(words), GS_BUF(idx), uint wideIdx, GS_BUF(state)) {
    const gs_text text = GS_TEXT_OF;
    __global ulong *words = GS_PTR(ulong, words);
    __global uint *state = GS_PTR(uint, state);
    const ulong depth = gs_shared((__global const uint *)words, n, GS_CHUNK);
    for (ulong i = get_global_id(0); i <= n; i += get_global_size(0)) {
        const ulong lo = gs_widthAt(text.offsets, wide, i);
        if (lo > size) {
            gs_refuse(state, GS_BEYOND, i);
        }
        if (i < n) {
            if (gs_widthAt(text.offsets, wide, i + 1) < lo) {
                gs_refuse(state, GS_DESCEND, i + 1);
            }
            words[i] = gs_wordOf(text, gs_spanOf(text, i), depth);
            gs_setWidth(GS_PTR(uchar, idx), wideIdx, i, i);
        }
    }
}

__kernel GS_GROUP void gs_strings_words(GS_TEXT, GS_LISTS(ids, groups, starts, slots, depths), ulong members,
                                        GS_BUF(common), ulong bound, GS_BUF(words)) {
    const gs_text text = GS_TEXT_OF;
    const gs_lists from = GS_LISTS_OF(ids, groups, starts, slots, depths);
    for (ulong i = get_global_id(0); i < members; i += get_global_size(0)) {
        const uint g = from.groups[i];
        const ulong depth = from.depths[g] + gs_shared(GS_PTR(const uint, common), g, bound);
        GS_PTR(ulong, words)[i] = gs_wordOf(text, gs_spanOf(text, from.ids[i]), depth);
    }
}

#define GS_FIRST_ORDER GS_BUF(words), ulong n, GS_BUF(idx), uint wideIdx
#define GS_FIRST_OF                                                                                                  \
    {.isLater = false, .words = GS_PTR(const ulong, words), .n = n, .idx = GS_PTR(uchar, idx), .wide = wideIdx,      \
     .shared = gs_shared(GS_PTR(const uint, words), n, GS_CHUNK)}

__kernel GS_GROUP void gs_strings_count_first(GS_FIRST_ORDER, GS_BUF(parts), GS_BUF(state)) {
    __local ulong sums[GS_THREADS + GS_BLOCKS];
    const gs_order o = GS_FIRST_OF;
    gs_countActive(&o, GS_PTR(ulong, parts), GS_PTR(uint, state), sums);
}

__kernel GS_GROUP void gs_strings_list_first(GS_FIRST_ORDER, GS_BUF(parts),
                                             GS_LISTS(ids, groups, starts, slots, depths)) {
    __local ulong sums[GS_THREADS + GS_BLOCKS];
    const gs_order o = GS_FIRST_OF;
    const gs_lists to = GS_LISTS_OF(ids, groups, starts, slots, depths);
    gs_listActive(&o, GS_PTR(const ulong, parts), to, sums);
}

#define GS_NEXT_ORDER                                                                                                \
    GS_LISTS(ids, groups, starts, slots, depths), GS_BUF(words), GS_BUF(positions), ulong members, GS_BUF(idx),      \
    uint wideIdx, GS_BUF(common), ulong bound
#define GS_NEXT_OF                                                                                                   \
    {.isLater = true, .words = GS_PTR(const ulong, words), .n = members, .idx = GS_PTR(uchar, idx), .wide = wideIdx, \
     .positions = GS_PTR(const uint, positions), .from = GS_LISTS_OF(ids, groups, starts, slots, depths),            \
     .common = GS_PTR(const uint, common), .bound = bound}

__kernel GS_GROUP void gs_strings_count_next(GS_NEXT_ORDER, GS_BUF(parts), GS_BUF(state)) {
    __local ulong sums[GS_THREADS + GS_BLOCKS];
    const gs_order o = GS_NEXT_OF;
    gs_countActive(&o, GS_PTR(ulong, parts), GS_PTR(uint, state), sums);
}

__kernel GS_GROUP void gs_strings_list_next(GS_NEXT_ORDER, GS_BUF(parts),
                                            GS_LISTS(toIds, toGroups, toStarts, toSlots, toDepths)) {
    __local ulong sums[GS_THREADS + GS_BLOCKS];
    const gs_order o = GS_NEXT_OF;
    const gs_lists to = GS_LISTS_OF(toIds, toGroups, toStarts, toSlots, toDepths);
    gs_listActive(&o, GS_PTR(const ulong, parts), to, sums);
}
