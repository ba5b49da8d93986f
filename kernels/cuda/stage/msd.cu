// Module msd: MSD radix sort, two splits by up to 8 bits and one sort per bucket
// in shared memory. Launches for keys alone, in order: probe, histogram, scan,
// prepare, first, second, then halves (32-bit keys of which 16 bits are left) or runs,
// then slow, then large (sm_90 only), which sorts buckets that no block takes, and
// input in which the probe has found few different keys. What probe or prepare finds
// unsuitable is left untouched for the gated steps of module onesweep, whose gate is
// MsdState.route.
//
// 64-bit keys that agree in the upper half are split and sorted by narrowfirst,
// narrowsecond, widen and slowwiden.
//
// For argsort: sample, histogram, scan, prepare, pack, then for each group of parts
// group, indices and slowindices; few (sm_90 only), which sorts if the sample has
// found few different keys. Behind the gate: replanupper or
// replanwide before passes of onesweep.
// internal/algo/msd plans them; geometry comes from the policy table.
#include "block/msd_count.cuh"
#include "block/msd_local.cuh"
#include "block/msd_probe.cuh"
#include "block/msd_narrow.cuh"
#include "block/msd_prepare.cuh"
#include "block/msd_runs.cuh"
#include "block/msd_sample.cuh"
#include "block/msd_slow.cuh"
#include "block/msd_split.cuh"
#include "block/msd_stable.cuh"
#include "block/msd_words.cuh"
#include "policy/zmsd.cuh"
#include "warp/overlap.cuh"

using namespace gs;

// Launch bounds.
constexpr int kHistogramThreads = 1024, kScanThreads = 1024, kPrepareThreads = 256, kReplanThreads = 256;
GS_CONSTANT(MsdHistogramThreads, kHistogramThreads)
GS_CONSTANT(MsdScanThreads, kScanThreads)
GS_CONSTANT(MsdPrepareThreads, kPrepareThreads)
GS_CONSTANT(MsdReplanThreads, kReplanThreads)

// Grid: 1 << bits over 1,024. counts in; starts (one more) and state out.
GS_GLOBAL __launch_bounds__(kScanThreads) gs_msd_scan(const u32* counts, u32* starts, MsdState* state) {
  awaitPrevious();
  msdScan(counts, starts, state);
}

// Grid: 1 << bits1. starts and state in; route, finish, cursors, tiles and, if
// parts is not 0, groups out.
GS_GLOBAL __launch_bounds__(kPrepareThreads)
    gs_msd_prepare(const u32* starts, MsdState* state, Control* control, u32* cursors1, u32* cursors2, uint4* tiles, MsdGroups* groups, u32 n,
                   u32 bits1, u32 bits2, u32 tile, u32 lowTile, u32 capacity, u32 parts, u32 large) {
  awaitPrevious();
  msdPrepare(starts, state, control, cursors1, cursors2, tiles, groups, n, bits1, bits2, tile, lowTile, capacity, parts, large);
}

