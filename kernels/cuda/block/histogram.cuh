// One read of the keys: the counts of all digits at once, of narrowed keys if the launch before said so, and whether
// the input is sorted or reversed. The block that finishes last plans the passes.
#ifndef GS_BLOCK_HISTOGRAM
#define GS_BLOCK_HISTOGRAM

#include "block/bounds.cuh"
#include "block/control.cuh"
#include "block/low.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"
#include "warp/vector.cuh"

namespace gs {

// planPasses writes pass[], finish and the fill fields. One thread.
// varying has bit p set if digit p differs between keys.
template <int kPasses> GS_DEVICE void planPasses(Control* c, u32 mode, u32 seen, u32 varying) {
  const bool sorted = !(seen & kSeenDescent);
  // Reversing pairs keeps the order of equal keys only if there are none.
  const bool reversed = !(seen & (mode == kModeKeys ? kSeenAscent : kSeenAscent | kSeenEqual));
  u32 finish = kFinishNone;
  if (sorted) {
    if (mode == kModeArgsort) finish = kFinishIota;
    varying = 0;
  } else if (reversed) {
    finish = mode == kModeArgsort ? kFinishIotaReverse : kFinishReverse;
    varying = 0;
  } else if (mode == kModeKeys && __popc(varying) == 1) {
    finish = kFinishFill;
    c->fillPass = __ffs(varying) - 1;
    varying = 0;
  }
  if (kPasses == 8) {
    c->varying = varying;
    varying = leaveLow(c, varying);
  }
  const bool narrow = c->narrowed != 0;
  if (mode != kModeArgsort && __popc(varying) % 2 == 1) finish = kFinishCopy;
  c->finish = finish;
  const u32 total = __popc(varying);
  u32 done = 0;
  u32 keysAt = kPlaceIO, valuesAt = mode == kModeArgsort ? kPlaceNone : kPlaceIO;
  for (int p = 0; p < kPasses; p++) {
    PassPlan plan = {0};
    if (varying >> p & 1) {
      const bool last = done + 1 == total;
      u32 dstKeys, dstValues;
      if (mode == kModeArgsort) {
        // The keys stay; the indices are laid so that the last pass writes
        // the caller's buffer.
        dstKeys = last ? kPlaceNone : keysAt == kPlaceA ? kPlaceB : kPlaceA;
        dstValues = (total - 1 - done) % 2 ? kPlaceA : kPlaceIO;
      } else {
        dstKeys = dstValues = keysAt == kPlaceIO ? kPlaceA : kPlaceIO;
      }
      plan = makePassPlan(done == 0, last, narrow && (done == 0 || last), keysAt, dstKeys, valuesAt, dstValues);
      keysAt = dstKeys;
      valuesAt = dstValues;
      done++;
    }
    c->pass[p] = plan;
  }
}

// planBlock runs in the last block, all threads. Warp p scans digit p.
template <int kPasses> GS_DEVICE void planBlock(Control* c, u64 n, u32 mode, u32* varying, u64* bits) {
  const u32 p = threadIdx.x / 32, lane = laneID();
  if (threadIdx.x == 0) *varying = 0, *bits = 0;
  __syncthreads();
  if (p < kPasses) {
    constexpr int kEach = kDigits / 32;
    u64 count[kEach], sum = 0;
    bool constant = false;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      count[i] = *(volatile u64*)&c->counts[p][lane * kEach + i];
      sum += count[i];
      if (count[i] == n) {
        constant = true;
        atomicAdd(bits, u64(lane * kEach + i) << (kDigitBits * p));
      }
    }
    u64 start = inclusiveSum(sum) - sum;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      c->start[p][0][lane * kEach + i] = start;
      start += count[i];
    }
    if (!__any_sync(kAllLanes, constant) && lane == 0) atomicOr(varying, 1u << p);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    c->fillBits = *bits;
    planPasses<kPasses>(c, mode, *(volatile u32*)&c->seen, *varying);
  }
}

