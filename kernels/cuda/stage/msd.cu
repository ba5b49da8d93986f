// Module msd: MSD radix sort, two splits by up to 8 bits and one sort per bucket
// in shared memory. Launches for keys alone, in order: sample, histogram, scan,
// prepare, first, second, then halves (32-bit keys of which 16 bits are left) or runs,
// then slow, then few (sm_90 only), which sorts if the sample has found few different keys. What sample or prepare
// finds unsuitable is left untouched for the gated steps of module onesweep, whose gate is
// MsdState.route.
//
// For argsort: sample, histogram, scan, prepare, pack, then for each group of parts
// group, indices and slowindices; few. Behind the gate: replanupper or
// replanwide before passes of onesweep.
// internal/algo/msd plans them; geometry comes from the policy table.
#include "block/msd_count.cuh"
#include "block/msd_local.cuh"
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
    gs_msd_prepare(const u32* starts, MsdState* state, Control* control, u32* cursors1, u32* cursors2, uint4* tiles,
                   MsdGroups* groups, u32 n, u32 bits1, u32 bits2, u32 tile, u32 capacity, u32 parts) {
  awaitPrevious();
  msdPrepare(starts, state, control, cursors1, cursors2, tiles, groups, n, bits1, bits2, tile, capacity, parts);
}

// Few different keys: see FewArgs.
#if defined(GS_TARGET_SM_90)
#include "block/msd_few_sort.cuh"
#define GS_FEW(bits) \
  GS_GLOBAL __launch_bounds__(kFewThreads, kFewBlocks) \
      gs_msd_few_##bits##_keys(WordOf<bits>* keys, MsdFew* few, MsdState* state, u32 n, u8* ranks, const u32* values, \
                               u32* copy, u64 valueWords, Control* control) { \
    awaitPrevious(); \
    msdFew<WordOf<bits>>({keys, few, state, n, ranks, values, copy, valueWords, control}); \
  }
GS_FEW(32)
GS_FEW(64)
#endif

#define GS_HALVES_64(threads, vectors, blocks, keys, step)
#define GS_HALVES_32(threads, vectors, blocks, keysMax, step) \
  GS_SHARED(msd_halves_32_keys, MsdLocal<u32, threads, vectors, keysMax, step>::kHalvesBytes) \
  GS_GLOBAL __launch_bounds__(threads, blocks) \
      gs_msd_halves_32_keys(u32* keys, const u32* starts, MsdState* state, u32* slow, u32 codec, u32 each) { \
    awaitPrevious(); \
    eachBucket(state, each, [&](u32 b) { \
      msdHalves<MsdLocal<u32, threads, vectors, keysMax, step>>(keys, starts, state, slow, codec, b); \
    }); \
  }

// Argsort of keys of `bits` with indices of valueBytes, by words of 64 bits: the
// geometry is that of 64-bit keys.
#define GS_INDICES(bits, valueBytes, suffix, runsThreads, runsVectors, runsBlocks, runsKeys, runsStep, slowThreads, \
                   slowItems) \
  typedef MsdLocal<u64, runsThreads, runsVectors, runsKeys, runsStep> Local##bits##suffix; \
  /* Digits of whole words for 32-bit keys, of places for 64-bit keys. */ \
  typedef PassGeometry<bits == 32 ? 64 : 8 * valueBytes, 0, slowThreads, slowItems, 1> Single##bits##suffix; \
  typedef PassGeometry<bits, valueBytes, slowThreads, slowItems, 1> Pairs##bits##suffix; \
  GS_SHARED(msd_indices_##bits##_##suffix, Local##bits##suffix::kRunsBytes) \
  GS_SHARED(msd_slowindices_##bits##_##suffix, \
            kMostOf<Local##bits##suffix::kRunsBytes, PassShared<Single##bits##suffix>::kBytes, \
                    PassShared<Pairs##bits##suffix>::kBytes>) \
  GS_GLOBAL __launch_bounds__(runsThreads, runsBlocks) gs_msd_indices_##bits##_##suffix( \
      const WordOf<bits>* keys, u64* words, u64* spare, Word<valueBytes>::type* indices, const u32* starts, \
      MsdState* state, const MsdGroups* groups, u32* slow, u32 group, u32 bits1, u32 bits2, u32 codec, \
      u32 indexBits) { \
    awaitPrevious(); \
    const WordOrder<WordOf<bits>> order = {keys, codec, indexBits}; \
    msdIndices<Local##bits##suffix>(order, {words, spare}, indices, starts, state, groups, slow, group, bits1, bits2); \
  } \
  GS_GLOBAL __launch_bounds__(slowThreads) gs_msd_slowindices_##bits##_##suffix( \
      const WordOf<bits>* keys, u64* words, u64* spare, Word<valueBytes>::type* indices, const u32* starts, \
      const MsdState* state, const MsdGroups* groups, const u32* slow, u32 group, u32 bits2, u32 codec, u32 indexBits, \
      u32 placeBits) { \
    awaitPrevious(); \
    const WordOrder<WordOf<bits>> order = {keys, codec, indexBits}; \
    msdSlowIndices<Local##bits##suffix, Single##bits##suffix, Pairs##bits##suffix>( \
        order, {words, spare}, indices, starts, state, groups, slow, group, bits2, placeBits); \
  }

#define GS_PACK(bits, threads1, items1, blocks1) \
  GS_SHARED(msd_pack_##bits##_keys, MsdSplit<u64, threads1, items1, false>::kBytes) \
  GS_GLOBAL __launch_bounds__(threads1, blocks1) gs_msd_pack_##bits##_keys( \
      const WordOf<bits>* keys, u64* words, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec, \
      u32 indexBits) { \
    awaitPrevious(); \
    msdPack<MsdSplit<u64, threads1, items1, false>>(keys, words, n, cursors, state, bits1, codec, indexBits); \
  }

