// Merge path (Green, Odeh and Birk 2014): where a diagonal of the grid of two
// sorted runs A and B crosses the path that their stable merge takes.
//
// The first `diagonal` items of the merge are A[0, a) and B[0, diagonal − a),
// where a is the number of x with A[x] <= B[diagonal − 1 − x], a condition that
// holds up to some x and for none behind it. "<=" puts equal items of A first.
#ifndef GS_WARP_MERGEPATH
#define GS_WARP_MERGEPATH

#include "warp/match.cuh"

namespace gs {

// bisect is the first of the numbers from lo up to hi, hi if there is none other, for which `holds` does not hold; it
// holds up to some number and for none behind it.
template <typename N, typename Holds> GS_DEVICE N bisect(N lo, N hi, Holds holds) {
  while (lo < hi) {
    const N mid = (lo + hi) / 2;
    if (holds(mid))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// mergePath returns a. 0 <= diagonal <= lenA + lenB.
template <typename K> GS_DEVICE u32 mergePath(const K* a, u32 lenA, const K* b, u32 lenB, u32 diagonal) {
  return bisect(diagonal > lenB ? diagonal - lenB : 0, least(diagonal, lenA),
                [&](u32 x) { return a[x] <= b[diagonal - 1 - x]; });
}

// mergePathLanes returns a to all 2^kLog neighbouring lanes that ask for one
// diagonal. All 32 lanes of the warp take part; each group of 2^kLog may have
// runs and a diagonal of its own. A round of bisection waits for memory as long
// as a round that divides by 2^kLog: the latter needs kLog times fewer.
// A Run is a pointer to keys, or EncodedRun.
template <int kLog, typename Run> GS_DEVICE u64 mergePathLanes(Run a, u64 lenA, Run b, u64 lenB, u64 diagonal) {
  constexpr u32 kLanes = 1u << kLog;
  const u32 lane = laneID() & (kLanes - 1), group = laneID() & ~(kLanes - 1);
  u64 lo = diagonal > lenB ? diagonal - lenB : 0, hi = least(diagonal, lenA);
  while (__any_sync(kAllLanes, lo < hi)) {
    // Lane i probes the end of the i-th of kLanes equal parts; the last lane's
    // would be hi.
    const u64 size = hi - lo, x = lo + (size * (lane + 1) >> kLog);
    bool before = false;
    if (x < hi) before = a[x] <= b[diagonal - 1 - x];
    const u32 holds = u32(__popc(__ballot_sync(kAllLanes, before) >> group & u32((1ull << kLanes) - 1)));
    const u64 from = lo;
    if (holds > 0) lo = from + (size * holds >> kLog) + 1;
    if (holds + 1 < kLanes) hi = from + (size * (holds + 1) >> kLog);
    if (hi < lo) hi = lo;  // runs that are in no order
  }
  return lo;
}

// lowerBound and upperBound are the numbers of items of the sorted run that are
// below x, and not above x.
template <typename K, typename N> GS_DEVICE N lowerBound(const K* run, N len, K x) {
  return bisect(N(0), len, [&](N i) { return run[i] < x; });
}
template <typename K, typename N> GS_DEVICE N upperBound(const K* run, N len, K x) {
  return bisect(N(0), len, [&](N i) { return run[i] <= x; });
}

}  // namespace gs

#endif
