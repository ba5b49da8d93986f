// Module counting: counting sorts of keys alone. counting: count, a prefix sum
// (module scan), fill. counting-range: range, route, clear, count, tally,
// gather, rank, a prefix sum, fill, and behind them a gated radix sort for what
// cannot be counted. internal/algo/counting plans them. Launches take their
// geometry as it comes; the policy table holds the default.
#include "block/counting_count.cuh"
#include "block/counting_fill.cuh"
#include "block/counting_range.cuh"
#include "block/counting_tally.cuh"
#include "policy/zcounting.cuh"

using namespace gs;

#define GS_INSTANCE(bits, valueBytes, suffix, threads, blocks, fillThreads, fillBlocks) \
  GS_GLOBAL __launch_bounds__(1024, 1) gs_counting_count_##bits##_keys( \
      const WordOf<bits>* keys, u64 n, CountingState* state, u32* counts, u64 lo, u32 bins, u32 codec, u32 useState, \
      u32 sharedBytes) { \
    countShared<WordOf<bits>>(keys, n, state, counts, lo, bins, codec, useState, sharedBytes); \
  } \
  GS_GLOBAL __launch_bounds__(1024, 1) \
      gs_counting_fill_##bits##_keys(WordOf<bits>* keys, u64 n, const CountingState* state, const u32* starts, \
                                     const u64* encodedKeys, u64 lo, u32 bins, u32 codec, u32 useState) { \
    fillRuns<WordOf<bits>>(keys, n, state, starts, encodedKeys, lo, bins, codec, useState); \
  } \
  GS_GLOBAL __launch_bounds__(1024, 1) \
      gs_counting_range_##bits##_keys(const WordOf<bits>* keys, u64 n, CountingState* state, u32 codec) { \
    findRange<WordOf<bits>>(keys, n, state, codec); \
  } \
  GS_GLOBAL __launch_bounds__(1024, 1) gs_counting_tally_##bits##_keys( \
      const WordOf<bits>* keys, u64 n, CountingState* state, u32* counts, DistinctTable* table, u32 codec) { \
    tally<WordOf<bits>>(keys, n, state, counts, table, codec); \
  } \
  GS_GLOBAL __launch_bounds__(256) gs_counting_gather_##bits##_keys( \
      const WordOf<bits>* keys, CountingState* state, const DistinctTable* table, u64* encodedKeys, u32* tallies, \
      u32 codec) { \
    gatherDistinct<WordOf<bits>>(keys, state, table, encodedKeys, tallies, codec); \
  }

GS_COUNTING_POLICIES(GS_INSTANCE)

// Grid: 1, of one thread.
GS_GLOBAL gs_counting_route(CountingState* state, u32 sharedCounters, u32 globalCounters) {
  chooseRoute(state, sharedCounters, globalCounters);
}

// Grid: any.
GS_GLOBAL __launch_bounds__(1024, 1)
    gs_counting_clear(const CountingState* state, u32* counts) { clearCounters(state, counts); }

// Grid: kMaxDistinct over 256.
GS_GLOBAL __launch_bounds__(256)
    gs_counting_rank(const CountingState* state, const u64* encodedKeys, const u32* tallies, u64* sorted, u32* counts) {
  rankDistinct(state, encodedKeys, tallies, sorted, counts);
}

GS_GLOBAL gs_counting_policy(u64* hash) { *hash = GS_COUNTING_POLICY_HASH; }
