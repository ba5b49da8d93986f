// Module bitonic: bitonic sorting networks, from one comparator per thread in
// device memory to tiles in registers. internal/algo/bitonic plans them; the
// launches, in order: join if there are values, then the steps of one variant,
// then keys, fetch and values. No block waits for another, and every kernel
// takes any number of blocks.
#include "block/bitonic_columns.cuh"
#include "block/bitonic_pairs.cuh"
#include "block/bitonic_step.cuh"
#include "block/bitonic_tile.cuh"

using namespace gs;

// Launch bounds: what the reports' layouts may ask for; and the largest tile,
// two to a multiprocessor unless 16 elements alone take 32 registers.
#define GS_ANY __launch_bounds__(1024)
#define GS_COLUMN __launch_bounds__(512)
#define GS_TILE(bits) __launch_bounds__(512, bits >= 64 ? 1 : 2)

#define GS_COLUMNS(bits, steps) \
  GS_GLOBAL GS_COLUMN gs_bitonic_columns##steps##_##bits##_keys(BitonicMemory<bits>* data, u64 n, u64 columns, \
      u32 low, u32 mirror) { \
    bitonicColumns<bits, steps>(data, n, columns, low, mirror); \
  }

#define GS_NETWORK(bits) \
  GS_SHARED(bitonic_sort_##bits##_keys, BitonicTile<bits>::bytes(512 * kBitonicItems)) \
  GS_GLOBAL GS_ANY gs_bitonic_naive_##bits##_keys(BitonicMemory<bits>* data, u64 n, u64 mask, u32 in, u32 out) { \
    bitonicNaive<bits>(data, n, mask, in, out); \
  } \
  GS_GLOBAL GS_ANY gs_bitonic_div_##bits##_keys(BitonicMemory<bits>* data, u64 n, u64 pairs, u64 distance, u64 mask, \
      u32 in, u32 out) { \
    bitonicDiv<bits>(data, n, pairs, distance, mask, in, out); \
  } \
  GS_GLOBAL GS_ANY gs_bitonic_shift_##bits##_keys(BitonicMemory<bits>* data, u64 n, u64 pairs, u32 log, u64 mask, \
      u32 in, u32 out) { \
    bitonicShift<bits>(data, n, pairs, log, mask, in, out); \
  } \
  GS_GLOBAL GS_ANY gs_bitonic_shared_##bits##_keys(BitonicMemory<bits>* data, u64 n, u32 tileLog, u32 first, \
      u32 last, u32 high, u32 low, u32 in, u32 out) { \
    bitonicShared<bits>(data, n, tileLog, first, last, high, low, in, out); \
  } \
  GS_GLOBAL GS_TILE(bits) gs_bitonic_sort_##bits##_keys(BitonicMemory<bits>* data, u64 n, u32 tileLog, u32 in, \
      u32 out) { \
    bitonicSortTiles<bits>(data, n, tileLog, in, out); \
  } \
  GS_GLOBAL GS_TILE(bits) gs_bitonic_merge_##bits##_keys(BitonicMemory<bits>* data, u64 n, u32 tileLog, u32 out) { \
    bitonicMergeTiles<bits>(data, n, tileLog, out); \
  } \
  GS_COLUMNS(bits, 1) \
  GS_COLUMNS(bits, 2) \
  GS_COLUMNS(bits, 3) \
  GS_COLUMNS(bits, 4)

GS_NETWORK(8)
GS_NETWORK(16)
GS_NETWORK(32)
GS_NETWORK(64)
GS_NETWORK(128)

#define GS_JOIN(bits, element) \
  GS_GLOBAL GS_ANY gs_bitonic_join##element##_##bits##_keys(const WordOf<bits>* keys, \
      BitonicMemory<element>* elements, u64 n, u32 codec) { \
    bitonicJoinAll(keys, elements, n, codec); \
  } \
  GS_GLOBAL GS_ANY gs_bitonic_keys##element##_##bits##_keys(WordOf<bits>* keys, \
      const BitonicMemory<element>* elements, u64 n, u32 codec) { \
    bitonicKeysAll(keys, elements, n, codec); \
  }
GS_JOIN(8, 64)
GS_JOIN(16, 64)
GS_JOIN(32, 64)
GS_JOIN(8, 128)
GS_JOIN(16, 128)
GS_JOIN(32, 128)
GS_JOIN(64, 128)

#define GS_VALUES(element, bytes, suffix) \
  GS_GLOBAL GS_ANY gs_bitonic_fetch_##element##_##suffix(BitonicMemory<element>* elements, \
      const Word<bytes>::type* values, u64 n) { \
    bitonicFetchAll(elements, values, n); \
  } \
  GS_GLOBAL GS_ANY gs_bitonic_values_##element##_##suffix(BitonicMemory<element>* elements, \
      Word<bytes>::type* values, u64 n, u32 argsort) { \
    bitonicValuesAll(elements, values, n, argsort); \
  }
GS_VALUES(64, 4, pairs32)
GS_VALUES(64, 8, pairs64)
GS_VALUES(128, 4, pairs32)
GS_VALUES(128, 8, pairs64)
