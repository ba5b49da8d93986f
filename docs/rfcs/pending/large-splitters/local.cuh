// Sorting a bucket in a block by comparisons, whatever its keys: each warp sorts a run in registers by a bitonic
// network, then runs are merged two by two in shared memory, a thread 16 keys of the result (merge path).
#ifndef GS_LARGE_LOCAL
#define GS_LARGE_LOCAL

#include "state.cuh"
#include "warp/bitonic.cuh"
#include "warp/shared.cuh"

namespace gs {

constexpr u32 kMerged = 16;  // keys of a thread in a merge

// A row of shared memory has a place free behind every 16: the 16th key of all threads lies in other banks than the first.
GS_DEVICE constexpr u32 rowAt(u32 i) { return 8 * (i + i / 16); }
template <u32 kThreads> constexpr u32 kLocalBytes = 2 * rowAt(kThreads * kMerged);

// sortRun sorts the warp's kItems · 32 keys from number `first` on, those from n on being infinite, into a row.
template <int kItems, typename Load> GS_DEVICE void sortRun(Load load, u32 n, u32 row, u32 first) {
  u64 x[kItems];
  const u32 lane = laneID();
#pragma unroll
  for (int r = 0; r < kItems; r++) x[r] = first + r * 32 + lane < n ? load(first + r * 32 + lane) : ~0ull;
  registerSteps<1, true>(x);
  if constexpr (kItems >= 4) registerSteps<2, true>(x);
  if constexpr (kItems >= 8) registerSteps<3, true>(x);
  if constexpr (kItems >= 16) registerSteps<4, true>(x);
  constexpr int kSteps = kItems == 16 ? 4 : kItems == 8 ? 3 : kItems == 4 ? 2 : 1;
#pragma unroll 1
  for (u32 bits = 1; bits <= 5; bits++) {
    shuffleMirror(x, bits);
#pragma unroll 1
    for (u32 mask = 1u << bits >> 2; mask > 0; mask /= 2) shuffleStep(x, mask);
    registerSteps<kSteps, false>(x);
  }
#pragma unroll
  for (int r = 0; r < kItems; r++) storeAt<u64>(row + rowAt(first + lane * kItems + r), x[r]);
}

// mergeRuns merges runs of `length` of the first `all` keys of a row into the other one: a thread the 16 from
// threadIdx.x · 16 on.
GS_DEVICE void mergeRuns(u32 row, u32 to, u32 length, u32 all) {
  const u32 out = threadIdx.x * kMerged, begin = out / (2 * length) * (2 * length);
  if (out >= all) return;
  const u32 middle = begin + length < all ? begin + length : all, end = begin + 2 * length < all ? begin + 2 * length : all;
  auto at = [&](u32 i) { return loadAt<u64>(row + rowAt(i)); };
  const u32 diagonal = out - begin, lengthA = middle - begin, lengthB = end - middle;
  u32 lo = diagonal > lengthB ? diagonal - lengthB : 0, hi = diagonal < lengthA ? diagonal : lengthA;
  while (lo < hi) {
    const u32 mid = (lo + hi) / 2;
    if (at(begin + mid) <= at(middle + diagonal - 1 - mid))
      lo = mid + 1;
    else
      hi = mid;
  }
  u32 a = begin + lo, b = middle + diagonal - lo;
  u64 x = a < middle ? at(a) : ~0ull, y = b < end ? at(b) : ~0ull;
#pragma unroll
  for (u32 i = 0; i < kMerged; i++) {
    // At the ends infinite keys stand for none, which may be keys, too: then those of the list that is not used up.
    const bool first = b >= end || (a < middle && x <= y);
    storeAt<u64>(to + rowAt(out + i), first ? x : y);
    u32& next = first ? a : b;
    next++;
    const u64 key = next < (first ? middle : end) ? at(next) : ~0ull;
    if (first)
      x = key;
    else
      y = key;
  }
}

// sortLoaded sorts load(0) to load(items - 1), at most kThreads · 16, into a row, whose address it returns. Ends with a barrier.
template <u32 kThreads, typename Load> GS_DEVICE u32 sortLoaded(Load load, u32 items) {
  extern __shared__ uint4 dynamicShared[];
  constexpr u32 kWarps = kThreads / 32;
  u32 row = sharedAt(dynamicShared), other = row + rowAt(kThreads * kMerged);
  const u32 warp = threadIdx.x / 32;
  u32 length = 512;
  while (length > 128 && items <= kWarps * length / 2) length /= 2;
  const u32 first = warp * length, all = (items + length - 1) / length * length;
  if (first < items) {
    if (length == 128)
      sortRun<4>(load, items, row, first);
    else if (length == 256)
      sortRun<8>(load, items, row, first);
    else
      sortRun<16>(load, items, row, first);
  }
  __syncthreads();
  for (; length < all; length *= 2) {
    mergeRuns(row, other, length, all);
    const u32 swap = row;
    row = other, other = swap;
    __syncthreads();
  }
  return row;
}

// sortBucket sorts keys[0, items) in place.
template <u32 kThreads> GS_DEVICE void sortBucket(u64* keys, u32 items) {
  const u32 row = sortLoaded<kThreads>([&](u32 i) { return keys[i]; }, items);
  for (u32 i = threadIdx.x; i < items; i += kThreads) keys[i] = loadAt<u64>(row + rowAt(i));
}

// largeLocal: a block for each bucket; kLocalBytes<kThreads> of dynamic shared memory. Larger buckets are listed.
template <u32 kThreads> GS_DEVICE void largeLocal(u64* keys, const u32* starts, const u8* constant, Split* s, u32* large) {
  if (blockIdx.x >= s->buckets || constant[blockIdx.x]) return;
  const u32 begin = starts[blockIdx.x], items = starts[blockIdx.x + 1] - begin;
  if (items > kThreads * kMerged) {
    if (threadIdx.x == 0) large[atomicAdd(&s->large, 1u)] = blockIdx.x;
  } else if (items > 1) {
    sortBucket<kThreads>(keys + begin, items);
  }
}

// largeRest: the listed buckets, any grid. Those beyond a block's room stay as they are, and are counted.
template <u32 kThreads> GS_DEVICE void largeRest(u64* keys, const u32* starts, Split* s, const u32* large) {
  for (u32 i = blockIdx.x; i < s->large; i += gridDim.x) {
    const u32 begin = starts[large[i]], items = starts[large[i] + 1] - begin;
    if (items > kThreads * kMerged) {
      if (threadIdx.x == 0) atomicAdd(&s->left, items);
    } else {
      sortBucket<kThreads>(keys + begin, items);
    }
    __syncthreads();
  }
}

}  // namespace gs

#endif
