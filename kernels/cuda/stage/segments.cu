// Module segments: each segment of the keys sorted by itself, keys in place or as the positions that an argsort
// gives. internal/algo/segments plans the launches, in this order:
// check  looks at all offsets; what is too long for a warp is listed. A bad offset ends the other launches.
// split  those longer than a large block sorts become pieces that one sorts (block/segments_split.cuh)
// large, small  the pieces, one to a block (block/segments_block.cuh)
// short  the other segments (block/segments_warp.cuh), and the positions outside of all
// In: keys[n], offsets[segments + 1] of 32 or, wide, 64 bits. Out: keys, or result[n] of 32 or, wideResult, 64 bits.
// n is below 2^32. keysA, positionsA, keysB and positionsB are scratch of n elements; of keys alone there is keysA
// only.
//
// Memory order: launches follow one another; within split see its file. Blocks and warps of the other launches read
// and write segments that are apart.
#include "block/segments_block.cuh"
#include "block/segments_split.cuh"
#include "block/segments_warp.cuh"
#include "warp/overlap.cuh"

using namespace gs;

#define GS_LISTS SegmentsState *state, u64 *small, u64 *large, uint4 *runs, u32 smallRoom, u32 largeRoom, u32 runRoom
#define GS_LISTS_OF SegmentsLists{state, small, large, runs, smallRoom, largeRoom, runRoom}
#define GS_MEMORY(bits) \
  WordOf<bits> *keys, WordOf<bits> *keysA, WordOf<bits> *keysB, u32 *positionsA, u32 *positionsB, void *result, \
      u32 codec, u32 wideResult
#define GS_MEMORY_OF(bits) \
  SegmentsMemory<WordOf<bits>>{keys, keysA, keysB, positionsA, positionsB, result, codec, wideResult}

GS_GLOBAL __launch_bounds__(kSegmentsCheckThreads)
    gs_segments_check(GS_LISTS, const void* offsets, u32 wide, u64 segments, u64 n, u32 most, u32 tile) {
  awaitPrevious();
  checkSegments(offsets, wide, segments, n, most, tile, GS_LISTS_OF);
}

#define GS_BLOCKS(stage, list, bits, suffix, argsort, threads, items, residents) \
  GS_SHARED(segments_##stage##_##bits##_##suffix, SegmentsShared<SegmentsTile<bits, argsort, threads, items>>::kBytes) \
  GS_GLOBAL __launch_bounds__(threads, residents) gs_segments_##stage##_##bits##_##suffix(GS_LISTS, GS_MEMORY(bits)) { \
    awaitPrevious(); \
    sortPieces<SegmentsTile<bits, argsort, threads, items>>(GS_LISTS_OF, list, GS_MEMORY_OF(bits)); \
  }

#define GS_SPLIT_TILE(bits, argsort) SegmentsTile<bits, argsort, kSplitThreads, kSplitItems>
#define GS_INSTANCE(bits, suffix, argsort) \
  GS_SHARED(segments_split_##bits##_##suffix, SegmentsShared<GS_SPLIT_TILE(bits, argsort)>::kBytes) \
  GS_GLOBAL __launch_bounds__(kSplitThreads, kSplitBlocks) \
      gs_segments_split_##bits##_##suffix(GS_LISTS, GS_MEMORY(bits), u32* counts, u32* totals) { \
    awaitPrevious(); \
    splitRuns<GS_SPLIT_TILE(bits, argsort), kSegmentsThreads * kSegmentsItems<bits, argsort>>( \
        GS_LISTS_OF, GS_MEMORY_OF(bits), counts, totals); \
  } \
  GS_BLOCKS(small, 0, bits, suffix, argsort, kSegmentsSmallThreads, kSegmentsSmallItems, \
            argsort ? kSegmentsSmallArgsortBlocks : kSegmentsSmallBlocks) \
  GS_BLOCKS(large, 1, bits, suffix, argsort, kSegmentsThreads, (kSegmentsItems<bits, argsort>), 1) \
  GS_SHARED(segments_short_##bits##_##suffix, ShortShared<bits>::kBytes) \
  GS_GLOBAL __launch_bounds__(kSegmentsShortThreads, bits == 64 && argsort ? 2 : 3) \
      gs_segments_short_##bits##_##suffix(const SegmentsState* state, GS_MEMORY(bits), const void* offsets, u32 wide, \
                                          u64 segments, u64 n) { \
    awaitPrevious(); \
    shortSegments<bits, argsort>(state, GS_MEMORY_OF(bits), offsets, wide, segments, n); \
  }

GS_INSTANCE(8, keys, false)
GS_INSTANCE(16, keys, false)
GS_INSTANCE(32, keys, false)
GS_INSTANCE(64, keys, false)
GS_INSTANCE(8, pairs32, true)
GS_INSTANCE(16, pairs32, true)
GS_INSTANCE(32, pairs32, true)
GS_INSTANCE(64, pairs32, true)
