// Module onesweep: LSD radix sort with decoupled look-back. Launches, in order:
// clear, bounds (of 32- and 64-bit keys), histogram (histogramwide of large inputs, sm_90 only), then per digit and
// portion a pass, then finish; or small alone.
// internal/algo/onesweep plans them. Instances come from the policy table.
// Behind a gate (block/control.cuh): bounds, histogram, then sweep (sm_90 only), or per
// digit clear and a pass, then finish.
#include "block/finish.cuh"
#include "block/histogram.cuh"
#include "block/pass.cuh"
#include "block/small.cuh"
#include "policy/zonesweep.cuh"
#include "warp/overlap.cuh"

using namespace gs;

// The histogram needs no values: one instance per key width.
#define GS_HISTOGRAM_keys(bits, threads, blocks) \
  GS_GLOBAL __launch_bounds__(threads, blocks) \
      gs_onesweep_histogram_##bits##_keys(const WordOf<bits>* keys, u64 n, Control* control, u32 codec, u32 mode, \
                                          const u32* gate) { \
    awaitPrevious(); \
    histogram<WordOf<bits>, threads>(keys, n, control, codec, mode, gate); \
  }
#define GS_HISTOGRAM_pairs32(bits, threads, blocks)
#define GS_HISTOGRAM_pairs64(bits, threads, blocks)

#define GS_BOUNDS(bits) \
  GS_GLOBAL __launch_bounds__(kBoundsThreads, 2) \
      gs_onesweep_bounds_##bits##_keys(const WordOf<bits>* keys, u64 n, Control* control, u32 codec, u32 mode, \
                                       const u32* gate) { \
    awaitPrevious(); \
    bounds<WordOf<bits>>(keys, n, control, codec, mode, gate); \
  }
GS_BOUNDS(32)
GS_BOUNDS(64)

// Two stages are passes: pass, and upper, of an argsort of 32- or 64-bit keys that may write their upper halves, with
// places of 4 or 8 bytes and the geometry of sweep.
#define GS_PASS(stage, Geometry, bits, valueBytes, suffix, threads, items, blocks, window) \
  GS_SHARED(onesweep_##stage##_##bits##_##suffix, \
            PassShared<Skewed<Geometry<bits, valueBytes, threads, items, window>>>::kBytes) \
  GS_GLOBAL __launch_bounds__(threads, blocks) gs_onesweep_##stage##_##bits##_##suffix( \
      void* keysIO, void* keysA, void* keysB, void* valuesIO, void* valuesA, Control* control, u32* words, u64 n, \
      u32 digit, u32 portion, u32 firstTile, u32 tiles, u32 firstTicket, u32 codec, u32 stall) { \
    awaitPrevious(); \
    const PassArgs a = {keysIO, keysA,   keysB,     valuesIO, valuesA,     control, words, n, \
                        digit,  portion, firstTile, tiles,    firstTicket, codec,   stall}; \
    pass<Skewed<Geometry<bits, valueBytes, threads, items, window>>>(a); \
  }
#define GS_UPPER_keys(...)
#define GS_UPPER_pairs32(bits, ...) GS_UPPER_##bits(bits, __VA_ARGS__)
#define GS_UPPER_pairs64(bits, ...) GS_UPPER_##bits(bits, __VA_ARGS__)
#define GS_UPPER_8(...)
#define GS_UPPER_16(...)
#define GS_UPPER_32(...) GS_PASS(upper, UpperGeometry, __VA_ARGS__)
#define GS_UPPER_64(...) GS_PASS(upper, UpperGeometry, __VA_ARGS__)

