// Module merge: the merge sorts merge-path (block, then partition and pass for
// each doubling of the runs) and merge-separators (sector, then separators and
// segments). internal/algo/merge plans them; the arguments are those of
// kernels/opencl, and for partition and pass a gate, which may be null: if it is open,
// another sort has the work (block/control.cuh). Threads and blocks are the launch's, items per thread the
// policy's. Dynamic shared memory: MergeShared for block and pass, SectorShared
// for sector and segments.
#include "block/merge_path.cuh"
#include "block/merge_separators.cuh"
#include "policy/zmerge.cuh"

using namespace gs;

// The stages that see keys alone: one instance per key width.
#define GS_SEARCHES_keys(bits) \
  GS_GLOBAL __launch_bounds__(kMergeMaxThreads) \
      gs_merge_partition_##bits##_keys(const WordOf<bits>* in, u64* splits, u64 n, u64 run, u32 perPair, u32 tiles, \
                                       u32 tile, const u32* gate) { \
    mergePartition(in, splits, n, run, perPair, tiles, tile, gate); \
  } \
  GS_GLOBAL __launch_bounds__(kMergeMaxThreads) \
      gs_merge_separators_##bits##_keys(const WordOf<bits>* in, Separator* table, u64 n, u64 run, u32 perPair, \
                                        u32 pairs, u32 t) { \
    mergeSeparators(in, table, n, run, perPair, pairs, t); \
  }
#define GS_SEARCHES_pairs32(bits)
#define GS_SEARCHES_pairs64(bits)

// Kernels of keys alone have no value parameters.
#define GS_ITEMS_keys(bits) const WordOf<bits>* in, WordOf<bits>* out,
#define GS_ITEMS_pairs32(bits) GS_ITEMS_keys(bits) const u32 *valuesIn, u32 *valuesOut,
#define GS_ITEMS_pairs64(bits) GS_ITEMS_keys(bits) const u64 *valuesIn, u64 *valuesOut,
#define GS_VALUES_keys nullptr, nullptr
#define GS_VALUES_pairs32 valuesIn, valuesOut
#define GS_VALUES_pairs64 valuesIn, valuesOut

#define GS_ENTRY(stage, bits, suffix) GS_GLOBAL __launch_bounds__(kMergeMaxThreads) gs_merge_##stage##_##bits##_##suffix
// With a number of blocks per multiprocessor, too: left alone the compiler holds
// this kernel to 32 registers and spills some.
#define GS_SECTOR_ENTRY(bits, suffix) GS_GLOBAL __launch_bounds__(kMergeMaxThreads, 1) gs_merge_sector_##bits##_##suffix

#define GS_INSTANCE(bits, valueBytes, suffix, items, blockThreads, passThreads, partitionTiles, sectorItems, \
                    sectorThreads) \
  typedef MergeGeometry<bits, valueBytes, items> Path##bits##suffix; \
  typedef MergeGeometry<bits, valueBytes, sectorItems> Sector##bits##suffix; \
  GS_SHARED(merge_block_##bits##_##suffix, MergeShared<Path##bits##suffix>::bytes(blockThreads * items)) \
  GS_SHARED(merge_pass_##bits##_##suffix, MergeShared<Path##bits##suffix>::bytes(passThreads * items)) \
  GS_SHARED(merge_sector_##bits##_##suffix, SectorShared<Sector##bits##suffix>::bytes(sectorThreads * sectorItems)) \
  GS_SEARCHES_##suffix(bits) \
  GS_ENTRY(block, bits, suffix) \
  (GS_ITEMS_##suffix(bits) u64 n, u32 codecIn, u32 codecOut, u32 flags) { \
    mergeBlock<Path##bits##suffix, blockThreads>(in, out, GS_VALUES_##suffix, n, codecIn, codecOut, flags); \
  } \
  GS_ENTRY(pass, bits, suffix) \
  (GS_ITEMS_##suffix(bits) const u64* splits, u64 n, u64 run, u32 perPair, u32 tiles, u32 codecOut, u32 flags, \
   u32 search, const u32* gate) { \
    mergePass<Path##bits##suffix, passThreads>(in, out, GS_VALUES_##suffix, search ? nullptr : splits, n, run, \
                                               perPair, tiles, codecOut, flags, gate); \
  } \
  GS_SECTOR_ENTRY(bits, suffix) \
  (GS_ITEMS_##suffix(bits) u64 n, u32 codecIn, u32 codecOut, u32 flags) { \
    mergeSector<Sector##bits##suffix>(in, out, GS_VALUES_##suffix, n, codecIn, codecOut, flags); \
  } \
  GS_ENTRY(segments, bits, suffix) \
  (GS_ITEMS_##suffix(bits) const Separator* table, u64 n, u64 run, u32 perPair, u32 pairs, u32 t, u32 codecOut, \
   u32 flags) { \
    mergeSegments<Sector##bits##suffix>(in, out, GS_VALUES_##suffix, table, n, run, perPair, pairs, t, codecOut, \
                                        flags); \
  }

GS_MERGE_POLICIES(GS_INSTANCE)

GS_GLOBAL gs_merge_policy(u64* hash) { *hash = GS_MERGE_POLICY_HASH; }
