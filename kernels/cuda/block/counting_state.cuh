// The state of a counting sort in device memory, zeroed before the first
// launch, and what all its stages share.
//
// Counter b counts the keys with encoded key lo+b, where an encoded key is what the order
// codec makes of a key (warp/codec.cuh): encoded keys in rising order are keys in the
// wanted order. n is below 2^32, so that places are 32-bit numbers.
#ifndef GS_BLOCK_COUNTING_STATE
#define GS_BLOCK_COUNTING_STATE

#include "block/control.cuh"
#include "block/scan_state.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"
#include "warp/vector.cuh"

namespace gs {

// How a sort of unknown range counts. kCountRadix is the gate of the radix sort
// behind it, which takes what cannot be counted.
constexpr u32 kCountShared = 1;           // counters of a block in shared memory
constexpr u32 kCountRadix = kGateOpen;    // too wide and too many distinct keys
constexpr u32 kCountGlobal = 3;           // counters in device memory
constexpr u32 kCountDistinct = 4;         // a counter per distinct key, found by hashing
static_assert(kGateOpen == 2, "the routes differ");

constexpr u32 kRefusedKey = 1;  // a key outside the promised range

// The status record of internal/plan.
struct CountingStatus {
  u32 refused;  // the code …
  u32 unused;
  u64 culprit;  // … and the key's bits
};

struct CountingState : CountingStatus {
  u32 route;    // after the range is known
  u32 bins;     // counters in use
  u64 lo;       // encoded key of counter 0
  u64 max;      // greatest encoded key
  u64 notMin;   // complement of the least encoded key, so that zero is neutral
  u32 distinct;  // distinct keys found by hashing
  u32 overflow;  // there are too many
  u32 gathered;  // of them, listed
  u32 unused2;
};
GS_CONSTANT(CountingStateBytes, sizeof(CountingState))
GS_CONSTANT(CountingRouteAt, sizeof(CountingStatus))
GS_CONSTANT(CountingBinsAt, sizeof(CountingStatus) + sizeof(u32))

// eachVector calls f(vector, place, valid) for a grid's share of the whole
// vectors, in whole warps: a lane that is left over comes with valid = false.
// place is where the vector's first key lies among the keys. kAhead loads are
// under way at a time.
template <typename K, int kAhead = 4, typename F> GS_DEVICE void eachVector(const K* keys, u64 n, F f) {
  const WholeVectors<K, u64> x(keys, n);
  constexpr u32 kEach = KeyVector<K>::kKeys;
  const u64 count = x.many, stride = u64(gridDim.x) * blockDim.x;
  u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; (i | 31) + (kAhead - 1) * stride < count; i += kAhead * stride) {
    KeyVector<K> v[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; j++) v[j].raw = x.body[i + j * stride];
#pragma unroll
    for (int j = 0; j < kAhead; j++) f(v[j], (i + j * stride) * kEach + x.head, true);
  }
  for (; (i & ~u64(31)) < count; i += stride) {
    KeyVector<K> v;
    v.raw = make_uint4(0, 0, 0, 0);
    if (i < count) v.raw = x.body[i];
    f(v, i * kEach + x.head, i < count);
  }
}

// eachEnd calls f(key, place) for those of the n keys that are outside whole
// vectors: fewer than kEach before and as many behind them. The first block does it.
template <typename K, typename F> GS_DEVICE void eachEnd(const K* keys, u64 n, F f) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const WholeVectors<K, u64> x(keys, n);
  for (u64 i = 0; i < x.head; i++) f(keys[i], i);
  for (u64 i = x.head + x.many * KeyVector<K>::kKeys; i < n; i++) f(keys[i], i);
}

}  // namespace gs

#endif
