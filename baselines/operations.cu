// CUB's and Thrust's operations besides sorts: unique, run lengths, merge, lower bounds, gather, segments and, where the
// headers have it, the least keys.
#include <cub/device/device_merge.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/binary_search.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#define GPUSORT_TOPK
#endif

#include "cuda.h"

namespace {

using Operation = gpusort_peer_operation;
using Memory = gpusort_peer_memory;

// A call that takes temporary storage: m.temp of t bytes, or a question if it is null.
struct Call {
  const Operation &p;
  Memory &m;
  size_t &t;
  cudaStream_t stream;

  template <class T> T *at(int i) const { return static_cast<T *>(m.at[i]); }
};

struct Less {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

template <class K> int groups(Call c) {
  auto n = static_cast<int64_t>(c.p.items);
  auto number = static_cast<uint64_t *>(c.m.number);
  if (c.p.mode == GPUSORT_PEER_KEYS) {
    return cub::DeviceSelect::Unique(c.m.temp, c.t, c.at<K>(0), c.at<K>(2), number, n, c.stream);
  }
  return cub::DeviceRunLengthEncode::Encode(c.m.temp, c.t, c.at<K>(0), c.at<K>(2), c.at<uint32_t>(1), number, n, c.stream);
}

template <class K> int search(Call c) {
  if (c.m.temp == nullptr) return 0;
  auto sorted = thrust::device_pointer_cast(c.at<K>(2)), queries = thrust::device_pointer_cast(c.at<K>(0));
  thrust::lower_bound(thrust::cuda::par_nosync.on(c.stream), sorted, sorted + c.p.other, queries, queries + c.p.items,
                      thrust::device_pointer_cast(c.at<uint32_t>(1)));
  return cudaPeekAtLastError();
}

template <class K> int merge(Call c) {
  return cub::DeviceMerge::MergeKeys(c.m.temp, c.t, c.at<K>(0), static_cast<int64_t>(c.p.items), c.at<K>(1),
                                     static_cast<int64_t>(c.p.other), c.at<K>(2), Less(), c.stream);
}

// The least keys come in no order, so that they are sorted from temporary storage.
template <class K> int least(Call c) {
#ifdef GPUSORT_TOPK
  const auto k = static_cast<int64_t>(c.p.other);
  size_t room = (c.p.other * sizeof(K) + 255) / 256 * 256, top = 0, sort = 0;
  auto env = cuda::std::execution::env{
      cuda::stream_ref{c.stream},
      cuda::execution::require(cuda::execution::determinism::not_guaranteed, cuda::execution::output_ordering::unsorted)};
  const bool ask = c.m.temp == nullptr;
  auto found = static_cast<K *>(c.m.temp);
  auto rest = static_cast<char *>(c.m.temp) + room;
  if (ask) {
    if (int e = cub::DeviceTopK::MinKeys(nullptr, top, c.at<K>(0), found, static_cast<int64_t>(c.p.items), k, env)) return e;
    if (int e = cub::DeviceRadixSort::SortKeys(nullptr, sort, found, c.at<K>(2), k, 0, 8 * sizeof(K), c.stream)) return e;
    c.t = room + (top > sort ? top : sort);
    return 0;
  }
  top = sort = c.t - room;
  if (int e = cub::DeviceTopK::MinKeys(rest, top, c.at<K>(0), found, static_cast<int64_t>(c.p.items), k, env)) return e;
  return cub::DeviceRadixSort::SortKeys(rest, sort, found, c.at<K>(2), k, 0, 8 * sizeof(K), c.stream);
#else
  return kUnsupported;
#endif
}

template <class K> int segments(Call c, bool radix) {
  auto offsets = c.at<uint32_t>(2);
  auto n = static_cast<int64_t>(c.p.items), count = static_cast<int64_t>(c.p.other);
  cub::DoubleBuffer<K> keys(c.at<K>(0), c.at<K>(3));
  int e = radix ? cub::DeviceSegmentedRadixSort::SortKeys(c.m.temp, c.t, keys, n, count, offsets, offsets + 1, 0, 8 * sizeof(K), c.stream)
                : cub::DeviceSegmentedSort::SortKeys(c.m.temp, c.t, keys, n, count, offsets, offsets + 1, c.stream);
  c.m.result = keys.selector;
  return e;
}

template <class V> int gatherOf(Call c) {
  if (c.m.temp == nullptr) return 0;
  auto places = thrust::device_pointer_cast(c.at<uint32_t>(0));
  thrust::gather(thrust::cuda::par_nosync.on(c.stream), places, places + c.p.items, thrust::device_pointer_cast(c.at<V>(1)),
                 thrust::device_pointer_cast(c.at<V>(2)));
  return cudaPeekAtLastError();
}

struct alignas(16) Wide { uint64_t word[4]; };

int gather(Call c) {
  switch (c.p.width) {
    case 4: return gatherOf<uint32_t>(c);
    case 8: return gatherOf<uint64_t>(c);
    case 32: return gatherOf<Wide>(c);
  }
  return kUnsupported;
}

template <class K> int of(uint32_t index, Call c) {
  if (index == 1) return c.p.kind == GPUSORT_PEER_SEGMENTS ? segments<K>(c, true) : int(kUnsupported);
  switch (c.p.kind) {
    case GPUSORT_PEER_GROUPS: return groups<K>(c);
    case GPUSORT_PEER_SEARCH: return search<K>(c);
    case GPUSORT_PEER_MERGE: return merge<K>(c);
    case GPUSORT_PEER_LEAST: return least<K>(c);
    case GPUSORT_PEER_SEGMENTS: return segments<K>(c, false);
  }
  return kUnsupported;
}

int operate(uint32_t index, const Operation &p, Memory &m, size_t &temp) {
  if (index > 1) return kNoSuchSorter;
  if (p.value_bytes > 4 || (p.kind == GPUSORT_PEER_SEGMENTS && p.width != 4)) return kUnsupported;
  if (const int code = cudaSetDevice(p.device)) return code;
  Call c{p, m, temp, static_cast<cudaStream_t>(m.stream)};
  if (p.kind == GPUSORT_PEER_GATHER) return index == 0 && p.key_type == GPUSORT_PEER_U32 ? gather(c) : int(kUnsupported);
  switch (p.key_type) {
    case GPUSORT_PEER_U32: return of<uint32_t>(index, c);
    case GPUSORT_PEER_U64: return of<uint64_t>(index, c);
  }
  return kUnsupported;
}

}  // namespace

int operations(uint32_t index, const gpusort_peer_operation &p, gpusort_peer_memory &m, size_t &temp) {
  return operate(index, p, m, temp);
}
