// One instance of cub::DeviceRadixSort, whole key, ascending. Offsets are 32
// bits, as CUB itself picks for counts of that type.
#pragma once
#include <cub/device/device_radix_sort.cuh>

#include "cuda.h"

// With a double buffer CUB needs no room of its own for a second copy and says
// where the result lies; without, the input stays and the output is the
// alternate.
template <class K>
int radixKeysOf(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes) {
  K *in = static_cast<K *>(b.keys), *alt = static_cast<K *>(b.keys_alt);
  const uint32_t n = static_cast<uint32_t>(p.items);
  if (doubleBuffer) {
    cub::DoubleBuffer<K> k(in, alt);
    const int code = cub::DeviceRadixSort::SortKeys(b.temp, tempBytes, k, n, 0, sizeof(K) * 8, stream(b));
    b.result = k.Current() == alt;
    return code;
  }
  b.result = 1;
  return cub::DeviceRadixSort::SortKeys(b.temp, tempBytes, static_cast<const K *>(in), alt, n, 0, sizeof(K) * 8, stream(b));
}

// Writes 0 … n−1 to v. Launch: any grid of 256 threads; each thread writes every
// (blocks · 256)-th value.
template <class V>
__global__ void positions(V *v, uint32_t n) {
  for (uint64_t i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull) v[i] = static_cast<V>(i);
}

// An argsort as one makes it of CUB: positions, then a sort of pairs that keeps
// the keys. The sorted keys, which nobody asked for, go to keys_alt.
template <class K, class V>
int radixArgsortOf(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes) {
  V *in = static_cast<V *>(b.values_alt), *out = static_cast<V *>(b.values);
  const uint32_t n = static_cast<uint32_t>(p.items);
  if (b.temp != nullptr) {
    const uint32_t blocks = n / 2048 + 1;
    positions<<<blocks, 256, 0, stream(b)>>>(in, n);
    if (const cudaError_t code = cudaGetLastError()) return code;
  }
  b.result = 0;
  return cub::DeviceRadixSort::SortPairs(b.temp, tempBytes, static_cast<const K *>(b.keys), static_cast<K *>(b.keys_alt),
                                         static_cast<const V *>(in), out, n, 0, sizeof(K) * 8, stream(b));
}

template <class K, class V>
int radixPairsOf(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes) {
  K *in = static_cast<K *>(b.keys), *alt = static_cast<K *>(b.keys_alt);
  V *vin = static_cast<V *>(b.values), *valt = static_cast<V *>(b.values_alt);
  const uint32_t n = static_cast<uint32_t>(p.items);
  if (doubleBuffer) {
    cub::DoubleBuffer<K> k(in, alt);
    cub::DoubleBuffer<V> v(vin, valt);
    const int code = cub::DeviceRadixSort::SortPairs(b.temp, tempBytes, k, v, n, 0, sizeof(K) * 8, stream(b));
    b.result = k.Current() == alt;
    return code;
  }
  b.result = 1;
  return cub::DeviceRadixSort::SortPairs(b.temp, tempBytes, static_cast<const K *>(in), alt,
                                         static_cast<const V *>(vin), valt, n, 0, sizeof(K) * 8, stream(b));
}
