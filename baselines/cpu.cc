// Host sorters: std::sort, parallel std::sort, and Highway's vqsort. All are
// called as their documentation says; pairs are zipped into structs and back
// inside the measured time, because std::sort cannot move two arrays.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <parallel/algorithm>
#include <type_traits>

#include <omp.h>

#include "gpusort_peer.h"
#include "vqsort_isa.h"

namespace {

enum Sorter { kStd, kStdPar, kVq };

enum Code { kOK, kNoSuchSorter, kUnsupported, kTempTooSmall, kException };

constexpr uint32_t bit(uint32_t i) { return 1u << i; }
constexpr uint32_t kAllTypes = bit(GPUSORT_PEER_F64 + 1) - 1;
// Pairs only of these: every one more is eight instances of a sort.
constexpr uint32_t kPairTypes = bit(GPUSORT_PEER_U32) | bit(GPUSORT_PEER_U64) | bit(GPUSORT_PEER_F32) | bit(GPUSORT_PEER_F64);
constexpr uint32_t kEightBit = bit(GPUSORT_PEER_U8) | bit(GPUSORT_PEER_I8);

template <class K, class V>
struct Pair {
  K key;
  V value;
};

template <class K>
void sortKeys(Sorter s, K *k, uint64_t n, bool desc) {
  switch (s) {
    case kStd:
      desc ? std::sort(k, k + n, std::greater<K>()) : std::sort(k, k + n);
      return;
    case kStdPar:
      desc ? __gnu_parallel::sort(k, k + n, std::greater<K>()) : __gnu_parallel::sort(k, k + n);
      return;
    case kVq:
      return;
  }
}

template <class K, class V>
void sortPairs(Sorter s, K *k, V *v, uint64_t n, bool desc, void *temp) {
  using P = Pair<K, V>;
  P *p = static_cast<P *>(temp);
  for (uint64_t i = 0; i < n; i++) p[i] = {k[i], v[i]};
  auto less = [](const P &a, const P &b) { return a.key < b.key; };
  auto more = [](const P &a, const P &b) { return a.key > b.key; };
  if (s == kStd) {
    desc ? std::stable_sort(p, p + n, more) : std::stable_sort(p, p + n, less);
  } else {
    desc ? __gnu_parallel::stable_sort(p, p + n, more) : __gnu_parallel::stable_sort(p, p + n, less);
  }
  for (uint64_t i = 0; i < n; i++) {
    k[i] = p[i].key;
    v[i] = p[i].value;
  }
}

template <class K>
int32_t sortAs(Sorter s, const gpusort_peer_problem &p, const gpusort_peer_buffers &b) {
  K *k = static_cast<K *>(b.keys);
  if (p.mode == GPUSORT_PEER_KEYS) {
    sortKeys(s, k, p.items, p.desc);
    return kOK;
  }
  if constexpr (sizeof(K) >= 4 && (std::is_unsigned_v<K> || std::is_floating_point_v<K>)) {
    if (p.value_bytes == 4) {
      sortPairs(s, k, static_cast<uint32_t *>(b.values), p.items, p.desc, b.temp);
    } else {
      sortPairs(s, k, static_cast<uint64_t *>(b.values), p.items, p.desc, b.temp);
    }
    return kOK;
  }
  return kUnsupported;
}

// The size of Pair<K, V>: the sum, rounded up to the wider alignment.
uint64_t pairBytes(const gpusort_peer_problem &p) {
  static const uint64_t width[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  uint64_t a = width[p.key_type], v = p.value_bytes, align = std::max(a, v);
  return (std::max(a, v) + v + align - 1) / align * align;
}

bool supported(uint32_t index, const gpusort_peer_problem &p) {
  gpusort_peer_sorter s;
  return gpusort_peer_get(index, &s) == 0 && p.key_type <= GPUSORT_PEER_F64 &&
         (s.key_types & bit(p.key_type)) && (s.modes & bit(p.mode)) &&
         (p.mode == GPUSORT_PEER_KEYS || ((p.value_bytes == 4 || p.value_bytes == 8) && (kPairTypes & bit(p.key_type))));
}

}  // namespace

uint32_t gpusort_peer_abi(void) { return GPUSORT_PEER_ABI; }

int32_t gpusort_peer_get(uint32_t index, gpusort_peer_sorter *out) {
  std::memset(out, 0, sizeof *out);
  out->memory = GPUSORT_PEER_HOST;
  const char *name, *doc;
  switch (index) {
    case kStd:
    case kStdPar:
      name = index == kStd ? "std-sort" : "std-sort-par";
      doc = index == kStd ? "C++ std::sort; pairs: std::stable_sort of structs"
                          : "libstdc++ parallel mode sort (OpenMP); pairs: its stable_sort of structs";
      out->key_types = kAllTypes;
      out->modes = bit(GPUSORT_PEER_KEYS) | bit(GPUSORT_PEER_PAIRS);
      out->value_bytes = 4 + 8;
      out->pair_types = kPairTypes;
      out->flags = GPUSORT_PEER_STABLE | GPUSORT_PEER_DESC | (index == kStdPar ? GPUSORT_PEER_PARALLEL : 0);
      std::snprintf(out->version, sizeof out->version, "libstdc++ of GCC %d.%d", __GNUC__, __GNUC_MINOR__);
      break;
    case kVq:
      name = "vqsort";
      doc = "Highway's vectorised quicksort, one thread";
      out->key_types = kAllTypes & ~kEightBit;
      out->modes = bit(GPUSORT_PEER_KEYS);
      out->flags = GPUSORT_PEER_DESC;
      std::snprintf(out->version, sizeof out->version, "Highway %s, %s", vqsortVersion(), vqsortTarget());
      break;
    default:
      return kNoSuchSorter;
  }
  std::snprintf(out->name, sizeof out->name, "%s", name);
  std::snprintf(out->doc, sizeof out->doc, "%s", doc);
  return kOK;
}

int32_t gpusort_peer_temp_bytes(uint32_t index, const gpusort_peer_problem *p, uint64_t *bytes) {
  if (!supported(index, *p)) return kUnsupported;
  *bytes = p->mode == GPUSORT_PEER_PAIRS ? p->items * pairBytes(*p) : 0;
  return kOK;
}

int32_t gpusort_peer_sort(uint32_t index, const gpusort_peer_problem *p, gpusort_peer_buffers *b) {
  uint64_t need;
  if (int32_t code = gpusort_peer_temp_bytes(index, p, &need)) return code;
  if (b->temp_bytes < need) return kTempTooSmall;
  if (index == kVq) return vqsortSort(p->key_type, b->keys, p->items, p->desc) ? kOK : kUnsupported;
  if (index == kStdPar) omp_set_num_threads(p->threads ? static_cast<int>(p->threads) : omp_get_num_procs());
  Sorter s = static_cast<Sorter>(index);
  try {
    switch (p->key_type) {
      case GPUSORT_PEER_U8: return sortAs<uint8_t>(s, *p, *b);
      case GPUSORT_PEER_I8: return sortAs<int8_t>(s, *p, *b);
      case GPUSORT_PEER_U16: return sortAs<uint16_t>(s, *p, *b);
      case GPUSORT_PEER_I16: return sortAs<int16_t>(s, *p, *b);
      case GPUSORT_PEER_U32: return sortAs<uint32_t>(s, *p, *b);
      case GPUSORT_PEER_I32: return sortAs<int32_t>(s, *p, *b);
      case GPUSORT_PEER_U64: return sortAs<uint64_t>(s, *p, *b);
      case GPUSORT_PEER_I64: return sortAs<int64_t>(s, *p, *b);
      case GPUSORT_PEER_F32: return sortAs<float>(s, *p, *b);
      case GPUSORT_PEER_F64: return sortAs<double>(s, *p, *b);
    }
  } catch (...) {
    return kException;
  }
  return kUnsupported;
}

void gpusort_peer_error(int32_t code, char *text, uint64_t bytes) {
  static const char *const what[] = {"no error", "no such sorter", "key type, mode or value width not supported",
                                     "temporary storage smaller than asked for", "a C++ exception, such as no memory"};
  bool known = code >= 0 && code <= kException;
  std::snprintf(text, bytes, "%s", known ? what[code] : "unknown error");
}