// Other algorithms fall back on sorts of 32- and 64-bit keys.
#if defined(GS_TARGET_SM_90)
#include "block/histogram_wide.cuh"
#include "block/sweep.cuh"
#define GS_SWEEP(bits, valueBytes, suffix, threads, items, blocks, window) \
  GS_SHARED(onesweep_sweep_##bits##_##suffix, \
            PassShared<Skewed<PassGeometry<bits, valueBytes, threads, items, window>>>::kBytes) \
  GS_GLOBAL __launch_bounds__(threads, blocks) gs_onesweep_sweep_##bits##_##suffix( \
      void* keysIO, void* keysA, void* valuesIO, void* valuesA, Control* control, u32* words, u64 n, u32 tiles, \
      u32 codec, const u32* gate, u32 sets) { \
    awaitPrevious(); \
    const PassArgs a = {keysIO, keysA, keysA, valuesIO, valuesA, control, words, n, 0, 0, 0, tiles, 0, codec, 0}; \
    sweep<Skewed<PassGeometry<bits, valueBytes, threads, items, window>>>(a, gate, sets); \
  }
#define GS_SWEEP_32 GS_SWEEP
#define GS_SWEEP_64 GS_SWEEP

// Large inputs of these widths: columns of counters, which take more than 48 KB.
#define GS_WIDE(bits) \
  GS_SHARED(onesweep_histogramwide_##bits##_keys, Columns<WordOf<bits>>::kBytes) \
  GS_GLOBAL __launch_bounds__(kWideThreads, 1) gs_onesweep_histogramwide_##bits##_keys( \
      const WordOf<bits>* keys, u64 n, Control* control, u32 codec, u32 mode, const u32* gate, u32 low, u32 steps) { \
    awaitPrevious(); \
    histogramWide<WordOf<bits>>(keys, n, control, codec, mode, gate, low, steps); \
  }
GS_WIDE(32)
GS_WIDE(64)
#else
#define GS_SWEEP_32(...)
#define GS_SWEEP_64(...)
#endif
#define GS_SWEEP_8(...)
#define GS_SWEEP_16(...)

#define GS_INSTANCE(bits, valueBytes, suffix, threads, items, blocks, window, histThreads, histBlocks, smallThreads, \
                    smallItems, sweepThreads, sweepItems) \
  GS_SHARED(onesweep_small_##bits##_##suffix, \
            PassShared<PassGeometry<bits, valueBytes, smallThreads, smallItems, 1>>::kBytes) \
  GS_HISTOGRAM_##suffix(bits, histThreads, histBlocks) \
  GS_PASS(pass, PassGeometry, bits, valueBytes, suffix, threads, items, blocks, window) \
  GS_UPPER_##suffix(bits, valueBytes, suffix, sweepThreads, sweepItems, blocks, window) \
  GS_SWEEP_##bits(bits, valueBytes, suffix, sweepThreads, sweepItems, blocks, window) \
  GS_GLOBAL __launch_bounds__(256) gs_onesweep_finish_##bits##_##suffix( \
      void* keysIO, void* keysA, void* valuesIO, void* valuesA, u64 n, const Control* control, u32 codec) { \
    awaitPrevious(); \
    typedef PassGeometry<bits, valueBytes, threads, items, window> G; \
    finish<G::Key, G::Value, G::kPairs>(keysIO, keysA, valuesIO, valuesA, n, control, codec); \
  } \
  GS_GLOBAL __launch_bounds__(smallThreads) \
      gs_onesweep_small_##bits##_##suffix(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) { \
    awaitPrevious(); \
    typedef PassGeometry<bits, valueBytes, smallThreads, smallItems, 1> G; \
    sortTile<G>(static_cast<G::Key*>(keysIO), static_cast<G::Value*>(valuesIO), n, codec, codec, mode); \
  }

GS_ONESWEEP_POLICIES(GS_INSTANCE)

GS_GLOBAL __launch_bounds__(512) gs_onesweep_clear(uint4* words, u64 vectors, const u32* gate) {
  awaitPrevious();
  clearWords(words, vectors, gate);
}

GS_GLOBAL gs_onesweep_policy(u64* hash) {
  awaitPrevious();
  *hash = GS_ONESWEEP_POLICY_HASH;
}
