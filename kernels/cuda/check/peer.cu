// The peer: CUB's DeviceRadixSort, as shipped with the pinned toolkit.
#include <cub/device/device_radix_sort.cuh>

#include "sorter.h"

namespace {

template <typename K> size_t keys(void* temp, size_t bytes, const void* in, void* out, uint64_t n, cudaStream_t s) {
  CHECK(cub::DeviceRadixSort::SortKeys(temp, bytes, static_cast<const K*>(in), static_cast<K*>(out), n, 0, int(8 * sizeof(K)), s));
  return bytes;
}

template <typename K, typename V>
size_t pairs(void* temp, size_t bytes, const void* in, void* out, const void* vin, void* vout, uint64_t n, cudaStream_t s) {
  CHECK(cub::DeviceRadixSort::SortPairs(temp, bytes, static_cast<const K*>(in), static_cast<K*>(out), static_cast<const V*>(vin),
                                        static_cast<V*>(vout), n, 0, int(8 * sizeof(K)), s));
  return bytes;
}

}  // namespace

size_t peerSort(int bits, int valueBytes, void* temp, size_t tempBytes, const void* keysIn, void* keysOut, const void* valuesIn,
                void* valuesOut, uint64_t n, cudaStream_t s) {
  if (bits == 32 && valueBytes == 0) return keys<uint32_t>(temp, tempBytes, keysIn, keysOut, n, s);
  if (bits == 64 && valueBytes == 0) return keys<uint64_t>(temp, tempBytes, keysIn, keysOut, n, s);
  if (bits == 32 && valueBytes == 4) return pairs<uint32_t, uint32_t>(temp, tempBytes, keysIn, keysOut, valuesIn, valuesOut, n, s);
  if (bits == 64 && valueBytes == 8) return pairs<uint64_t, uint64_t>(temp, tempBytes, keysIn, keysOut, valuesIn, valuesOut, n, s);
  std::abort();
}
