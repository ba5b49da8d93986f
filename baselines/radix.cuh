// One instance of cub::DeviceRadixSort, whole key, ascending. N is the type of
// the count that it is called with, of 32 or of 64 bits: CUB computes positions
// in an unsigned type of that width, so that each is a kernel of its own, with
// other registers and another speed.
#pragma once
#include <cub/device/device_radix_sort.cuh>

#include "cuda.h"

// With a double buffer CUB needs no room of its own for a second copy and says
// where the result lies; without, the input stays and the output is the
// alternate.
template <class N, class K>
int radixKeysOf(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes) {
  K *in = static_cast<K *>(b.keys), *alt = static_cast<K *>(b.keys_alt);
  const N n = static_cast<N>(p.items);
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
__global__ void positions(V *v, uint64_t n) {
  for (uint64_t i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull) v[i] = static_cast<V>(i);
}

// An argsort as one makes it of CUB: positions, then a sort of pairs that keeps
// the keys. The sorted keys, which nobody asked for, go to keys_alt.
template <class N, class K, class V>
int radixArgsortOf(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes) {
  V *in = static_cast<V *>(b.values_alt), *out = static_cast<V *>(b.values);
  const N n = static_cast<N>(p.items);
  if (b.temp != nullptr) {
    const uint32_t blocks = static_cast<uint32_t>(p.items / 2048 + 1);
    positions<<<blocks, 256, 0, stream(b)>>>(in, n);
    if (const cudaError_t code = cudaGetLastError()) return code;
  }
  b.result = 0;
  return cub::DeviceRadixSort::SortPairs(b.temp, tempBytes, static_cast<const K *>(b.keys), static_cast<K *>(b.keys_alt),
                                         static_cast<const V *>(in), out, n, 0, sizeof(K) * 8, stream(b));
}

template <class N, class K, class V>
int radixPairsOf(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes) {
  K *in = static_cast<K *>(b.keys), *alt = static_cast<K *>(b.keys_alt);
  V *vin = static_cast<V *>(b.values), *valt = static_cast<V *>(b.values_alt);
  const N n = static_cast<N>(p.items);
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

// By key type.
template <class N>
int radixKeysBy(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  switch (p.key_type) {
    case GPUSORT_PEER_U8: return radixKeysOf<N, uint8_t>(d, p, b, t);
    case GPUSORT_PEER_I8: return radixKeysOf<N, int8_t>(d, p, b, t);
    case GPUSORT_PEER_U16: return radixKeysOf<N, uint16_t>(d, p, b, t);
    case GPUSORT_PEER_I16: return radixKeysOf<N, int16_t>(d, p, b, t);
    case GPUSORT_PEER_U32: return radixKeysOf<N, uint32_t>(d, p, b, t);
    case GPUSORT_PEER_I32: return radixKeysOf<N, int32_t>(d, p, b, t);
    case GPUSORT_PEER_U64: return radixKeysOf<N, uint64_t>(d, p, b, t);
    case GPUSORT_PEER_I64: return radixKeysOf<N, int64_t>(d, p, b, t);
    case GPUSORT_PEER_F32: return radixKeysOf<N, float>(d, p, b, t);
    case GPUSORT_PEER_F64: return radixKeysOf<N, double>(d, p, b, t);
  }
  return kUnsupported;
}

// By value width, and below by key type.
template <class N, class K>
int radixPairsByValue(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  if (p.mode == GPUSORT_PEER_ARGSORT) return p.value_bytes == 4 ? radixArgsortOf<N, K, uint32_t>(p, b, t) : radixArgsortOf<N, K, uint64_t>(p, b, t);
  return p.value_bytes == 4 ? radixPairsOf<N, K, uint32_t>(d, p, b, t) : radixPairsOf<N, K, uint64_t>(d, p, b, t);
}

template <class N>
int radixPairsBy(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  switch (p.key_type) {
    case GPUSORT_PEER_U32: return radixPairsByValue<N, uint32_t>(d, p, b, t);
    case GPUSORT_PEER_U64: return radixPairsByValue<N, uint64_t>(d, p, b, t);
    case GPUSORT_PEER_F32: return radixPairsByValue<N, float>(d, p, b, t);
    case GPUSORT_PEER_F64: return radixPairsByValue<N, double>(d, p, b, t);
  }
  return kUnsupported;
}
