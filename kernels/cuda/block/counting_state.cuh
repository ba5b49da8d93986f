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

// Keys from a 16-byte boundary on: data[0] lies `begin` keys behind it. Only the
// first and the last vector may hold other things beside the keys.
template <typename K> struct Vectors {
  static constexpr u32 kEach = 16 / sizeof(K);
  K* base;
  u64 begin, end;  // positions of the data from base
  GS_DEVICE Vectors(K* data, u64 n) {
    begin = reinterpret_cast<u64>(data) % 16 / sizeof(K);
    base = data - begin;
    end = begin + n;
  }
  GS_DEVICE u64 firstWhole() const { return begin != 0; }
  GS_DEVICE u64 wholes() const {
    const u64 last = end / kEach;
    return last > firstWhole() ? last - firstWhole() : 0;
  }
};

// eachVector calls f(vector, place, valid) for a grid's share of the whole
// vectors, in whole warps: a lane that is left over comes with valid = false.
// place is where the vector's first key lies among the keys. kAhead loads are
// under way at a time.
template <typename K, int kAhead = 4, typename F> GS_DEVICE void eachVector(const Vectors<const K>& x, F f) {
  constexpr u32 kEach = Vectors<const K>::kEach;
  const u64 count = x.wholes(), stride = u64(gridDim.x) * blockDim.x, skipped = x.firstWhole() * kEach - x.begin;
  const uint4* const from = reinterpret_cast<const uint4*>(x.base) + x.firstWhole();
  u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; (i | 31) + (kAhead - 1) * stride < count; i += kAhead * stride) {
    KeyVector<K> v[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; j++) v[j].raw = from[i + j * stride];
#pragma unroll
    for (int j = 0; j < kAhead; j++) f(v[j], (i + j * stride) * kEach + skipped, true);
  }
  for (; (i & ~u64(31)) < count; i += stride) {
    KeyVector<K> v;
    v.raw = make_uint4(0, 0, 0, 0);
    if (i < count) v.raw = from[i];
    f(v, i * kEach + skipped, i < count);
  }
}

// eachEnd calls f(key, place) for the keys outside whole vectors: fewer than
// kEach before and as many behind them. The first block does it.
template <typename K, typename F> GS_DEVICE void eachEnd(const Vectors<const K>& x, F f) {
  constexpr u32 kEach = Vectors<const K>::kEach;
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const u64 n = x.end - x.begin, inner = x.wholes() * kEach;
  const u64 head = inner == 0 ? n : x.firstWhole() * kEach - x.begin;
  for (u64 i = 0; i < head; i++) f(x.base[x.begin + i], i);
  for (u64 i = head + inner; i < n; i++) f(x.base[x.begin + i], i);
}

}  // namespace gs

#endif
