// Module elements: steps of radix-msd's long sorts (internal/algo/msd/long.go), whose
// runs are merged: what these compare is the encoded keys, as bits. There is no policy
// table: block/elements.cuh says where the geometry comes from. Launches overlap: each
// waits for the ones before it (warp/overlap.cuh).
//
// Stage encode: keys[x] becomes encode(codec, keys[x]), for x < n.
// Stage pairs, of an argsort: In: keys[n]. Out: encodedKeys[x] = encode(codec, keys[x]) and
// places[x] = first + x, for x < n. The three do not overlap.
// Both do nothing if gate, which may be null, is open: see block/control.cuh.
// Launch of both: kElementsThreads threads, any grid; the blocks take tiles one after the
// other. No block reads what another one writes.
#include "block/control.cuh"
#include "block/elements.cuh"
#include "warp/overlap.cuh"

using namespace gs;

constexpr u32 kElementsThreads = 512, kElementsBlocks = 4;
GS_CONSTANT(ElementsThreads, kElementsThreads)
GS_CONSTANT(ElementsBlocks, kElementsBlocks)

GS_GLOBAL __launch_bounds__(kElementsThreads, kElementsBlocks)
    gs_elements_encode_64_keys(u64* keys, u64 n, u32 codec, const u32* gate) {
  awaitPrevious();
  if (gateIsOpen(gate)) return;
  u64 k[kElementsEach];
  eachElement<kElementsThreads>(
      n, [&](u32 j, u64 x) { k[j] = keys[x]; }, [&](u32 j, u64 x) { keys[x] = encode(codec, k[j]); });
}

#define GS_ENCODED_PAIRS(suffix, V) \
  GS_GLOBAL __launch_bounds__(kElementsThreads, kElementsBlocks) \
      gs_elements_pairs_64_##suffix(const u64* keys, u64* encodedKeys, V* places, u64 first, u64 n, u32 codec, \
                                    const u32* gate) { \
    awaitPrevious(); \
    if (gateIsOpen(gate)) return; \
    u64 k[kElementsEach]; \
    const auto store = [&](u32 j, u64 x) { encodedKeys[x] = encode(codec, k[j]), places[x] = V(first + x); }; \
    eachElement<kElementsThreads>(n, [&](u32 j, u64 x) { k[j] = keys[x]; }, store); \
  }

GS_ENCODED_PAIRS(pairs32, u32)
GS_ENCODED_PAIRS(pairs64, u64)
