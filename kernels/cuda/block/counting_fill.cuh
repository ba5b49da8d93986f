// Writing sorted keys from their counts: keys alone are not moved, their values
// are written out as runs.
#ifndef GS_BLOCK_COUNTING_FILL
#define GS_BLOCK_COUNTING_FILL

#include "block/counting_state.cuh"
#include "warp/mergepath.cuh"

namespace gs {

// runAt returns the last of starts[lo … hi] that is at most `place`, where
// starts[lo] is: the run that holds it. Empty runs start where their successor
// does, so that the last one is the one that is not empty.
GS_DEVICE u32 runAt(const u32* starts, u32 lo, u32 hi, u32 place) {
  return bisect(lo + 1, hi + 1, [&](u32 x) { return starts[x] <= place; }) - 1;
}

// fillRuns writes keys[0, n): places from starts[b] on hold the key with encoded key
// encodedKeys[b], or lo+b where encodedKeys is null. It does nothing after a refusal. With
// useState, lo and bins are the state's, and encoded keys matter only on the route
// kCountDistinct; on kCountRadix there are no counters and nothing is done.
// Launch: any blocks, any multiple of 32 threads.
//
// A warp takes kVectors rows of 32 vectors at a time and finds the runs of their
// first and last key, two lanes at once. If it is one run, as it is for few
// distinct keys, the rest is stores; else each lane looks within those bounds.
template <typename K>
GS_DEVICE void fillRuns(K* keys, u64 n, const CountingState* state, const u32* starts, const u64* encodedKeys, u64 lo,
                        u32 bins, u32 codec, u32 useState) {
  constexpr u32 kEach = 16 / sizeof(K), kVectors = 8;
  if (state->refused) return;
  if (useState) {
    lo = state->lo;
    bins = state->bins;
    if (bins == 0) return;
    if (state->route != kCountDistinct) encodedKeys = nullptr;
  } else {
    encodedKeys = nullptr;
  }
  // Vectors count from the 16-byte boundary at or before the keys, which are base[begin, past).
  const u64 begin = reinterpret_cast<u64>(keys) % 16 / sizeof(K), past = begin + n;
  K* const base = keys - begin;
  const u64 chunk = u64(32) * kVectors * kEach, chunks = (past + chunk - 1) / chunk;
  const u32 lane = laneID(), warps = blockDim.x / 32;
  auto key = [&](u32 run) { return decode(codec, encodedKeys != nullptr ? K(encodedKeys[run]) : K(K(lo) + K(run))); };
  for (u64 number = u64(blockIdx.x) * warps + threadIdx.x / 32; number < chunks; number += u64(gridDim.x) * warps) {
    const u64 first = number * chunk, end = first + chunk < past ? first + chunk : past;
    const u64 from = first > begin ? first : begin;
    const u32 found = runAt(starts, 0, bins - 1, u32((lane == 0 ? from : end - 1) - begin));
    const u32 low = __shfl_sync(kAllLanes, found, 0), high = __shfl_sync(kAllLanes, found, 1);
    const bool whole = first >= begin && first + chunk <= past;
    if (low == high && whole) {
      const K k = key(low);
      KeyVector<K> v;
#pragma unroll
      for (u32 j = 0; j < kEach; j++) v.k[j] = k;
      uint4* const to = reinterpret_cast<uint4*>(base + first) + lane;
#pragma unroll
      for (u32 r = 0; r < kVectors; r++) to[32 * r] = v.raw;
      continue;
    }
    for (u32 r = 0; r < kVectors; r++) {
      const u64 at = first + u64(32 * r + lane) * kEach;
      u32 run = low;
      u64 next = 0;  // where the run ends; 0: not looked up yet
      K k = 0;
      KeyVector<K> v;
#pragma unroll
      for (u32 j = 0; j < kEach; j++) {
        if (at + j >= from && at + j < end) {
          const u32 place = u32(at + j - begin);
          if (place >= next) {
            run = runAt(starts, run, high, place);
            next = run < high ? starts[run + 1] : ~u64(0);
            k = key(run);
          }
          v.k[j] = k;
        }
      }
      if (at >= from && at + kEach <= end) {
        *reinterpret_cast<uint4*>(base + at) = v.raw;
      } else {
#pragma unroll
        for (u32 j = 0; j < kEach; j++) {
          if (at + j >= from && at + j < end) base[at + j] = v.k[j];
        }
      }
    }
  }
}

}  // namespace gs

#endif
