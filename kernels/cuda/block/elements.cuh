// Steps over all elements of a long sort, whose runs are merged: what these compare is
// the encoded keys, as bits.
#ifndef GS_BLOCK_ELEMENTS
#define GS_BLOCK_ELEMENTS

#include "block/control.cuh"
#include "warp/codec.cuh"

namespace gs {

// A block takes tiles of kElementsThreads · kElementsEach elements. Four blocks of 512
// threads fill a multiprocessor; the four loads that each thread has in flight are then
// 64 KB of keys, above the some 40 KB that hide the memory's latency (4.8 TB/s for 132
// multiprocessors, about 1 µs).
constexpr u32 kElementsThreads = 512, kElementsEach = 4, kElementsBlocks = 4, kElementsTile = kElementsThreads * kElementsEach;
GS_CONSTANT(ElementsThreads, kElementsThreads)
GS_CONSTANT(ElementsBlocks, kElementsBlocks)

// elementsWithin is how many elements from first on are below end, at most a tile.
GS_DEVICE u32 elementsWithin(u64 first, u64 end) { return end - first < kElementsTile ? u32(end - first) : kElementsTile; }

// encodeElements puts the encoded keys of keys[0, n) in their place, unless the gate is open.
// Launch: kElementsThreads threads, any grid. No block reads what another one writes.
template <typename K> GS_DEVICE void encodeElements(K* keys, u64 n, u32 codec, const u32* gate) {
  if (gateIsOpen(gate)) return;
  for (u64 first = u64(blockIdx.x) * kElementsTile; first < n; first += u64(gridDim.x) * kElementsTile) {
    const u32 t = threadIdx.x, valid = elementsWithin(first, n);
    K* const mine = keys + first + t;
    K k[kElementsEach];
#pragma unroll
    for (u32 j = 0; j < kElementsEach; j++) {
      if (j * kElementsThreads + t < valid) k[j] = mine[j * kElementsThreads];
    }
#pragma unroll
    for (u32 j = 0; j < kElementsEach; j++) {
      if (j * kElementsThreads + t < valid) mine[j * kElementsThreads] = encode(codec, k[j]);
    }
  }
}

// encodePairs makes the pairs that an argsort sorts, unless the gate is open: encodedKeys[x]
// of keys[x], and its place among all keys, first + x, for x < n.
// Launch: kElementsThreads threads, any grid. Keys are read only, and no block reads what
// another one writes.
template <typename K, typename V> GS_DEVICE void encodePairs(const K* keys, K* encodedKeys, V* places, u64 first, u64 n, u32 codec, const u32* gate) {
  if (gateIsOpen(gate)) return;
  for (u64 from = u64(blockIdx.x) * kElementsTile; from < n; from += u64(gridDim.x) * kElementsTile) {
    const u32 t = threadIdx.x, valid = elementsWithin(from, n);
    const K* const in = keys + from + t;
    K* const out = encodedKeys + from + t;
    V* const to = places + from + t;
    K k[kElementsEach];
#pragma unroll
    for (u32 j = 0; j < kElementsEach; j++) {
      if (j * kElementsThreads + t < valid) k[j] = in[j * kElementsThreads];
    }
#pragma unroll
    for (u32 j = 0; j < kElementsEach; j++) {
      if (j * kElementsThreads + t < valid) {
        out[j * kElementsThreads] = encode(codec, k[j]);
        to[j * kElementsThreads] = V(first + from + t + j * kElementsThreads);
      }
    }
  }
}

}  // namespace gs

#endif
