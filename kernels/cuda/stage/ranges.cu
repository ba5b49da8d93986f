// Module ranges: keys of several devices that share a sort, by ranges of encoded keys that the host chooses.
// internal/algo/ranges plans each launch by itself, since the host looks at what one has left before the next: sample,
// split. The geometry of the split is that of radix-msd's first one (kernels/cuda/policy/zmsd.cuh) with fewer items a
// thread, which keeps a digit of each in registers.
#include "block/ranges.cuh"
#include "warp/overlap.cuh"

using namespace gs;

constexpr u32 kSampleBlock = 256;
GS_CONSTANT(RangesSampleThreads, kSampleBlock)

#define GS_RANGES(bits, threads, items, blocks) \
  typedef MsdSplit<WordOf<bits>, threads, items, false, kRangeBits> Split##bits; \
  GS_SHARED(ranges_split_##bits##_keys, Split##bits::kBytes) \
  GS_GLOBAL __launch_bounds__(kSampleBlock) gs_ranges_sample_##bits##_keys( \
      const WordOf<bits>* keys, u64 n, u32 log, u32 codec, u64* sample) { \
    awaitPrevious(); \
    rangesSample<WordOf<bits>>(keys, n, log, codec, sample); \
  } \
  GS_GLOBAL __launch_bounds__(threads, blocks) \
      gs_ranges_split_##bits##_keys(const WordOf<bits>* keys, WordOf<bits>* out, u32 n, u32 codec, const u64* lasts, \
                                    RangeRoom* rooms, u32 spare) { \
    awaitPrevious(); \
    rangesSplit<Split##bits>(keys, out, n, codec, lasts, rooms, spare); \
  }

#if defined(GS_TARGET_SM_90)
constexpr int kSplitBlocks = 3;
#else
constexpr int kSplitBlocks = 2;
#endif
constexpr int kSplitThreads32 = 352, kSplitItems32 = 19, kSplitThreads64 = 288, kSplitItems64 = 17;
GS_CONSTANT(RangesSplitThreads32, kSplitThreads32)
GS_CONSTANT(RangesSplitThreads64, kSplitThreads64)
GS_CONSTANT(RangesSplitItems32, kSplitItems32)
GS_CONSTANT(RangesSplitItems64, kSplitItems64)
GS_RANGES(32, kSplitThreads32, kSplitItems32, kSplitBlocks)
GS_RANGES(64, kSplitThreads64, kSplitItems64, kSplitBlocks)
