// Steps that treat each element by itself.
#ifndef GS_BLOCK_ELEMENTS
#define GS_BLOCK_ELEMENTS

#include "warp/codec.cuh"

namespace gs {

// With kElementsEach loads in flight for each of 2,048 threads, a multiprocessor waits for 64 KB of 64-bit keys, above
// the some 40 KB that hide the memory's latency (4.8 TB/s for 132 multiprocessors, about 1 µs).
constexpr u32 kElementsEach = 4;

// eachElement calls load(j, x) for up to kEach elements x < n of this thread, then store(j, x) for the same, tile after
// tile of kThreads · kEach. Launch: kThreads threads, any grid.
template <u32 kThreads, u32 kEach = kElementsEach, typename Load, typename Store>
GS_DEVICE void eachElement(u64 n, Load load, Store store) {
  constexpr u32 kTile = kThreads * kEach;
  for (u64 first = u64(blockIdx.x) * kTile; first < n; first += u64(gridDim.x) * kTile) {
    const u32 t = threadIdx.x, valid = n - first < kTile ? u32(n - first) : kTile;
#pragma unroll
    for (u32 j = 0; j < kEach; j++) {
      if (j * kThreads + t < valid) load(j, first + t + j * kThreads);
    }
#pragma unroll
    for (u32 j = 0; j < kEach; j++) {
      if (j * kThreads + t < valid) store(j, first + t + j * kThreads);
    }
  }
}

}  // namespace gs

#endif
