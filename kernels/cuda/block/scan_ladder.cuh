// The two classic parallel prefix sums: Hillis and Steele 1986 ("all partial
// sums of an array", log n steps over all elements) and Blelloch 1990 (a tree
// up and down, work of order n, in shared memory).
#ifndef GS_BLOCK_SCAN_LADDER
#define GS_BLOCK_SCAN_LADDER

#include "block/scan_state.cuh"

namespace gs {

// hillisStep writes out[i] = in[i] + in[i-distance] for all i of the span, in
// and out apart: reading and writing one array in a step would race. Distance 0
// copies. With shift, in[i-1] stands in for in[i] and 0 for in[-1]: the first
// step of an exclusive sum. Launch: any blocks and threads, grid-stride.
template <typename T> GS_DEVICE void hillisStep(const T* in, T* out, ScanSpan span, u64 distance, bool shift) {
  const u64 n = span.items(), stride = u64(gridDim.x) * blockDim.x;
  auto load = [&](u64 i) -> T {
    if (!shift) return in[i];
    return i == 0 ? T(0) : in[i - 1];
  };
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    T x = load(i);
    if (distance != 0 && i >= distance) x += load(i - distance);
    out[i] = x;
  }
}

// padded spreads the tree's powers-of-two strides over the 32 banks: one word
// of padding per 32.
GS_DEVICE constexpr u32 padded(u32 i) { return i + i / 32; }

// blellochTiles replaces every tile of 2*blockDim elements by its exclusive or
// inclusive prefix sums and writes the tiles' sums to sums, unless it is null;
// tiles past the span's limit have the sum 0.
// Launch: blockDim a power of two, any grid: blocks walk over the tiles. Dynamic
// shared memory: padded(2*blockDim) elements.
//
// Up-sweep: at depth d every 2^(d+1)-th element gathers the sum of its subtree.
// The root is set to 0. Down-sweep: a node hands its value to its left child and
// value plus left sum to its right child.
template <typename T> GS_DEVICE void blellochTiles(T* data, ScanSpan span, T* sums) {
  extern __shared__ uint4 dynamicShared[];
  T* const tree = reinterpret_cast<T*>(dynamicShared);
  const u32 t = threadIdx.x, threads = blockDim.x, tile = 2 * threads;
  const u64 n = span.items(), tiles = (n + tile - 1) / tile;
  const u64 planned = (span.n + tile - 1) / tile;
  for (u64 number = blockIdx.x; number < planned; number += gridDim.x) {
    if (number >= tiles) {  // whole block
      if (t == 0 && sums != nullptr) sums[number] = 0;
      continue;
    }
    const u64 a = number * tile + t, b = a + threads;
    const T x = a < n ? data[a] : T(0), y = b < n ? data[b] : T(0);
    tree[padded(t)] = x;
    tree[padded(t + threads)] = y;
    u32 width = 1;
    for (u32 nodes = threads; nodes > 0; nodes /= 2, width *= 2) {
      __syncthreads();
      if (t < nodes) tree[padded(width * (2 * t + 2) - 1)] += tree[padded(width * (2 * t + 1) - 1)];
    }
    __syncthreads();
    if (t == 0) {
      if (sums != nullptr) sums[number] = tree[padded(tile - 1)];
      tree[padded(tile - 1)] = 0;
    }
    for (u32 nodes = 1; nodes <= threads; nodes *= 2) {
      width /= 2;
      __syncthreads();
      if (t < nodes) {
        const u32 left = padded(width * (2 * t + 1) - 1), right = padded(width * (2 * t + 2) - 1);
        const T sum = tree[left];
        tree[left] = tree[right];
        tree[right] += sum;
      }
    }
    __syncthreads();
    if (a < n) data[a] = tree[padded(t)] + (span.inclusive ? x : T(0));
    if (b < n) data[b] = tree[padded(t + threads)] + (span.inclusive ? y : T(0));
    __syncthreads();
  }
}

// blellochAdd adds sums[k] to every element of tile k. Launch: as blellochTiles,
// without shared memory.
template <typename T> GS_DEVICE void blellochAdd(T* data, ScanSpan span, const T* sums) {
  const u32 tile = 2 * blockDim.x;
  const u64 n = span.items(), tiles = (n + tile - 1) / tile;
  for (u64 number = blockIdx.x + 1; number < tiles; number += gridDim.x) {
    const T before = sums[number];
    const u64 a = number * tile + threadIdx.x, b = a + blockDim.x;
    if (a < n) data[a] += before;
    if (b < n) data[b] += before;
  }
}

}  // namespace gs

#endif
