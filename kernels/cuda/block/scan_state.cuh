// What all prefix sums share: how much is summed.
#ifndef GS_BLOCK_SCAN_STATE
#define GS_BLOCK_SCAN_STATE

#include "warp/match.cuh"

namespace gs {

// ScanSpan says how many elements are summed and how. Where an earlier launch
// found the number out, `limit` points at it and n only bounds it.
struct ScanSpan {
  u64 n;
  const u32* limit;  // null: n
  bool inclusive;
  GS_DEVICE u64 items() const {
    if (limit == nullptr) return n;
    const u64 m = *limit;
    return m < n ? m : n;
  }
};

// spanOf makes one from kernel arguments: flags has kScanLimited and
// kScanInclusive.
constexpr u32 kScanInclusive = 1;
constexpr u32 kScanLimited = 2;
GS_DEVICE ScanSpan spanOf(u64 n, const u32* limit, u32 flags) {
  return ScanSpan{n, flags & kScanLimited ? limit : nullptr, (flags & kScanInclusive) != 0};
}

}  // namespace gs

#endif
