// Module radix4: LSD radix sort with 2-bit digits (block/radix4.cuh). Launches
// per digit: count, scan, move; internal/algo/radix4 plans them, and the
// arguments are those of kernels/opencl/radix4.cl. The kernels serve values of
// any width, so that their names have no suffix, and any number of threads, so
// that there is no policy table.
#include "block/radix4.cuh"

using namespace gs;

GS_SHARED(radix4_scan, radix4ScanBytes())
GS_GLOBAL __launch_bounds__(1024) gs_radix4_scan(u64* counts, u32 m) { radix4Scan(counts, m); }

#define GS_RADIX4(bits) \
  GS_SHARED(radix4_count_##bits, radix4CountBytes()) \
  GS_SHARED(radix4_move_##bits, radix4MoveBytes<WordOf<bits>>(256 * 9)) \
  GS_GLOBAL __launch_bounds__(1024) \
      gs_radix4_count_##bits(const WordOf<bits>* keys, const void* indices, u64* counts, u64 n, u32 items, u32 shift, \
                             u32 codec, u32 indexBytes) { \
    radix4Count(Radix4Keys<WordOf<bits>>{keys, indices, indexBytes, codec}, counts, n, blockDim.x * items, shift); \
  } \
  GS_GLOBAL __launch_bounds__(1024) \
      gs_radix4_move_##bits(const WordOf<bits>* keys, WordOf<bits>* keysOut, const void* values, void* valuesOut, \
                            const u64* places, u64 n, u32 items, u32 shift, u32 codec, u32 decode, u32 mode, \
                            u32 valueBytes, u32 identity) { \
    const u32 indexBytes = mode == kRadix4Argsort && !identity ? valueBytes : 0; \
    radix4Move(Radix4Keys<WordOf<bits>>{keys, values, indexBytes, codec}, \
               {keysOut, values, valuesOut, places, n, items, shift, decode, mode, valueBytes, identity != 0}); \
  }

GS_RADIX4(8)
GS_RADIX4(16)
GS_RADIX4(32)
GS_RADIX4(64)
