// Between which bounds keys lie, and so how they are narrowed (warp/narrow.cuh): the launch before a histogram.
//
// Every block looks at the same 1,024 keys first. Only if these, narrowed, would save passes, which pay for one more
// read of the keys, the grid reads all of them; the block that finishes last decides.
#ifndef GS_BLOCK_BOUNDS
#define GS_BLOCK_BOUNDS

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"
#include "warp/vector.cuh"

namespace gs {

constexpr u32 kBoundsLog = 10, kBoundsThreads = 1u << kBoundsLog;
GS_CONSTANT(BoundsThreads, kBoundsThreads)

// Costs of what can be chosen, in halves of a pass. An odd number of passes ends with a copy.
constexpr u32 kCostRead = 1, kCostFill = 1, kCostFixUp = 2;
GS_DEVICE u32 costOf(u32 passes, u32 mode) { return 2 * passes + (mode == kModeArgsort ? 0 : passes % 2); }

// sortCost is what sorting by so many digits costs: of one digit, keys alone are written anew from its counts.
GS_DEVICE u32 sortCost(u32 digits, u32 mode) {
  return digits == 1 && mode == kModeKeys ? kCostFill : costOf(digits, mode);
}

// narrowSaves computes *narrow and reports that it saves more than a read of the keys. One thread.
GS_DEVICE bool narrowSaves(const KeyBounds& b, u32 mode, Narrow* narrow) {
  const u32 varying = digitsOf(b.differ);
  if (varying < 2) return false;
  *narrow = narrowestOf(b);
  return kCostRead + sortCost((narrow->bits + kDigitBits - 1) / kDigitBits, mode) < sortCost(varying, mode);
}

// BoundsSoFar is KeyBounds of a thread's keys.
template <typename K> struct BoundsSoFar {
  K sample, differ, least, most;
  GS_DEVICE explicit BoundsSoFar(K sample_) : sample(sample_), differ(0), least(sample_), most(sample_) {}
  GS_DEVICE void add(K k) {
    differ |= k ^ sample;
    most = k > most ? k : most;
    least = k < least ? k : least;
  }
  // share adds a warp's bounds to its block's in shared memory, zero at first: differ, most and `inverse`, the largest
  // complement. All lanes.
  GS_DEVICE void share(u64* block) {
    differ = warpOr(differ), most = warpGreatest(most), least = warpLeast(least);
    if (laneID() != 0) return;
    atomicOr(&block[0], u64(differ));
    atomicMax(&block[1], u64(most)), atomicMax(&block[2], u64(K(~least)));
  }
  GS_DEVICE KeyBounds whole(const u64* block) const {
    const volatile u64* const v = block;
    return {u64(sample), v[0], u64(K(~v[2])), v[1]};
  }
};

// bounds writes c->narrow and c->narrowed, if keys[0, n) are to be narrowed. n is at least kBoundsThreads. Launch:
// kBoundsThreads threads, any grid. gate: see kGateOpen; may be null.
template <typename K> GS_DEVICE void bounds(const K* keys, u64 n, Control* c, u32 codec, u32 mode, const u32* gate) {
  if (gate != nullptr && *gate != kGateOpen) return;
  constexpr u32 kVector = KeyVector<K>::kKeys;
  constexpr int kAhead = 4;  // independent 16-byte loads per thread
  __shared__ u64 block[3];
  __shared__ Narrow narrow;
  __shared__ u32 saves;
  const u32 t = threadIdx.x;
  if (t < 3) block[t] = 0;
  BoundsSoFar<K> mine(encode(codec, keys[0]));
  mine.add(encode(codec, keys[chancePlace(t, kBoundsLog, n)]));
  __syncthreads();
  mine.share(block);
  __syncthreads();
  if (t == 0) saves = narrowSaves(mine.whole(block), mode, &narrow);
  __syncthreads();
  if (saves == 0) return;

  const WholeVectors<K, u64> whole(keys, n);
  const u64 step = u64(gridDim.x) * kBoundsThreads;
  for (u64 i = u64(blockIdx.x) * kBoundsThreads + t; i < whole.many; i += kAhead * step) {
    KeyVector<K> v[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; j++) v[j].raw = __ldcs(whole.body + (i + j * step < whole.many ? i + j * step : i));
#pragma unroll
    for (int j = 0; j < kAhead; j++) {
#pragma unroll
      for (u32 x = 0; x < kVector; x++) mine.add(encode(codec, v[j].k[x]));
    }
  }
  // The ends that are no whole vector.
  const u64 tail = whole.head + whole.many * kVector;
  if (blockIdx.x == 0 && t < whole.head) mine.add(encode(codec, keys[t]));
  if (blockIdx.x == 0 && t < n - tail) mine.add(encode(codec, keys[tail + t]));
  mine.share(block);
  __syncthreads();
  // A block's additions come before its increment: fence by the thread that made them. The last one fences before
  // it reads all others'.
  if (t != 0) return;
  atomicOr(&c->bounds[0], block[0]);
  atomicMax(&c->bounds[1], block[1]), atomicMax(&c->bounds[2], block[2]);
  __threadfence();
  if (atomicAdd(&c->bounded, 1u) != gridDim.x - 1) return;
  __threadfence();
  if (!narrowSaves(mine.whole(c->bounds), mode, &narrow)) return;
  c->narrow = narrow;
  c->narrowed = 1;
}

}  // namespace gs

#endif