// What the other launches leave: keys that are few different ones, see
// msd_few_alone.cuh, and what is too large for a block, see msd_large.cuh. Two blocks per
// multiprocessor, for the latter each with a tile of 11 keys per thread: an odd number,
// and threads/32 times it is below 256, as MsdSplit asks.
#if defined(GS_TARGET_SM_90)
#include "block/msd_few_alone.cuh"
#include "block/msd_few_unlisted.cuh"
#include "block/msd_large.cuh"
constexpr int kLargeItems = 11, kLargeBlocks = 2;
GS_CONSTANT(MsdLargeItems, kLargeItems)
GS_CONSTANT(MsdLargeBlocks, kLargeBlocks)
#define GS_LARGE(bits_, runsThreads, runsVectors, runsKeys, runsStep, slowThreads, slowItems) \
  GS_SHARED(msd_large_##bits_##_keys, \
            kMostOf<MsdSplit<Word<bits_ / 8>::type, runsThreads, kLargeItems, true>::kBytes, \
                    MsdLocal<Word<bits_ / 8>::type, runsThreads, runsVectors, runsKeys, runsStep>::kRunsBytes, \
                    PassShared<PassGeometry<bits_, 0, slowThreads, slowItems, 1>>::kBytes, \
                    FewShared<FewGeometry<kFewKeys, Word<bits_ / 8>::type, u32, runsThreads, 16>>::kBytes>) \
  GS_GLOBAL __launch_bounds__(runsThreads, kLargeBlocks) \
      gs_msd_large_##bits_##_keys(Word<bits_ / 8>::type* keys, Word<bits_ / 8>::type* alt, const u32* starts, MsdState* state, \
                                  MsdLarge* large, MsdSegment* segments, u32* tiles, u32* units, u32* pool, MsdFew* few, \
                                  u32 most, u32 n, u32 bits, u32 codec) { \
    awaitPrevious(); \
    typedef Word<bits_ / 8>::type K; \
    typedef MsdLocal<K, runsThreads, runsVectors, runsKeys, runsStep> L; \
    __shared__ FewStarts<K> f; \
    const FewArgs<FewGeometry<kFewKeys, K, u32, runsThreads, 16>> a = {keys, few, state, n, nullptr, nullptr, nullptr, nullptr, codec, {alt}}; \
    const u32 unlisted = msdFewAlone(a, f); \
    msdLarge<MsdSplit<K, runsThreads, kLargeItems, true>, L, PassGeometry<bits_, 0, slowThreads, slowItems, 1>>( \
        {unlisted != 0 ? alt : keys, unlisted != 0 ? keys : alt, starts, state, {large, segments, tiles, units, pool, most}, n, bits, codec, unlisted}); \
    if (unlisted != 0) fillAmong(a, f); \
  }
// Argsort of few different keys. ranks: n bytes and 16 more; counts: kFewMost per
// block; the rest: FewUnlisted. Passes of unlisted keys have as many items as 64 registers hold.
#define GS_FEW(bits, valueBytes, suffix, items) \
  GS_SHARED(msd_few_##bits##_##suffix, \
            kMostOf<FewShared<FewGeometry<kFewPlaces, Word<bits / 8>::type, Word<valueBytes>::type, kFewThreads, 16>>::kBytes,\
                    PassShared<PassGeometry<bits, valueBytes, kFewThreads, items, 4>>::kBytes>) \
  GS_GLOBAL __launch_bounds__(kFewThreads, kFewBlocks) \
      gs_msd_few_##bits##_##suffix(Word<bits / 8>::type* keys, MsdFew* few, MsdState* state, u32 n, Word<valueBytes>::type* indices, \
                                   u8* ranks, u32* counts, u32 codec, Word<bits / 8>::type* keys1, Word<bits / 8>::type* keys2, \
                                   Word<valueBytes>::type* values1, Word<valueBytes>::type* values2, Control* control, u32* words, \
                                   u32 most) { \
    awaitPrevious(); \
    msdFew<FewGeometry<kFewPlaces, Word<bits / 8>::type, Word<valueBytes>::type, kFewThreads, 16>, PassGeometry<bits, valueBytes, kFewThreads, items, 4>>( \
        {keys, few, state, n, indices, ranks, counts, nullptr, codec, {keys1, keys2, values1, values2, control, words, most}}); \
  }
GS_FEW(32, 4, pairs32, kFewPassItems8)
GS_FEW(32, 8, pairs64, kFewPassItems12)
GS_FEW(64, 4, pairs32, kFewPassItems12)
GS_FEW(64, 8, pairs64, kFewPassItems16)
#else
#define GS_LARGE(...)
#endif

#define GS_HALVES_64(threads, vectors, blocks, keys, step)
#define GS_HALVES_32(threads, vectors, blocks, keysMax, step) \
  GS_SHARED(msd_halves_32_keys, MsdLocal<u32, threads, vectors, keysMax, step>::kHalvesBytes) \
  GS_GLOBAL __launch_bounds__(threads, blocks) \
      gs_msd_halves_32_keys(u32* keys, const u32* starts, MsdState* state, u32* slow, u32 codec) { \
    awaitPrevious(); \
    msdHalves<MsdLocal<u32, threads, vectors, keysMax, step>>(keys, starts, state, slow, codec); \
  }

