// Module lsd: LSD radix sort by reduce-then-scan (Merrill and Grimshaw 2011),
// for devices without forward progress. No block waits for another. Launches,
// in order: analyze, then per digit upsweep, scan, downsweep, then finish; or
// small alone; argsort of wide keys has a split before each half's passes.
// internal/algo/lsd plans them; the arguments are those of kernels/opencl.
#include "block/lsd_move.cuh"
#include "block/lsd_sweep.cuh"
#include "block/small.cuh"
#include "policy/zlsd.cuh"

using namespace gs;

constexpr int kScanThreads = 256;
GS_CONSTANT(LsdScanThreads, kScanThreads)
GS_GLOBAL __launch_bounds__(kScanThreads) gs_lsd_scan(const u32* ctl, u64* counters, u64* totals, u32 columns, u32 pass, u32 mode) {
  lsdScan<kScanThreads>(ctl, counters, totals, columns, pass, mode);
}

// The stages that see keys alone: one instance per key width.
#define GS_SWEEPS_keys(bits, threads, unroll, units) \
  GS_GLOBAL __launch_bounds__(threads) \
      gs_lsd_analyze_##bits##_keys(const Word<bits / 8>::type* keys, u32* ctl, u64 n, u32 codec, u32 tile) { \
    lsdAnalyze<Word<bits / 8>::type, threads, unroll>(keys, ctl, n, codec, tile); \
  } \
  GS_GLOBAL __launch_bounds__(threads, units) \
      gs_lsd_upsweep_##bits##_keys(Word<bits / 8>::type* keys, Word<bits / 8>::type* alt, const u32* ctl, u64* counters, u64 n, \
                                   u32 pass, u32 codec, u32 mode, u32 tile) { \
    lsdUpsweep<Word<bits / 8>::type, threads, unroll>(keys, alt, ctl, counters, n, pass, codec, mode, tile); \
  }
#define GS_SWEEPS_pairs32(bits, threads, unroll, units)
#define GS_SWEEPS_pairs64(bits, threads, unroll, units)

// Kernels of keys alone have no value parameters.
#define GS_VALUE_PARAMS_keys
#define GS_VALUE_PARAMS_pairs32 void *values, void *altValues,
#define GS_VALUE_PARAMS_pairs64 GS_VALUE_PARAMS_pairs32
#define GS_VALUES_keys nullptr
#define GS_VALUES_pairs32 values
#define GS_VALUES_pairs64 values
#define GS_ALT_VALUES_keys nullptr
#define GS_ALT_VALUES_pairs32 altValues
#define GS_ALT_VALUES_pairs64 altValues

#define GS_SPLIT(bits, half, valueBytes, suffix, threads) \
  GS_GLOBAL __launch_bounds__(threads) \
      gs_lsd_split_##bits##_##suffix(const Word<bits / 8>::type* keys, Word<half / 8>::type* halves, \
                                     Word<valueBytes>::type* values, const u32* ctl, u32* halfCtl, u64 n, u32 codec, u32 high) { \
    lsdSplit(keys, halves, values, ctl, halfCtl, n, codec, high); \
  }
#define GS_SPLIT_8_keys(threads)
#define GS_SPLIT_8_pairs32(threads)
#define GS_SPLIT_8_pairs64(threads)
#define GS_SPLIT_16_keys(threads)
#define GS_SPLIT_16_pairs32(threads)
#define GS_SPLIT_16_pairs64(threads)
#define GS_SPLIT_32_keys(threads)
#define GS_SPLIT_32_pairs32(threads) GS_SPLIT(32, 16, 4, pairs32, threads)
#define GS_SPLIT_32_pairs64(threads) GS_SPLIT(32, 16, 8, pairs64, threads)
#define GS_SPLIT_64_keys(threads)
#define GS_SPLIT_64_pairs32(threads) GS_SPLIT(64, 32, 4, pairs32, threads)
#define GS_SPLIT_64_pairs64(threads) GS_SPLIT(64, 32, 8, pairs64, threads)

#define GS_INSTANCE(bits, valueBytes, suffix, threads, items, unroll, units, smallest) \
  GS_SHARED(lsd_downsweep_##bits##_##suffix, PassShared<PassGeometry<bits, valueBytes, threads, items, 1>>::kBytes) \
  GS_SHARED(lsd_small_##bits##_##suffix, PassShared<PassGeometry<bits, valueBytes, threads, items, 1>>::kBytes) \
  GS_SWEEPS_##suffix(bits, threads, unroll, units) \
  GS_SPLIT_##bits##_##suffix(threads) \
  GS_GLOBAL __launch_bounds__(threads, units) gs_lsd_downsweep_##bits##_##suffix( \
      void* keys, void* alt, GS_VALUE_PARAMS_##suffix const u32* ctl, const u64* counters, const u64* totals, u64 n, u32 pass, \
      u32 codec, u32 mode, u32 tile) { \
    const LsdArgs a = {keys, alt, GS_VALUES_##suffix, GS_ALT_VALUES_##suffix, ctl, counters, totals, n, pass, codec, mode}; \
    lsdDownsweep<PassGeometry<bits, valueBytes, threads, items, 1>>(a); \
  } \
  GS_GLOBAL __launch_bounds__(threads) gs_lsd_finish_##bits##_##suffix( \
      void* keys, void* alt, GS_VALUE_PARAMS_##suffix const u32* ctl, u64 n, u32 mode) { \
    typedef PassGeometry<bits, valueBytes, threads, items, 1> G; \
    lsdFinish<G::Key, G::Value, G::kPairs>(keys, alt, GS_VALUES_##suffix, GS_ALT_VALUES_##suffix, ctl, n, mode); \
  } \
  GS_GLOBAL __launch_bounds__(threads) gs_lsd_small_##bits##_##suffix( \
      void* keys, void* alt0, void* alt1, GS_VALUE_PARAMS_##suffix u64 n, u32 codec, u32 mode) { \
    small<PassGeometry<bits, valueBytes, threads, items, 1>>(keys, GS_VALUES_##suffix, u32(n), codec, mode); \
  }

GS_LSD_POLICIES(GS_INSTANCE)

GS_GLOBAL gs_lsd_policy(u64* hash) { *hash = GS_LSD_POLICY_HASH; }
