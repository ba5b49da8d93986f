// The CUDA baselines' C interface: CUB radix (two calling conventions,
// each with counts of 32 and of 64 bits), CUB merge and Thrust. The runtime works
// in the device's primary context, which is the harness's own, so that pointers
// and streams are shared.
#include <cstdio>
#include <cstring>

#include <cub/version.cuh>

#include "cuda.h"

// What is appended to the names, where several versions are measured beside each
// other.
#ifndef SUFFIX
#define SUFFIX ""
#endif

namespace {

constexpr uint32_t bit(uint32_t i) { return 1u << i; }
constexpr uint32_t kAllTypes = bit(GPUSORT_PEER_F64 + 1) - 1;
constexpr uint32_t kFew = bit(GPUSORT_PEER_U32) | bit(GPUSORT_PEER_U64) | bit(GPUSORT_PEER_F32) | bit(GPUSORT_PEER_F64);

// Key types of keys alone, for the sorts that compare or choose by type.
constexpr uint32_t kFewInts = kFew | bit(GPUSORT_PEER_I32) | bit(GPUSORT_PEER_I64);
constexpr uint32_t kKeysPairs = bit(GPUSORT_PEER_KEYS) | bit(GPUSORT_PEER_PAIRS);

struct Info {
  const char *name, *doc, *library;
  uint32_t keyTypes, modes, flags;
  uint64_t maxItems;  // 0: no limit
};

constexpr uint64_t kMax32 = (1ull << 32) - 1;  // where 32-bit counts are compiled
constexpr uint32_t kRadixFlags = GPUSORT_PEER_STABLE | GPUSORT_PEER_ALTERNATE;
constexpr uint32_t kWithArgsort = kKeysPairs | bit(GPUSORT_PEER_ARGSORT);

const Info infos[kFamilies] = {
    {"cub-radix" SUFFIX, "cub::DeviceRadixSort, count of 32 bits, input kept, output apart; argsort: with an index made first", "CUB", kAllTypes,
     kWithArgsort, kRadixFlags, kMax32},
    {"cub-radix-db" SUFFIX, "cub::DeviceRadixSort with DoubleBuffer, count of 32 bits", "CUB", kAllTypes, kKeysPairs, kRadixFlags, kMax32},
    {"cub-radix-n64" SUFFIX, "cub-radix with a count of 64 bits, which is another kernel", "CUB", kAllTypes, kWithArgsort, kRadixFlags, 0},
    {"cub-radix-db-n64" SUFFIX, "cub-radix-db with a count of 64 bits", "CUB", kAllTypes, kKeysPairs, kRadixFlags, 0},
    {"cub-merge" SUFFIX, "cub::DeviceMergeSort; pairs: StableSortPairs", "CUB", kFewInts, kKeysPairs, GPUSORT_PEER_STABLE, kMax32},
    {"thrust" SUFFIX, "thrust::sort; pairs: stable_sort_by_key", "Thrust", kFewInts, kKeysPairs, GPUSORT_PEER_STABLE, kMax32},
};

int call(uint32_t index, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &temp) {
  if (index >= kFamilies) return kNoSuchSorter;
  const Info &i = infos[index];
  const bool keys = p.mode == GPUSORT_PEER_KEYS;
  const uint32_t types = keys ? i.keyTypes : kFew;
  if (p.desc || (i.maxItems != 0 && p.items > i.maxItems) || p.key_type > GPUSORT_PEER_F64 || p.mode > GPUSORT_PEER_ARGSORT ||
      !(types & bit(p.key_type)) || !(i.modes & bit(p.mode)) || (!keys && p.value_bytes != 4 && p.value_bytes != 8)) {
    return kUnsupported;
  }
  if (const int code = cudaSetDevice(p.device)) return code;
  switch (index) {
    case kRadix:
    case kRadixDouble: return keys ? radixKeys(index == kRadixDouble, p, b, temp) : radixPairs(index == kRadixDouble, p, b, temp);
    case kRadixN64:
    case kRadixDoubleN64: return keys ? radixKeysN64(index == kRadixDoubleN64, p, b, temp) : radixPairsN64(index == kRadixDoubleN64, p, b, temp);
    case kMerge: return merge(p, b, temp);
    default: return thrustSort(p, b, temp);
  }
}

}  // namespace