// Argsort of keys of `bits` with indices of valueBytes, by words of 64 bits: the
// geometry is that of 64-bit keys.
#define GS_INDICES(bits, valueBytes, suffix, runsThreads, runsVectors, runsBlocks, runsKeys, runsStep, slowThreads, slowItems) \
  GS_SHARED(msd_indices_##bits##_##suffix, MsdLocal<u64, runsThreads, runsVectors, runsKeys, runsStep>::kRunsBytes) \
  GS_SHARED(msd_slowindices_##bits##_##suffix, \
            kMostOf<MsdLocal<u64, runsThreads, runsVectors, runsKeys, runsStep>::kRunsBytes, \
                    PassShared<PassGeometry<bits == 32 ? 64 : 8 * valueBytes, 0, slowThreads, slowItems, 1>>::kBytes, \
                    PassShared<PassGeometry<bits, valueBytes, slowThreads, slowItems, 1>>::kBytes>) \
  GS_GLOBAL __launch_bounds__(runsThreads, runsBlocks) gs_msd_indices_##bits##_##suffix( \
      const Word<bits / 8>::type* keys, u64* words, u64* spare, Word<valueBytes>::type* indices, const u32* starts, MsdState* state, \
      const MsdGroups* groups, u32* slow, u32 group, u32 bits1, u32 bits2, u32 codec, u32 indexBits) { \
    awaitPrevious(); \
    typedef MsdLocal<u64, runsThreads, runsVectors, runsKeys, runsStep> L; \
    const WordOrder<Word<bits / 8>::type> order = {keys, codec, indexBits}; \
    msdIndices<L>(order, MsdRoom{words, spare}, indices, starts, state, groups, slow, group, bits1, bits2); \
  } \
  GS_GLOBAL __launch_bounds__(slowThreads) gs_msd_slowindices_##bits##_##suffix( \
      const Word<bits / 8>::type* keys, u64* words, u64* spare, Word<valueBytes>::type* indices, const u32* starts, \
      const MsdState* state, const MsdGroups* groups, const u32* slow, u32 group, u32 bits2, u32 codec, u32 indexBits, \
      u32 placeBits) { \
    awaitPrevious(); \
    typedef MsdLocal<u64, runsThreads, runsVectors, runsKeys, runsStep> L; \
    /* Digits of whole words for 32-bit keys, of places for 64-bit keys. */ \
    typedef PassGeometry<bits == 32 ? 64 : 8 * valueBytes, 0, slowThreads, slowItems, 1> GSingle; \
    typedef PassGeometry<bits, valueBytes, slowThreads, slowItems, 1> GPairs; \
    const WordOrder<Word<bits / 8>::type> order = {keys, codec, indexBits}; \
    msdSlowIndices<L, GSingle, GPairs>(order, MsdRoom{words, spare}, indices, starts, state, groups, slow, group, bits2, placeBits); \
  }

#define GS_PACK(bits, threads1, items1, blocks1) \
  GS_SHARED(msd_pack_##bits##_keys, MsdSplit<u64, threads1, items1, false>::kBytes) \
  GS_GLOBAL __launch_bounds__(threads1, blocks1) gs_msd_pack_##bits##_keys( \
      const Word<bits / 8>::type* keys, u64* words, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec, u32 indexBits) { \
    awaitPrevious(); \
    msdPack<MsdSplit<u64, threads1, items1, false>>(keys, words, n, cursors, state, bits1, codec, indexBits); \
  }