// Words of argsort have the geometry of 64-bit keys.
#define GS_WORDS_32(...)
#define GS_WORDS_64(threads1, items1, blocks1, threads2, items2, blocks2, ...) \
  GS_SHARED(msd_group, MsdSplit<u64, threads2, items2, true>::kBytes) \
  GS_PACK(32, threads1, items1, blocks1) \
  GS_PACK(64, threads1, items1, blocks1) \
  GS_GLOBAL __launch_bounds__(threads2, blocks2) gs_msd_group( \
      u64* words, u64* spare, u32* cursors, const uint4* tiles, const MsdState* state, const MsdGroups* groups, \
      u32 group, u32 bits1, u32 bits2) { \
    awaitPrevious(); \
    msdGroup<MsdSplit<u64, threads2, items2, true>>({words, spare}, cursors, tiles, state, groups, group, bits1, \
                                                    bits2); \
  } \
  GS_INDICES(32, 4, pairs32, __VA_ARGS__) \
  GS_INDICES(32, 8, pairs64, __VA_ARGS__) \
  GS_INDICES(64, 4, pairs32, __VA_ARGS__) \
  GS_INDICES(64, 8, pairs64, __VA_ARGS__)

#define GS_INSTANCE(bits, valueBytes, suffix, threads1, items1, blocks1, threads2, items2, blocks2, halvesThreads, \
                    halvesVectors, halvesBlocks, halvesKeys, halvesStep, runsThreads, runsVectors, runsBlocks, \
                    runsKeys, runsStep, slowThreads, slowItems, mean, least) \
  GS_SHARED(msd_first_##bits##_keys, MsdSplit<WordOf<bits>, threads1, items1, false>::kBytes) \
  GS_SHARED(msd_second_##bits##_keys, MsdSplit<WordOf<bits>, threads2, items2, true>::kBytes) \
  GS_SHARED(msd_runs_##bits##_keys, MsdLocal<WordOf<bits>, runsThreads, runsVectors, runsKeys, runsStep>::kRunsBytes)\
  GS_SHARED(msd_slow_##bits##_keys, PassShared<PassGeometry<bits, 0, slowThreads, kSlowMost / slowThreads, 1>>::kBytes)\
  GS_GLOBAL __launch_bounds__(kSampleThreads, 1) gs_msd_sample_##bits##_keys( \
      const WordOf<bits>* keys, u32 n, MsdState* state, MsdFew* few, u32 digitBits, u32 leastSame, u32 mostMeetings, \
      u32 codec, u32 digits, u32 head, u32 all, u32 whole, const u32* outer) { \
    awaitPrevious(); \
    msdSample<WordOf<bits>>(keys, n, state, few, digitBits, leastSame, mostMeetings, codec, digits, head, all, whole, \
                            outer); \
  } \
  GS_GLOBAL __launch_bounds__(kHistogramThreads, 1) gs_msd_histogram_##bits##_keys( \
      const WordOf<bits>* keys, u32 n, MsdState* state, u32* counts, u32 digitBits, u32 codec) { \
    awaitPrevious(); \
    msdHistogram<WordOf<bits>>(keys, n, state, counts, digitBits, codec); \
  } \
  GS_GLOBAL __launch_bounds__(threads1, blocks1) gs_msd_first_##bits##_keys( \
      const WordOf<bits>* keys, WordOf<bits>* alt, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec) { \
    awaitPrevious(); \
    msdFirst<MsdSplit<WordOf<bits>, threads1, items1, false>>(keys, alt, n, cursors, state, bits1, codec); \
  } \
  GS_GLOBAL __launch_bounds__(threads2, blocks2) \
      gs_msd_second_##bits##_keys(const WordOf<bits>* alt, WordOf<bits>* keys, u32* cursors, const uint4* tiles, \
                                  const MsdState* state, u32 bits1, u32 bits2) { \
    awaitPrevious(); \
    msdSecond<MsdSplit<WordOf<bits>, threads2, items2, true>>(alt, keys, cursors, tiles, state, bits1, bits2); \
  } \
  GS_HALVES_##bits(halvesThreads, halvesVectors, halvesBlocks, halvesKeys, halvesStep) \
  GS_GLOBAL __launch_bounds__(runsThreads, runsBlocks) gs_msd_runs_##bits##_keys( \
      WordOf<bits>* keys, const u32* starts, MsdState* state, u32* slow, u32 digitBits, u32 codec, u32 each) { \
    awaitPrevious(); \
    eachBucket(state, each, [&](u32 b) { \
      msdRuns<MsdLocal<WordOf<bits>, runsThreads, runsVectors, runsKeys, runsStep>>(keys, starts, state, slow, \
          digitBits, codec, b); \
    }); \
  } \
  GS_GLOBAL __launch_bounds__(slowThreads, bits == 32 ? 3 : 2) \
      gs_msd_slow_##bits##_keys(WordOf<bits>* keys, const u32* starts, const MsdState* state, const u32* slow, \
                                u32 codec) { \
    awaitPrevious(); \
    msdSlow<PassGeometry<bits, 0, slowThreads, kSlowMost / slowThreads, 1>>(keys, starts, state, slow, codec); \
  } \
  GS_WORDS_##bits(threads1, items1, blocks1, threads2, items2, blocks2, runsThreads, runsVectors, runsBlocks, \
                  runsKeys, runsStep, slowThreads, slowItems) \

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
