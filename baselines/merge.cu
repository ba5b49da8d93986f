// cub::DeviceMergeSort, in place; pairs by its stable variant.
#include <cub/device/device_merge_sort.cuh>

#include "cuda.h"

namespace {

struct Less {
  template <class T>
  __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

template <class K>
int keysOf(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  return cub::DeviceMergeSort::SortKeys(b.temp, t, static_cast<K *>(b.keys), static_cast<uint32_t>(p.items), Less(), stream(b));
}

template <class K, class V>
int pairsOf(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  return cub::DeviceMergeSort::StableSortPairs(b.temp, t, static_cast<K *>(b.keys), static_cast<V *>(b.values),
                                               static_cast<uint32_t>(p.items), Less(), stream(b));
}

template <class K>
int of(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  if (p.mode == GPUSORT_PEER_KEYS) return keysOf<K>(p, b, t);
  return p.value_bytes == 4 ? pairsOf<K, uint32_t>(p, b, t) : pairsOf<K, uint64_t>(p, b, t);
}

}  // namespace

int merge(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  switch (p.key_type) {
    case GPUSORT_PEER_U32: return of<uint32_t>(p, b, t);
    case GPUSORT_PEER_U64: return of<uint64_t>(p, b, t);
    case GPUSORT_PEER_I32: return keysOf<int32_t>(p, b, t);
    case GPUSORT_PEER_I64: return keysOf<int64_t>(p, b, t);
    case GPUSORT_PEER_F32: return of<float>(p, b, t);
    case GPUSORT_PEER_F64: return of<double>(p, b, t);
  }
  return kUnsupported;
}