// Lower halves of 64-bit keys: the geometry is that of 32-bit keys but for the
// first split, whose registers hold whole keys.
#define GS_WORDS_32(threads1, items1, blocks1, threads2, items2, blocks2, runsThreads, runsVectors, runsBlocks, runsKeys, runsStep, slowThreads, slowItems) \
  GS_SHARED(msd_narrowsecond, MsdSplit<u32, threads2, items2, true>::kBytes) \
  GS_SHARED(msd_widen, MsdLocal<u32, runsThreads, runsVectors, runsKeys, runsStep>::kRunsBytes) \
  GS_SHARED(msd_slowwiden, PassShared<PassGeometry<32, 0, slowThreads, slowItems, 1>>::kBytes) \
  GS_GLOBAL __launch_bounds__(threads2, blocks2) gs_msd_narrowsecond( \
      const u32* in, u32* out, u32* cursors, const uint4* tiles, const MsdState* state, u32 bits1, u32 bits2) { \
    awaitPrevious(); \
    msdNarrowSecond<MsdSplit<u32, threads2, items2, true>>(in, out, cursors, tiles, state, bits1, bits2); \
  } \
  GS_GLOBAL __launch_bounds__(runsThreads, runsBlocks) \
      gs_msd_widen(const u32* in, u64* keys, const u32* starts, MsdState* state, u32* slow, u32 bits, u32 codec) { \
    awaitPrevious(); \
    msdWiden<MsdLocal<u32, runsThreads, runsVectors, runsKeys, runsStep>>(in, keys, starts, state, slow, bits, codec); \
  } \
  GS_GLOBAL __launch_bounds__(slowThreads) \
      gs_msd_slowwiden(u32* in, u64* keys, const u32* starts, const MsdState* state, const u32* slow, u32 codec) { \
    awaitPrevious(); \
    msdSlowWiden<PassGeometry<32, 0, slowThreads, slowItems, 1>>(in, keys, starts, state, slow, codec); \
  }
#define GS_WORDS_64(threads1, items1, blocks1, threads2, items2, blocks2, ...) \
  GS_SHARED(msd_narrowfirst, MsdSplit<u32, threads1, items1, false>::kBytes) \
  GS_SHARED(msd_group, MsdSplit<u64, threads2, items2, true>::kBytes) \
  GS_PACK(32, threads1, items1, blocks1) \
  GS_PACK(64, threads1, items1, blocks1) \
  GS_GLOBAL __launch_bounds__(threads1, blocks1) \
      gs_msd_narrowfirst(const u64* keys, u32* out, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec) { \
    awaitPrevious(); \
    msdNarrowFirst<MsdSplit<u32, threads1, items1, false>>(keys, out, n, cursors, state, bits1, codec); \
  } \
  GS_GLOBAL __launch_bounds__(threads2, blocks2) gs_msd_group( \
      u64* words, u64* spare, u32* cursors, const uint4* tiles, const MsdState* state, const MsdGroups* groups, u32 group, u32 bits1, \
      u32 bits2) { \
    awaitPrevious(); \
    msdGroup<MsdSplit<u64, threads2, items2, true>>(MsdRoom{words, spare}, cursors, tiles, state, groups, group, bits1, bits2); \
  } \
  GS_INDICES(32, 4, pairs32, __VA_ARGS__) \
  GS_INDICES(32, 8, pairs64, __VA_ARGS__) \
  GS_INDICES(64, 4, pairs32, __VA_ARGS__) \
  GS_INDICES(64, 8, pairs64, __VA_ARGS__)

