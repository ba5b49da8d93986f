// thrust::sort and thrust::stable_sort_by_key, in place, with an allocator that
// hands out the harness's temporary storage, so that no allocation is timed.
#include <new>

#include <thrust/device_ptr.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include "cuda.h"

namespace {

// Thrust allocates and frees like a stack here: one block per sort.
class Arena {
 public:
  using value_type = char;
  Arena(void *p, uint64_t bytes) : at_(static_cast<char *>(p)), end_(at_ + bytes) {}
  char *allocate(std::ptrdiff_t bytes) {
    char *p = at_;
    bytes = (bytes + 255) / 256 * 256;
    if (bytes > end_ - p) throw std::bad_alloc();
    at_ = p + bytes;
    return p;
  }
  void deallocate(char *, size_t) {}

 private:
  char *at_, *end_;
};

template <class K>
void sortKeysAs(const gpusort_peer_problem &p, gpusort_peer_buffers &b) {
  Arena arena(b.temp, b.temp_bytes);
  K *k = static_cast<K *>(b.keys);
  thrust::sort(thrust::cuda::par(arena).on(stream(b)), k, k + p.items);
}

template <class K>
void sortAs(const gpusort_peer_problem &p, gpusort_peer_buffers &b) {
  if (p.mode == GPUSORT_PEER_KEYS) return sortKeysAs<K>(p, b);
  Arena arena(b.temp, b.temp_bytes);
  auto policy = thrust::cuda::par(arena).on(stream(b));
  K *k = static_cast<K *>(b.keys);
  if (p.value_bytes == 4) {
    thrust::stable_sort_by_key(policy, k, k + p.items, static_cast<uint32_t *>(b.values));
  } else {
    thrust::stable_sort_by_key(policy, k, k + p.items, static_cast<uint64_t *>(b.values));
  }
}

}  // namespace

int thrustSort(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes) {
  // Thrust does not say what it will ask for: one more copy of everything and
  // CUB's histograms and look-back words, which an eighth of the data and
  // 16 MiB cover.
  static const uint64_t width[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  const uint64_t data = p.items * (width[p.key_type] + p.value_bytes);
  tempBytes = data + data / 8 + (16u << 20);
  if (b.temp == nullptr) return kOK;
  try {
    switch (p.key_type) {
      case GPUSORT_PEER_U32: sortAs<uint32_t>(p, b); return kOK;
      case GPUSORT_PEER_U64: sortAs<uint64_t>(p, b); return kOK;
      case GPUSORT_PEER_I32: sortKeysAs<int32_t>(p, b); return kOK;
      case GPUSORT_PEER_I64: sortKeysAs<int64_t>(p, b); return kOK;
      case GPUSORT_PEER_F32: sortAs<float>(p, b); return kOK;
      case GPUSORT_PEER_F64: sortAs<double>(p, b); return kOK;
    }
  } catch (const thrust::system_error &e) {
    return e.code().value() ? e.code().value() : static_cast<int>(kException);
  } catch (...) {
    return kException;
  }
  return kUnsupported;
}
