// Module msdpairs: stable MSD radix sort of pairs, two splits by up to 8 bits and
// one sort per bucket in shared memory. Launches, in order: sample, histogram and scan
// of module msd, prepare, split, split, bucket, slow. What prepare finds unsuitable
// is left untouched for the gated steps of module onesweep, whose gate is
// MsdState.route. internal/algo/msd plans them; geometry comes from the policy
// table.
#include "block/pairs_bucket.cuh"
#include "block/pairs_prepare.cuh"
#include "block/pairs_split.cuh"
#include "policy/zmsdpairs.cuh"
#include "warp/overlap.cuh"

using namespace gs;

// Grid: 1 << bits1. starts and state in; route, finish and tiles out.
GS_GLOBAL __launch_bounds__(256) gs_msdpairs_prepare(const u32* starts, MsdState* state, Control* control,
                                                     PairsTile* tiles, u32 n, u32 bits1, u32 bits2, u32 tile,
                                                     u32 capacity) {
  awaitPrevious();
  pairsPrepare(starts, state, control, tiles, n, bits1, bits2, tile, capacity);
}

// tickets is one of MsdState.take: 0 for the first split, 1 for the second.
#define GS_PAIRS(bits, valueBytes, suffix, threads, items, blocks, window, bucketThreads, bucketItems, bucketBlocks, \
                 bucketStep, slowThreads, slowItems, mean, least) \
  typedef Skewed<PassGeometry<bits, valueBytes, threads, items, window>> Split##bits##suffix; \
  typedef PairsBucket<WordOf<bits>, Word<valueBytes>::type, bucketThreads, bucketItems, \
      bucketStep> Bucket##bits##suffix; \
  typedef PassGeometry<bits, valueBytes, slowThreads, slowItems, 1> Slow##bits##suffix; \
  static_assert(Slow##bits##suffix::kTile >= Bucket##bits##suffix::kSlots, "every bucket fits"); \
  GS_SHARED(msdpairs_split_##bits##_##suffix, SplitShared<Split##bits##suffix>::kBytes) \
  GS_SHARED(msdpairs_bucket_##bits##_##suffix, Bucket##bits##suffix::kBytes) \
  GS_SHARED(msdpairs_slow_##bits##_##suffix, PassShared<Slow##bits##suffix>::kBytes) \
  GS_GLOBAL __launch_bounds__(threads, blocks) gs_msdpairs_split_##bits##_##suffix( \
      const void* keysIn, const void* valuesIn, void* keysOut, void* valuesOut, const u32* starts, \
      const PairsTile* tiles, u32* words, MsdState* state, u32 n, u32 digitBits, u32 bitsFrom, u32 spread, \
      u32 codec) { \
    awaitPrevious(); \
    splitPairs<Split##bits##suffix>({keysIn, valuesIn, keysOut, valuesOut, starts, tiles, words, \
                                     &state->tickets[bitsFrom != 0], state, n, digitBits, bitsFrom, spread, codec}); \
  } \
  GS_GLOBAL __launch_bounds__(bucketThreads, bucketBlocks) gs_msdpairs_bucket_##bits##_##suffix( \
      WordOf<bits>* keys, Word<valueBytes>::type* values, const u32* starts, MsdState* state, u32* slow, \
      u32 digitBits, u32 codec) { \
    awaitPrevious(); \
    pairsBucket<Bucket##bits##suffix>(keys, values, starts, state, slow, digitBits, codec); \
  } \
  GS_GLOBAL __launch_bounds__(slowThreads) gs_msdpairs_slow_##bits##_##suffix( \
      WordOf<bits>* keys, Word<valueBytes>::type* values, const u32* starts, const MsdState* state, const u32* slow, \
      u32 codec) { \
    awaitPrevious(); \
    pairsSlow<Slow##bits##suffix>(keys, values, starts, state, slow, codec); \
  }

GS_MSDPAIRS_POLICIES(GS_PAIRS)

GS_GLOBAL gs_msdpairs_policy(u64* hash) {
  awaitPrevious();
  *hash = GS_MSDPAIRS_POLICY_HASH;
}