#define GS_INSTANCE(bits, valueBytes, suffix, threads1, items1, blocks1, threads2, items2, blocks2, halvesThreads, halvesVectors, \
                    halvesBlocks, halvesKeys, halvesStep, runsThreads, runsVectors, runsBlocks, runsKeys, runsStep, slowThreads, \
                    slowItems, mean, least) \
  GS_SHARED(msd_first_##bits##_keys, MsdSplit<Word<bits / 8>::type, threads1, items1, false>::kBytes) \
  GS_SHARED(msd_second_##bits##_keys, MsdSplit<Word<bits / 8>::type, threads2, items2, true>::kBytes) \
  GS_SHARED(msd_runs_##bits##_keys, MsdLocal<Word<bits / 8>::type, runsThreads, runsVectors, runsKeys, runsStep>::kRunsBytes)\
  GS_SHARED(msd_slow_##bits##_keys, PassShared<PassGeometry<bits, 0, slowThreads, kSlowMost / slowThreads, 1>>::kBytes)\
  GS_GLOBAL __launch_bounds__(kSampleThreads, 1) gs_msd_sample_##bits##_keys( \
      const Word<bits / 8>::type* keys, u32 n, MsdState* state, MsdFew* few, u32 digitBits, u32 leastSame, u32 codec, \
      u32 digits, u32 head, u32 all, u32 whole, const u32* outer) { \
    awaitPrevious(); \
    msdSample<Word<bits / 8>::type>(keys, n, state, few, digitBits, leastSame, codec, digits, head, all, whole, outer); \
  } \
  GS_GLOBAL __launch_bounds__(kSampleThreads, 1) gs_msd_probe_##bits##_keys( \
      const Word<bits / 8>::type* keys, u32 n, MsdState* state, MsdFew* few, u32 digitBits, u32 leastSame, u32 mostMeetings, \
      u32 codec, u32 large, u32 digits, u32 lower, u32 head, u32 all, u32 whole, const u32* outer) { \
    awaitPrevious(); \
    msdProbe<Word<bits / 8>::type>(keys, n, state, few, digitBits, leastSame, mostMeetings, codec, large, digits, lower, head, all, \
                                     whole, outer); \
  } \
  GS_GLOBAL __launch_bounds__(kHistogramThreads, 1) gs_msd_histogram_##bits##_keys( \
      const Word<bits / 8>::type* keys, u32 n, MsdState* state, u32* counts, u32 digitBits, u32 codec) { \
    awaitPrevious(); \
    msdHistogram<Word<bits / 8>::type>(keys, n, state, counts, digitBits, codec); \
  } \
  GS_GLOBAL __launch_bounds__(threads1, blocks1) gs_msd_first_##bits##_keys( \
      const Word<bits / 8>::type* keys, Word<bits / 8>::type* alt, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec) { \
    awaitPrevious(); \
    msdFirst<MsdSplit<Word<bits / 8>::type, threads1, items1, false>>(keys, alt, n, cursors, state, bits1, codec); \
  } \
  GS_GLOBAL __launch_bounds__(threads2, blocks2) \
      gs_msd_second_##bits##_keys(const Word<bits / 8>::type* alt, Word<bits / 8>::type* keys, u32* cursors, const uint4* tiles, \
                                  const MsdState* state, u32 bits1, u32 bits2) { \
    awaitPrevious(); \
    msdSecond<MsdSplit<Word<bits / 8>::type, threads2, items2, true>>(alt, keys, cursors, tiles, state, bits1, bits2); \
  } \
  GS_HALVES_##bits(halvesThreads, halvesVectors, halvesBlocks, halvesKeys, halvesStep) \
  GS_GLOBAL __launch_bounds__(runsThreads, runsBlocks) gs_msd_runs_##bits##_keys( \
      Word<bits / 8>::type* keys, const u32* starts, MsdState* state, u32* slow, u32 digitBits, u32 codec) { \
    awaitPrevious(); \
    msdRuns<MsdLocal<Word<bits / 8>::type, runsThreads, runsVectors, runsKeys, runsStep>>(keys, starts, state, slow, digitBits, codec); \
  } \
  GS_GLOBAL __launch_bounds__(slowThreads, bits == 32 ? 3 : 2) \
      gs_msd_slow_##bits##_keys(Word<bits / 8>::type* keys, const u32* starts, const MsdState* state, const u32* slow, u32 codec) { \
    awaitPrevious(); \
    msdSlow<PassGeometry<bits, 0, slowThreads, kSlowMost / slowThreads, 1>>(keys, starts, state, slow, codec); \
    static_assert(slowThreads * slowItems >= runsKeys && slowThreads * slowItems >= halvesKeys, "every part of msdLarge fits"); \
  } \
  GS_LARGE(bits, runsThreads, runsVectors, runsKeys, runsStep, slowThreads, slowItems) \
  GS_WORDS_##bits(threads1, items1, blocks1, threads2, items2, blocks2, runsThreads, runsVectors, runsBlocks, runsKeys, runsStep, \
                    slowThreads, slowItems)

GS_MSD_POLICIES(GS_INSTANCE)

// Behind the gate. Grid: 1. controls: two, the first filled by onesweep's histogram; their
// passes out.
GS_GLOBAL __launch_bounds__(kReplanThreads) gs_msd_replanupper(Control* controls, const MsdState* state, u32 n) {
  awaitPrevious();
  msdReplanUpper(controls, state, n);
}
// gate: see block/control.cuh. controls: three.
GS_GLOBAL __launch_bounds__(kReplanThreads) gs_msd_replanwide(Control* controls, const u32* gate, u64 n) {
  awaitPrevious();
  msdReplanWide(controls, gate, n);
}

GS_GLOBAL gs_msd_policy(u64* hash) {
  awaitPrevious();
  *hash = GS_MSD_POLICY_HASH;
}
