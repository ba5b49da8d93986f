// The range of the keys, and how they are counted.
#ifndef GS_BLOCK_COUNTING_RANGE
#define GS_BLOCK_COUNTING_RANGE

#include "block/counting_state.cuh"

namespace gs {

GS_DEVICE u64 larger(u64 a, u64 b) { return a > b ? a : b; }

// findRange puts the greatest and the least encoded key into the state. Launch: any
// blocks, any multiple of 32 threads.
template <typename K> GS_DEVICE void findRange(const K* keys, u64 n, CountingState* state, u32 codec) {
  __shared__ u64 greatest[32], least[32];  // least as complements
  u64 max = 0, notMin = 0;
  auto see = [&](K k) {
    const u64 encoded = encode(codec, k);
    max = larger(max, encoded);
    notMin = larger(notMin, ~encoded);
  };
  eachVector<K>(keys, n, [&](const KeyVector<K>& v, u64, bool valid) {
    if (!valid) return;
#pragma unroll
    for (u32 j = 0; j < KeyVector<K>::kKeys; j++) see(v.k[j]);
  });
  eachEnd<K>(keys, n, [&](K k, u64) { see(k); });
  max = warpGreatest(max), notMin = warpGreatest(notMin);
  if (laneID() == 0) {
    greatest[threadIdx.x / 32] = max;
    least[threadIdx.x / 32] = notMin;
  }
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const bool warp = laneID() < blockDim.x / 32;
  max = warpGreatest(warp ? greatest[laneID()] : 0), notMin = warpGreatest(warp ? least[laneID()] : 0);
  if (laneID() == 0) {
    atomicMax(&state->max, max);
    atomicMax(&state->notMin, notMin);
  }
}

// chooseRoute decides how to count, from the range. One thread.
GS_DEVICE void chooseRoute(CountingState* state, u32 sharedCounters, u32 globalCounters) {
  const u64 lo = ~state->notMin, span = state->max - lo;
  state->lo = lo;
  if (span < sharedCounters) {
    state->route = kCountShared;
  } else if (span < globalCounters) {
    state->route = kCountGlobal;
  } else {
    state->route = kCountDistinct;
    return;  // as many counters as distinct keys will be found
  }
  state->bins = u32(span) + 1;
}

// clearCounters zeroes the counters in use. Launch: any.
GS_DEVICE void clearCounters(const CountingState* state, u32* counts) {
  const u32 bins = state->bins, stride = gridDim.x * blockDim.x;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < bins; i += stride) counts[i] = 0;
}

}  // namespace gs

#endif
