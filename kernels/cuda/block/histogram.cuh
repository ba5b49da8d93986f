// One read of the keys: the counts of all digits at once, whether the input is sorted or reversed, and
// between which bounds keys lie. The block that finishes last plans the passes. If narrowed keys
// (warp/narrow.cuh) have fewer digits, it leaves that to a second launch, which counts those.
#ifndef GS_BLOCK_HISTOGRAM
#define GS_BLOCK_HISTOGRAM

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"

namespace gs {

// What a launch is for.
constexpr u32 kReadFirst = 0;  // it may ask for a second one
constexpr u32 kReadAgain = 1;  // the second one: does nothing unless it was asked for
constexpr u32 kReadOnly = 2;   // there is no second one

// readsNothing tells a launch that it has nothing to do.
GS_DEVICE bool readsNothing(const Control* c, u32 read, const u32* gate) {
  if (gate != nullptr && *gate != kGateOpen) return true;
  return read == kReadAgain && c->recount == 0;
}

// BoundsSoFar is KeyBounds of a thread's keys, none at first. Least is the complement of `inverse`, the largest
// complement, so that all four begin as 0 and only grow.
template <typename K> struct BoundsSoFar {
  K ones = 0, zeros = 0, most = 0, inverse = 0;
  GS_DEVICE void add(K k) {
    const K not_k = K(~k);
    ones |= k, zeros |= not_k;
    most = k > most ? k : most;
    inverse = not_k > inverse ? not_k : inverse;
  }
  // share adds a warp's bounds to its block's, four words of shared memory. All lanes.
  GS_DEVICE void share(u64* block) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
      ones |= __shfl_xor_sync(kAllLanes, ones, d), zeros |= __shfl_xor_sync(kAllLanes, zeros, d);
      const K m = __shfl_xor_sync(kAllLanes, most, d), i = __shfl_xor_sync(kAllLanes, inverse, d);
      most = m > most ? m : most;
      inverse = i > inverse ? i : inverse;
    }
    if (laneID() != 0) return;
    atomicOr(&block[0], u64(ones)), atomicOr(&block[1], u64(zeros));
    atomicMax(&block[2], u64(most)), atomicMax(&block[3], u64(inverse));
  }
};

template <typename K> GS_DEVICE u32 relation(K a, K b) { return a > b ? kSeenDescent : a < b ? kSeenAscent : kSeenEqual; }

// Costs of what can be chosen, in halves of a pass. An odd number of passes ends with a copy.
constexpr u32 kCostRead = 1, kCostFill = 1, kCostFixUp = 2;
GS_DEVICE u32 costOf(u32 passes, u32 mode) { return 2 * passes + (mode == kModeArgsort ? 0 : passes % 2); }

// asksAgain has the second launch count narrowed keys, if their passes cost less than `cost`. One thread.
template <int kPasses> GS_DEVICE bool asksAgain(Control* c, u32 mode, u32 cost) {
  volatile const Control* const v = c;
  const KeyBounds b = {v->ones, v->zeros, ~v->inverse & lowBits(8 * kPasses), v->most};
  const Narrow narrow = narrowestOf(b);
  const u32 digits = (narrow.bits + kDigitBits - 1) / kDigitBits;
  if (kCostRead + (digits == 1 && mode == kModeKeys ? kCostFill : costOf(digits, mode)) >= cost) return false;
  c->narrow = narrow;
  c->recount = 1;
  c->done = 0;
  return true;
}

// planPasses writes pass[], finish and the fill fields, or returns false: see asksAgain. One thread.
// varying has bit p set if digit p differs between keys. leave(d) returns those of the
// digits d, which would have passes, that do have one.
template <int kPasses, typename Leave> GS_DEVICE bool planPasses(Control* c, u32 mode, u32 read, u32 seen, u32 varying, const Leave& leave) {
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
  const u32 left = leave(varying);
  if (kPasses >= 4 && read == kReadFirst && varying != 0 &&
      asksAgain<kPasses>(c, mode, costOf(u32(__popc(left)), mode) + (left == varying ? 0 : kCostFixUp))) {
    leave(0);
    return false;
  }
  varying = left;
  const bool narrow = c->recount != 0;
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
  return true;
}

// planBlock runs in the last block, all threads. Warp p scans digit p.
template <int kPasses, typename Leave> GS_DEVICE void planBlock(Control* c, u64 n, u32 mode, u32 read, const Leave& leave, u32* varying, u64* bits) {
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
    *varying = planPasses<kPasses>(c, mode, read, *(volatile u32*)&c->seen, *varying, leave);
  }
  if (read != kReadFirst || kPasses < 4) return;
  __syncthreads();
  if (*varying != 0) return;
  for (u32 i = threadIdx.x; i < kPasses * kDigits; i += blockDim.x) c->counts[0][i] = 0;
}

// leaveNone leaves out none.
GS_DEVICE u32 leaveNone(u32 varying) { return varying; }

