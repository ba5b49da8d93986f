// Module elements: steps of radix-msd's long sorts (internal/algo/msd/long.go) that
// treat each element by itself. There is no policy table: block/elements.cuh has the
// geometry, and says where it comes from. Launches overlap: each waits for the ones
// before it (warp/overlap.cuh).
//
// Stage encode: keys[x] becomes encode(codec, keys[x]), for x < n.
// Stage pairs: In: keys[n]. Out: encodedKeys[x] = encode(codec, keys[x]) and places[x] = first + x,
// for x < n. The three do not overlap.
// Both do nothing if gate, which may be null, is open: see block/control.cuh.
// Launch of both: kElementsThreads threads, any grid; the blocks take tiles one after the other.
#include "block/elements.cuh"
#include "warp/overlap.cuh"

using namespace gs;

GS_GLOBAL __launch_bounds__(kElementsThreads, kElementsBlocks) gs_elements_encode_64_keys(u64* keys, u64 n, u32 codec,
                                                                                                            const u32* gate) {
  awaitPrevious();
  encodeElements(keys, n, codec, gate);
}

#define GS_ENCODED_PAIRS(suffix, V) \
  GS_GLOBAL __launch_bounds__(kElementsThreads, kElementsBlocks) \
      gs_elements_pairs_64_##suffix(const u64* keys, u64* encodedKeys, V* places, u64 first, u64 n, u32 codec, \
                                    const u32* gate) { \
    awaitPrevious(); \
    encodePairs(keys, encodedKeys, places, first, n, codec, gate); \
  }

GS_ENCODED_PAIRS(pairs32, u32)
GS_ENCODED_PAIRS(pairs64, u64)
