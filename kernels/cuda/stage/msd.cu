// Module msd: MSD radix sort of keys alone, two splits by up to 8 bits and one
// sort per bucket in shared memory. Launches, in order: histogram, scan,
// prepare, first, second, then halves (32-bit keys of which 16 bits are left)
// or runs, then slow. What prepare finds unsuitable is left untouched for the
// gated steps of module onesweep, whose gate is MsdState.route.
// internal/algo/msd plans them; geometry comes from the policy table.
#include "block/msd_count.cuh"
#include "block/msd_local.cuh"
#include "block/msd_slow.cuh"
#include "block/msd_split.cuh"
#include "policy/zmsd.cuh"

using namespace gs;

// Grid: 1 << bits over 1,024. counts in; starts (one more) and state out.
extern "C" __global__ void __launch_bounds__(1024) gs_msd_scan(const u32* counts, u32* starts, MsdState* state) { msdScan(counts, starts, state); }

// Grid: 1 << bits1. starts and state in; route, finish, cursors and tiles out.
extern "C" __global__ void __launch_bounds__(256)
    gs_msd_prepare(const u32* starts, MsdState* state, Control* control, u32* cursors1, u32* cursors2, uint4* tiles, u32 n, u32 bits1, u32 bits2,
                   u32 tile, u32 capacity) {
  msdPrepare(starts, state, control, cursors1, cursors2, tiles, n, bits1, bits2, tile, capacity);
}

#define GS_HALVES_64(threads, vectors, blocks, keys, step)
#define GS_HALVES_32(threads, vectors, blocks, keysMax, step)                                                                       \
  extern "C" __global__ void __launch_bounds__(threads, blocks)                                                                     \
      gs_msd_halves_32_keys(u32* keys, const u32* starts, MsdState* state, u32* slow, u32 codec) {                                   \
    msdHalves<MsdLocal<u32, threads, vectors, keysMax, step>>(keys, starts, state, slow, codec);                                    \
  }

#define GS_INSTANCE(bits, valueBytes, suffix, threads1, items1, blocks1, threads2, items2, blocks2, halvesThreads, halvesVectors,     \
                    halvesBlocks, halvesKeys, halvesStep, runsThreads, runsVectors, runsBlocks, runsKeys, runsStep, slowThreads,      \
                    slowItems, mean, least)                                                                                         \
  extern "C" __global__ void __launch_bounds__(1024, 1) gs_msd_histogram_##bits##_keys(                                             \
      const Word<bits / 8>::type* keys, u32 n, MsdState* state, u32* counts, u32 digitBits, u32 codec) {                             \
    msdHistogram<Word<bits / 8>::type>(keys, n, state, counts, digitBits, codec);                                                   \
  }                                                                                                                                 \
  extern "C" __global__ void __launch_bounds__(threads1, blocks1) gs_msd_first_##bits##_keys(                                       \
      const Word<bits / 8>::type* keys, Word<bits / 8>::type* alt, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec) { \
    msdFirst<MsdSplit<Word<bits / 8>::type, threads1, items1, false>>(keys, alt, n, cursors, state, bits1, codec);                  \
  }                                                                                                                                 \
  extern "C" __global__ void __launch_bounds__(threads2, blocks2)                                                                   \
      gs_msd_second_##bits##_keys(const Word<bits / 8>::type* alt, Word<bits / 8>::type* keys, u32* cursors, const uint4* tiles,     \
                                  const MsdState* state, u32 bits1, u32 bits2) {                                                    \
    msdSecond<MsdSplit<Word<bits / 8>::type, threads2, items2, true>>(alt, keys, cursors, tiles, state, bits1, bits2);              \
  }                                                                                                                                 \
  GS_HALVES_##bits(halvesThreads, halvesVectors, halvesBlocks, halvesKeys, halvesStep)                                              \
  extern "C" __global__ void __launch_bounds__(runsThreads, runsBlocks) gs_msd_runs_##bits##_keys(                                  \
      Word<bits / 8>::type* keys, const u32* starts, MsdState* state, u32* slow, u32 digitBits, u32 codec) {                         \
    msdRuns<MsdLocal<Word<bits / 8>::type, runsThreads, runsVectors, runsKeys, runsStep>>(keys, starts, state, slow, digitBits, codec); \
  }                                                                                                                                 \
  extern "C" __global__ void __launch_bounds__(slowThreads)                                                                         \
      gs_msd_slow_##bits##_keys(Word<bits / 8>::type* keys, const u32* starts, const MsdState* state, const u32* slow, u32 codec) {  \
    msdSlow<PassGeometry<bits, 0, slowThreads, slowItems, 1>>(keys, starts, state, slow, codec);                                    \
    static_assert(slowThreads * slowItems >= runsKeys && slowThreads * slowItems >= halvesKeys, "every bucket fits");               \
  }

GS_MSD_POLICIES(GS_INSTANCE)

extern "C" __global__ void gs_msd_policy(u64* hash) { *hash = GS_MSD_POLICY_HASH; }