// endHistogram is the end of a histogram's block, all threads, behind a barrier that
// comes after the last change of blockSeen and of the block's bounds (BoundsSoFar.share). The block has begun all its additions to
// c->counts. leave: see planPasses; a thread of the last block calls it, behind all that
// other blocks wrote before.
template <int kPasses, typename Leave>
GS_DEVICE void endHistogram(Control* c, u64 n, u32 mode, u32 read, u32 blockSeen, const u64* bounds, Leave leave) {
  __shared__ u64 bits;
  __shared__ u32 varying, last;
  if (threadIdx.x == 0 && blockSeen != 0) atomicOr(&c->seen, blockSeen);
  if (threadIdx.x == 0 && kPasses >= 4 && read == kReadFirst) {
    atomicOr(&c->ones, bounds[0]), atomicOr(&c->zeros, bounds[1]);
    atomicMax(&c->most, bounds[2]), atomicMax(&c->inverse, bounds[3]);
  }
  // Every thread's additions come before the block's increment of done: fence,
  // then barrier, then thread 0 increments. The block that sees all others'
  // increments fences before it reads their additions.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&c->done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  planBlock<kPasses>(c, n, mode, read, leave, &varying, &bits);
}

// histogram counts keys[0, n), n >= 1, in a grid of any size. keys is aligned
// to its element. A block handles fewer than 2^32 keys. gate: see kGateOpen;
// null counts always. read: kReadFirst, kReadAgain or kReadOnly.
template <typename K, int kThreads> GS_DEVICE void histogram(const K* keys, u64 n, Control* c, u32 codec, u32 mode, const u32* gate, u32 read) {
  constexpr int kPasses = sizeof(K);
  constexpr u32 kVector = 16 / sizeof(K);
  static_assert(kThreads >= 32 * kPasses, "a warp per digit plans");
  if (readsNothing(c, read, gate)) return;
  __shared__ u32 counts[kPasses * kDigits];
  __shared__ u32 blockSeen;
  __shared__ u64 bounds[4];
  for (u32 i = threadIdx.x; i < kPasses * kDigits; i += kThreads) counts[i] = 0;
  if (threadIdx.x == 0) blockSeen = 0;
  if (threadIdx.x < 4) bounds[threadIdx.x] = 0;
  __syncthreads();

  // The second launch has nothing to watch.
  u32 seen = read == kReadAgain ? kSeenDescent | kSeenAscent : 0;
  BoundsSoFar<K> mine;
  const Narrower<K> narrower(c->narrow);  // changes nothing, unless this is the second launch
  auto add = [&](K k) {
    mine.add(k);
    if (kPasses >= 4) k = narrower.narrow(k);
#pragma unroll
    for (int p = 0; p < kPasses; p++) atomicAdd(&counts[p * kDigits + u32(k >> (kDigitBits * p)) % kDigits], 1u);
  };
  const u64 misaligned = (reinterpret_cast<u64>(keys) % 16) / sizeof(K);
  u64 head = misaligned ? kVector - misaligned : 0;
  if (head > n) head = n;
  const u64 vectors = (n - head) / kVector;
  const uint4* body = reinterpret_cast<const uint4*>(keys + head);
  for (u64 i = u64(blockIdx.x) * kThreads + threadIdx.x; i < vectors; i += u64(gridDim.x) * kThreads) {
    union {
      uint4 raw;
      K k[kVector];
    } v;
    v.raw = __ldcs(body + i);
    if (codec != 0) {
#pragma unroll
      for (u32 j = 0; j < kVector; j++) v.k[j] = encode(codec, v.k[j]);
    }
#pragma unroll
    for (u32 j = 0; j < kVector; j++) add(v.k[j]);
    // A descent and an ascent together rule out every shortcut.
    if ((seen & (kSeenDescent | kSeenAscent)) != (kSeenDescent | kSeenAscent)) {
#pragma unroll
      for (u32 j = 0; j + 1 < kVector; j++) seen |= relation(v.k[j], v.k[j + 1]);
      const u64 next = head + (i + 1) * kVector;
      if (next < n) seen |= relation(v.k[kVector - 1], encode(codec, keys[next]));
    }
  }
  // The ends that are no whole vector: fewer than kVector keys on each side.
  if (blockIdx.x == 0 && threadIdx.x < 2 * kVector) {
    const bool front = threadIdx.x < kVector;
    const u64 i = front ? threadIdx.x : head + vectors * kVector + threadIdx.x - kVector;
    if (i < (front ? head : n)) {
      const K k = encode(codec, keys[i]);
      add(k);
      if (i + 1 < n) seen |= relation(k, encode(codec, keys[i + 1]));
    }
  }
  if (seen != 0) atomicOr(&blockSeen, seen);
  if (kPasses >= 4) mine.share(bounds);
  __syncthreads();
  for (u32 i = threadIdx.x; i < kPasses * kDigits; i += kThreads) {
    if (counts[i] != 0) atomicAdd(&c->counts[0][0] + i, u64(counts[i]));
  }
  endHistogram<kPasses>(c, n, mode, read, blockSeen, bounds, leaveNone);
}

}  // namespace gs

#endif
