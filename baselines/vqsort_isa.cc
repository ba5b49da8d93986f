// One instruction set's vqsort. Compiled with -DVQSORT_ENTRY=name and the -m
// flags of that set; Highway's static target follows the flags. Debian has
// Highway as shared libraries only, and its headers hold all of vqsort, so
// that compiling them here is what makes the baseline self-contained.
#define HWY_COMPILE_ONLY_STATIC
#include "hwy/contrib/sort/traits-inl.h"
#include "hwy/contrib/sort/traits128-inl.h"
#include "hwy/contrib/sort/vqsort-inl.h"

#include "gpusort_peer.h"
#include "vqsort_isa.h"

HWY_BEFORE_NAMESPACE();
namespace hwy {
namespace HWY_NAMESPACE {
namespace {

template <template <class> class Order, class T>
void sortOrder(T *keys, uint64_t n) {
  SortTag<T> d;
  detail::SharedTraits<detail::TraitsLane<Order<T>>> st;
  Sort(d, st, keys, n, static_cast<T *>(nullptr));
}

template <class T>
bool sortAs(void *keys, uint64_t n, bool desc) {
  T *k = static_cast<T *>(keys);
  desc ? sortOrder<detail::OrderDescending>(k, n) : sortOrder<detail::OrderAscending>(k, n);
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hwy
HWY_AFTER_NAMESPACE();

bool VQSORT_ENTRY(uint32_t keyType, void *keys, uint64_t n, bool desc) {
  using namespace hwy::HWY_NAMESPACE;
  switch (keyType) {
    case GPUSORT_PEER_U16: return sortAs<uint16_t>(keys, n, desc);
    case GPUSORT_PEER_I16: return sortAs<int16_t>(keys, n, desc);
    case GPUSORT_PEER_U32: return sortAs<uint32_t>(keys, n, desc);
    case GPUSORT_PEER_I32: return sortAs<int32_t>(keys, n, desc);
    case GPUSORT_PEER_U64: return sortAs<uint64_t>(keys, n, desc);
    case GPUSORT_PEER_I64: return sortAs<int64_t>(keys, n, desc);
    case GPUSORT_PEER_F32: return sortAs<float>(keys, n, desc);
    case GPUSORT_PEER_F64: return sortAs<double>(keys, n, desc);
  }
  return false;
}
