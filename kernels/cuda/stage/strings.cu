// Module strings: byte strings put in order, and copied in a given order. internal/algo/strings plans the launches.
//
// Strings are bytes[size] and offsets[n + 1] of 32 or, wide, 64 bits; n is below 2^32. An order is idx[n] of 32 or,
// wideIdx, 64 bits. What is sorted are words (block/strings_text.cuh), by the sort of pairs at first:
// common_first  how long a prefix all strings share (block/strings_common.cuh)
// first    checks the offsets; the word of each string behind that, and its number
// count_first, list_first  which strings go on and share their words with neighbours: lists of groups
//          (block/strings_lists.cuh)
// Then for the strings in the lists, whose words the sort of segments puts in order:
// common_lane, common_team  how long a prefix each group shares, by one lane or some to a string
// words    the word of each string behind that
// count_next, list_next  strings to their places; lists again
// A gather of strings is lengths, offsets and bytes (block/strings_gather.cuh).
//
// Memory order: launches follow one another. Within a launch blocks share atomics alone, whose results later launches
// read; common is lowered by atomics and read as a hint.
// Launch: kStringsThreads threads, any grid; a count and the list behind it have equal ones.
#include "block/strings_common.cuh"
#include "block/strings_gather.cuh"
#include "warp/overlap.cuh"

using namespace gs;

#define GS_TEXT const u8 *bytes, u64 size, const void *offsets, u32 wide
#define GS_TEXT_OF StringsText{bytes, size, offsets, wide}
#define GS_LISTS u32 *ids, u32 *groups, u32 *starts, u32 *slots, u64 *depths
#define GS_LISTS_OF StringsLists{ids, groups, starts, slots, depths}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_common_first(GS_TEXT, u64 n, u64* common) {
  awaitPrevious();
  commonPrefixes<1>(GS_TEXT_OF, StringsLists{}, n, 1, common);
}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_common_lane(GS_TEXT, GS_LISTS, u64 members, u64 chunks, u64* common) {
  awaitPrevious();
  commonPrefixes<1>(GS_TEXT_OF, GS_LISTS_OF, members, chunks, common);
}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_common_team(GS_TEXT, GS_LISTS, u64 members, u64 chunks, u64* common) {
  awaitPrevious();
  commonPrefixes<kStringsTeam>(GS_TEXT_OF, GS_LISTS_OF, members, chunks, common);
}

// words[n] is the length of the shared prefix, which may be above kStringsChunk.
GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_first(GS_TEXT, u64 n, u64* words, void* idx, u32 wideIdx, StringsState* state) {
  awaitPrevious();
  const StringsText text = GS_TEXT_OF;
  const u64 depth = least(words[n], u64(kStringsChunk));
  const u64 step = u64(gridDim.x) * kStringsThreads;
  for (u64 i = u64(blockIdx.x) * kStringsThreads + threadIdx.x; i <= n; i += step) {
    const u64 lo = text.offset(i);
    if (lo > size) refuseStrings(state, kStringsBeyond, i);
    if (i == n) break;
    const u64 hi = text.offset(i + 1);
    if (hi < lo) refuseStrings(state, kStringsDescend, i + 1);
    words[i] = text.word(lo <= hi && hi <= size ? StringSpan{lo, hi - lo} : StringSpan{0, 0}, depth);
    setWidth(idx, wideIdx, i, i);
  }
}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_words(GS_TEXT, GS_LISTS, u64 members, const u64* common, u64 bound, u64* words) {
  awaitPrevious();
  const StringsText text = GS_TEXT_OF;
  const u64 step = u64(gridDim.x) * kStringsThreads;
  for (u64 i = u64(blockIdx.x) * kStringsThreads + threadIdx.x; i < members; i += step) {
    const u32 g = groups[i];
    words[i] = text.word(text.span(ids[i]), depths[g] + least(common[g], bound));
  }
}

#define GS_FIRST_ORDER const u64 *words, u64 n, void *idx, u32 wideIdx
#define GS_FIRST_OF StringsFirst{words, n, idx, wideIdx, least(words[n], u64(kStringsChunk))}
GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_count_first(GS_FIRST_ORDER, u64* parts, StringsState* state) {
  awaitPrevious();
  countActive(GS_FIRST_OF, parts, state);
}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_list_first(GS_FIRST_ORDER, const u64* parts, GS_LISTS) {
  awaitPrevious();
  listActive(GS_FIRST_OF, parts, GS_LISTS_OF);
}

#define GS_NEXT_ORDER GS_LISTS, const u64 *words, const u32 *positions, u64 members, void *idx, u32 wideIdx, \
    const u64 *common, u64 bound
#define GS_NEXT_OF StringsLater{words, positions, GS_LISTS_OF, members, idx, wideIdx, common, bound}
GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_count_next(GS_NEXT_ORDER, u64* parts, StringsState* state) {
  awaitPrevious();
  countActive(GS_NEXT_OF, parts, state);
}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_list_next(GS_NEXT_ORDER, const u64* parts, u32* toIds, u32* toGroups, u32* toStarts, u32* toSlots,
                      u64* toDepths) {
  awaitPrevious();
  listActive(GS_NEXT_OF, parts, StringsLists{toIds, toGroups, toStarts, toSlots, toDepths});
}

#define GS_PLACES const void *places, u32 widePlaces, u32 isSigned
#define GS_PLACES_OF TextPlaces{places, widePlaces, isSigned}
GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_lengths(GS_TEXT, GS_PLACES, u64 n, u64 many, void* result, u64* parts, StringsState* state) {
  awaitPrevious();
  gatherLengths(GS_TEXT_OF, GS_PLACES_OF, n, many, result, wide, parts, state);
}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_offsets(u64 n, void* result, u32 wide, u64 room, const u64* parts, u32* firsts, StringsState* state) {
  awaitPrevious();
  gatherOffsets(n, result, wide, room, parts, firsts, state);
}

GS_GLOBAL __launch_bounds__(kStringsThreads)
    gs_strings_bytes(GS_TEXT, GS_PLACES, u64 n, const void* result, u8* out, const u32* firsts,
                     const StringsState* state) {
  awaitPrevious();
  gatherBytes(GS_TEXT_OF, GS_PLACES_OF, n, result, wide, out, firsts, state);
}