uint32_t gpusort_peer_abi(void) { return GPUSORT_PEER_ABI; }

namespace {

void versions(const char *library, gpusort_peer_sorter *out) {
  std::snprintf(out->version, sizeof out->version, "%s %d.%d.%d, CUDA runtime %d.%d", library, CUB_MAJOR_VERSION,
                CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

}  // namespace

int32_t gpusort_peer_get(uint32_t index, gpusort_peer_sorter *out) {
  if (index >= kFamilies) return 1;
  const Info &i = infos[index];
  std::memset(out, 0, sizeof *out);
  std::snprintf(out->name, sizeof out->name, "%s", i.name);
  std::snprintf(out->doc, sizeof out->doc, "%s", i.doc);
  versions(i.library, out);
  out->memory = GPUSORT_PEER_CUDA;
  out->key_types = i.keyTypes;
  out->pair_types = kFew;
  out->modes = i.modes;
  out->value_bytes = 4 + 8;
  out->flags = i.flags;
  out->max_items = i.maxItems;
  return 0;
}

int32_t gpusort_peer_temp_bytes(uint32_t index, const gpusort_peer_problem *p, uint64_t *bytes) {
  gpusort_peer_buffers none = {};
  size_t temp = 0;
  const int code = call(index, *p, none, temp);
  *bytes = temp;
  return code;
}

int32_t gpusort_peer_sort(uint32_t index, const gpusort_peer_problem *p, gpusort_peer_buffers *b) {
  if (b->temp == nullptr) return kTempTooSmall;  // CUB would take it for a query
  size_t temp = b->temp_bytes;
  return call(index, *p, *b, temp);
}

int32_t gpusort_peer_operator(uint32_t index, gpusort_peer_sorter *out) {
  static const char *const names[][2] = {
      {"cub" SUFFIX, "DeviceSelect, DeviceRunLengthEncode, DeviceMerge, DeviceSegmentedSort, DeviceTopK and a sort; Thrust's lower_bound, gather"},
      {"cub-segmented-radix" SUFFIX, "cub::DeviceSegmentedRadixSort"}};
  if (index >= sizeof names / sizeof names[0]) return 1;
  std::memset(out, 0, sizeof *out);
  std::snprintf(out->name, sizeof out->name, "%s", names[index][0]);
  std::snprintf(out->doc, sizeof out->doc, "%s", names[index][1]);
  versions("CCCL", out);
  out->memory = GPUSORT_PEER_CUDA;
  return 0;
}

int32_t gpusort_peer_operation_bytes(uint32_t index, const gpusort_peer_operation *p, uint64_t *bytes) {
  gpusort_peer_memory none = {};
  size_t temp = 0;
  const int code = operations(index, *p, none, temp);
  *bytes = temp;
  return code;
}

int32_t gpusort_peer_operate(uint32_t index, const gpusort_peer_operation *p, gpusort_peer_memory *m) {
  if (m->temp == nullptr) return kTempTooSmall;
  size_t temp = m->temp_bytes;
  return operations(index, *p, *m, temp);
}

void gpusort_peer_error(int32_t code, char *text, uint64_t bytes) {
  const char *what = "unknown error";
  switch (code) {
    case kNoSuchSorter: what = "no such sorter"; break;
    case kUnsupported: what = "key type, mode, value width, direction or size not supported"; break;
    case kTempTooSmall: what = "temporary storage smaller than asked for"; break;
    case kException: what = "a C++ exception, such as no memory"; break;
    default:
      if (code >= 0) what = cudaGetErrorString(static_cast<cudaError_t>(code));
  }
  std::snprintf(text, bytes, "%s", what);
}