// endHistogram is the end of a histogram's block, all threads, behind a barrier that
// comes after the last change of blockSeen. The block has begun all its additions to
// c->counts.
template <int kPasses> GS_DEVICE void endHistogram(Control* c, u64 n, u32 mode, u32 blockSeen) {
  __shared__ u64 bits;
  __shared__ u32 varying, last;
  if (threadIdx.x == 0 && blockSeen != 0) atomicOr(&c->seen, blockSeen);
  // Every thread's additions come before the block's increment of done: fence,
  // then barrier, then thread 0 increments. The block that sees all others'
  // increments fences before it reads their additions.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&c->done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  planBlock<kPasses>(c, n, mode, &varying, &bits);
}

// histogram counts keys[0, n), n >= 1, in a grid of any size. keys is aligned
// to its element. A block handles fewer than 2^32 keys. gate: see kGateOpen;
// null counts always.
template <typename K, int kThreads>
GS_DEVICE void histogram(const K* keys, u64 n, Control* c, u32 codec, u32 mode, const u32* gate) {
  constexpr int kPasses = sizeof(K);
  constexpr u32 kVector = KeyVector<K>::kKeys;
  static_assert(kThreads >= 32 * kPasses, "a warp per digit plans");
  if (gate != nullptr && *gate != kGateOpen) return;
  __shared__ u32 counts[kPasses * kDigits];
  __shared__ u32 blockSeen;
  for (u32 i = threadIdx.x; i < kPasses * kDigits; i += kThreads) counts[i] = 0;
  if (threadIdx.x == 0) blockSeen = 0;
  __syncthreads();

  u32 seen = 0;
  const bool narrowed = kPasses >= 4 && c->narrowed != 0;
  const Narrower<K> narrower(c->narrow);
  const auto sorted = [&](K k) { return narrowed ? narrower.narrow(encode(codec, k)) : encode(codec, k); };
  auto add = [&](K k) {
#pragma unroll
    for (int p = 0; p < kPasses; p++) atomicAdd(&counts[p * kDigits + u32(k >> (kDigitBits * p)) % kDigits], 1u);
  };
  const WholeVectors<K, u64> whole(keys, n);
  for (u64 i = u64(blockIdx.x) * kThreads + threadIdx.x; i < whole.many; i += u64(gridDim.x) * kThreads) {
    KeyVector<K> v;
    v.raw = __ldcs(whole.body + i);
    encodeAll(codec, v.k);
    if (narrowed) {
#pragma unroll
      for (u32 j = 0; j < kVector; j++) v.k[j] = narrower.narrow(v.k[j]);
    }
#pragma unroll
    for (u32 j = 0; j < kVector; j++) add(v.k[j]);
    // A descent and an ascent together rule out every shortcut.
    if ((seen & (kSeenDescent | kSeenAscent)) != (kSeenDescent | kSeenAscent)) {
#pragma unroll
      for (u32 j = 0; j + 1 < kVector; j++) seen |= relation(v.k[j], v.k[j + 1]);
      const u64 next = whole.head + (i + 1) * kVector;
      if (next < n) seen |= relation(v.k[kVector - 1], sorted(keys[next]));
    }
  }
  // The ends that are no whole vector: fewer than kVector keys on each side.
  if (blockIdx.x == 0 && threadIdx.x < 2 * kVector) {
    const bool front = threadIdx.x < kVector;
    const u64 i = front ? threadIdx.x : whole.head + whole.many * kVector + threadIdx.x - kVector;
    if (i < (front ? whole.head : n)) {
      const K k = sorted(keys[i]);
      add(k);
      if (i + 1 < n) seen |= relation(k, sorted(keys[i + 1]));
    }
  }
  if (seen != 0) atomicOr(&blockSeen, seen);
  __syncthreads();
  for (u32 i = threadIdx.x; i < kPasses * kDigits; i += kThreads) {
    if (counts[i] != 0) atomicAdd(&c->counts[0][0] + i, u64(counts[i]));
  }
  endHistogram<kPasses>(c, n, mode, blockSeen);
}

}  // namespace gs

#endif
