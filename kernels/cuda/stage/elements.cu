// Module elements: steps of radix-msd's long sorts (internal/algo/msd/long.go) that
// treat each element by itself. There is no policy table: block/elements.cuh has the
// geometry, and says where it comes from. Launches overlap: each waits for the ones
// before it (warp/overlap.cuh).
//
// Stage encode: keys[x] becomes encode(codec, keys[x]), for x < n.
// Stage image: In: keys[n]. Out: images[x] = encode(codec, keys[x]) and places[x] = first + x,
// for x < n. The three do not overlap.
// Both do nothing if gate, which may be null, is open: see block/control.cuh.
// Launch of both: kElementsThreads threads, any grid; the blocks take tiles in turns.
#include "block/elements.cuh"
#include "warp/overlap.cuh"

using namespace gs;

GS_GLOBAL __launch_bounds__(kElementsThreads, kElementsBlocks) gs_elements_encode_64_keys(u64* keys, u64 n, u32 codec,
                                                                                                            const u32* gate) {
  awaitPrevious();
  encodeElements(keys, n, codec, gate);
}

#define GS_IMAGE(suffix, V)                                                                               \
  GS_GLOBAL __launch_bounds__(kElementsThreads, kElementsBlocks)                         \
      gs_elements_image_64_##suffix(const u64* keys, u64* images, V* places, u64 first, u64 n, u32 codec, \
                                    const u32* gate) {                                                    \
    awaitPrevious();                                                                                      \
    imageElements(keys, images, places, first, n, codec, gate);                                           \
  }

GS_IMAGE(pairs32, u32)
GS_IMAGE(pairs64, u64)
