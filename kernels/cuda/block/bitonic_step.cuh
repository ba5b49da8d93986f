// Single steps of a bitonic network in device memory, and the fused steps of a
// tile in shared memory with one comparator per thread at a time: the forms of
// the reports. The elements are data[n]; a step compares i with i ^ mask, where
// mask is a power of two or, in the first step of a merge, 2^k - 1. `in` is the
// codec of the load and `out` that of the store (0: none), for the first and the
// last launch of a sort. Launch: any blocks × threads.
#ifndef GS_BLOCK_BITONIC_STEP
#define GS_BLOCK_BITONIC_STEP

#include "warp/bitonic.cuh"

namespace gs {

GS_DEVICE u64 bitonicThread() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
GS_DEVICE u64 bitonicThreads() { return u64(gridDim.x) * blockDim.x; }

// bitonicCompare is the comparator of positions i < j; i is below n.
template <int kBits>
GS_DEVICE void bitonicCompare(BitonicMemory<kBits>* data, u64 n, u64 i, u64 j, u32 in, u32 out) {
  typedef BitonicRegister<kBits> R;
  R a = bitonicLoad<kBits>(data + i, in);
  if (j >= n) {
    if (in | out) bitonicStore<kBits>(data + i, out, a);
    return;
  }
  R b = bitonicLoad<kBits>(data + j, in);
  const bool swap = b < a;
  if (swap || (in | out)) {
    comparator(a, b);
    bitonicStore<kBits>(data + i, out, a);
    bitonicStore<kBits>(data + j, out, b);
  }
}

// A thread takes an element and leaves it to the partner if that is the lower
// one: half of the threads do nothing.
template <int kBits> GS_DEVICE void bitonicNaive(BitonicMemory<kBits>* data, u64 n, u64 mask, u32 in, u32 out) {
  for (u64 i = bitonicThread(); i < n; i += bitonicThreads()) {
    const u64 partner = i ^ mask;
    if (partner > i) bitonicCompare<kBits>(data, n, i, partner, in, out);
  }
}

// A thread takes a pair and finds its lower position by a division by the
// distance, of 32 bits where that suffices. `pairs` counts the lower positions
// below n.
template <int kBits>
GS_DEVICE void bitonicDiv(BitonicMemory<kBits>* data, u64 n, u64 pairs, u64 distance, u64 mask, u32 in, u32 out) {
  for (u64 p = bitonicThread(); p < pairs; p += bitonicThreads()) {
    const u64 before = (pairs | distance) >> 32 ? p / distance : u64(u32(p) / u32(distance));
    const u64 i = p + before * distance;
    bitonicCompare<kBits>(data, n, i, i ^ mask, in, out);
  }
}

// The same by shifts; the distance is 1 << log.
template <int kBits>
GS_DEVICE void bitonicShift(BitonicMemory<kBits>* data, u64 n, u64 pairs, u32 log, u64 mask, u32 in, u32 out) {
  for (u64 p = bitonicThread(); p < pairs; p += bitonicThreads()) {
    const u64 i = p + (p >> log << log);
    bitonicCompare<kBits>(data, n, i, i ^ mask, in, out);
  }
}

// bitonicShared runs, in each tile of 1 << tileLog elements, of every stage k
// from `first` to `last` the steps at distances 2^high (2^(k-1) if that is less)
// to 2^low. Dynamic shared memory: a Register per element of a tile. Positions
// from n on are infinite. A barrier ends every step.
template <int kBits>
GS_DEVICE void bitonicShared(BitonicMemory<kBits>* data, u64 n, u32 tileLog, u32 first, u32 last, u32 high, u32 low,
                             u32 in, u32 out) {
  typedef BitonicRegister<kBits> R;
  extern __shared__ uint4 dynamicShared[];
  R* const tile = reinterpret_cast<R*>(dynamicShared);
  const u32 size = 1u << tileLog;
  for (u64 base = u64(blockIdx.x) << tileLog; base < n; base += u64(gridDim.x) << tileLog) {
    const u32 count = n - base < size ? u32(n - base) : size;
    for (u32 i = threadIdx.x; i < size; i += blockDim.x)
      tile[i] = i < count ? bitonicLoad<kBits>(data + base + i, in) : bitonicInfinity<R>();
    __syncthreads();
    for (u32 k = first; k <= last; k++) {
      for (u32 j = (k - 1 < high ? k - 1 : high) + 1; j-- > low;) {
        const u32 mask = j == k - 1 ? (2u << j) - 1 : 1u << j;
        for (u32 p = threadIdx.x; p < size / 2; p += blockDim.x) {
          const u32 i = p + (p >> j << j);
          const R a = tile[i], b = tile[i ^ mask];
          if (b < a) {
            tile[i] = b;
            tile[i ^ mask] = a;
          }
        }
        __syncthreads();
      }
    }
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) bitonicStore<kBits>(data + base + i, out, tile[i]);
    __syncthreads();
  }
}

}  // namespace gs

#endif
