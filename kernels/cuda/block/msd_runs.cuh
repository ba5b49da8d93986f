// A bucket with more than 16 bits left, sorted in shared memory: by the next 16
// bits, then what agrees in them by insertion. For keys alone, and for the words
// of an argsort.
#ifndef GS_BLOCK_MSD_RUNS
#define GS_BLOCK_MSD_RUNS

#include "block/msd_local.cuh"

namespace gs {

// Natural is the order of words that say all of their keys.
struct Natural {
  template <typename K> GS_DEVICE bool before(K a, K b) const { return a < b; }
};

// TopValue is the 16 bits behind the top `bits`, which lie in the top word.
struct TopValue {
  u32 bits;
  template <typename K> GS_DEVICE u32 operator()(K k) const { return topWord(k) >> (16 - bits) & 0xffff; }
};

// What a block asks before it counts keys.
struct NeverGiveUp {
  static constexpr bool kAsks = false;
};
struct Hopeless {
  static constexpr bool kAsks = true;
  const MsdState* state;
  u32 bucket;
  GS_DEVICE bool operator()() const { return hopeless(state, bucket); }
};

// RunsShared is the dynamic shared memory of sortRuns.
template <typename L> struct RunsShared {
  u32* words;
  typename L::K* sorted;  // slots
  u32* taken;             // 4 bits per slot, at a run's last: keys stored
  u32* runs;              // last slot | keys << 16
  GS_DEVICE explicit RunsShared(uint4* base) : words(reinterpret_cast<u32*>(base)) {
    sorted = reinterpret_cast<typename L::K*>(words + kFieldWords);
    taken = reinterpret_cast<u32*>(sorted + L::kKeys);
    runs = taken + L::kKeys / 8;
  }
};

// sortRuns leaves a bucket's keys sorted in their slots of shared memory, the
// block past a barrier: sorted by a value of 16 bits, then each run of keys that
// agree in it by insertion in the wanted order. A run has at most 7 keys, for its
// word of counters has. It returns false, the same in all threads, if the counters
// or the list of runs cannot hold the bucket, or if thread 0 is told to
// give up, which it asks while keys are on their way.
template <typename L, typename Value, typename Order, typename GiveUp = NeverGiveUp>
GS_DEVICE bool sortRuns(const Bucket<typename L::K>& bucket, const Value& valueOf, const Order& order,
                        const GiveUp& giveUp = GiveUp()) {
  typedef typename L::K K;
  constexpr int kThreads = L::kThreads, kVectors = L::kVectors;
  constexpr int kVector = L::kVector;
  extern __shared__ uint4 dynamicShared[];
  __shared__ u32 totals[kSuperblocks];
  __shared__ u32 runCount;
  const RunsShared<L> shared(dynamicShared);
  u32* const words = shared.words;
  K* const sorted = shared.sorted;
  u32* const taken = shared.taken;
  u32* const runs = shared.runs;
  const u32 t = threadIdx.x, lane = laneID();
  if (bucket.skew + bucket.items > L::kKeys) return false;

  K k[kVectors * kVector], edgeKey = 0;
#pragma unroll
  for (int j = 0; j < kVectors; j++) {
    KeyVector<K> v;
    v.raw = make_uint4(0, 0, 0, 0);
    if (t + j * kThreads < bucket.vectors) v.raw = bucket.body()[t + j * kThreads];
#pragma unroll
    for (int i = 0; i < kVector; i++) k[j * kVector + i] = v.k[i];
  }
  if (t < bucket.edge) edgeKey = bucket.keys[bucket.edgeAt()];
  clearFields<kThreads>(dynamicShared);
  for (u32 i = t; i < L::kKeys / 8; i += kThreads) taken[i] = 0;
  if (t == 0) runCount = 0;
  if constexpr (GiveUp::kAsks) {
    if (__syncthreads_or(t == 0 && giveUp())) return false;
  } else {
    __syncthreads();
  }
  auto count = [&](K key) {
    const u32 v = valueOf(key);
    atomicAdd(&words[v >> 3], fieldAddend(fieldShift(v)));
  };
#pragma unroll
  for (int j = 0; j < kVectors; j++) {
    if (t + j * kThreads < bucket.vectors) {
#pragma unroll
      for (int i = 0; i < kVector; i++) count(k[j * kVector + i]);
    }
  }
  if (t < bucket.edge) count(edgeKey);
  __syncthreads();
  prefixFields<kThreads, L::kStep>(dynamicShared, totals);
  __syncthreads();
  const u32 total = totals[lane], inclusive = inclusiveSum(total);
  if (__shfl_sync(kAllLanes, inclusive, 31) != bucket.items) return false;
  const u32 base = bucket.skew + inclusive - total - 1;
#pragma unroll
  for (int j = 0; j < kVectors * kVector; j++) forget(k[j]);
  auto place = [&](K key, bool on) {
    const u32 v = valueOf(key), w = words[v >> 3], s = fieldShift(v);
    u32 slot = __shfl_sync(kAllLanes, base, v >> 11) + fieldUpTo(w, s) + (w & 255);
    if (!on) return;
    const u32 copies = fieldCopies(w, s);
    if (copies > 1) {
      const u32 shift = (slot & 7) * 4, rank = atomicAdd(&taken[slot >> 3], 1u << shift) >> shift & 15;
      if (rank == 0) {
        const u32 i = atomicAdd(&runCount, 1u);
        if (i < L::kRuns) runs[i] = slot | copies << 16;
      }
      slot -= rank;
    }
    sorted[slot] = key;
  };
#pragma unroll
  for (int j = 0; j < kVectors; j++) {
    if ((t & ~31u) + j * kThreads < bucket.vectors) {
      const bool on = t + j * kThreads < bucket.vectors;
#pragma unroll
      for (int i = 0; i < kVector; i++) place(k[j * kVector + i], on);
    }
  }
  if (t < 32) place(edgeKey, t < bucket.edge);
  __syncthreads();
  const u32 listed = runCount;
  if (listed > L::kRuns) return false;
  for (u32 i = t; i < listed; i += kThreads) {
    const u32 last = runs[i] & 0xffff, first = last + 1 - (runs[i] >> 16);
    for (u32 x = first + 1; x <= last; x++) {
      const K key = sorted[x];
      u32 y = x;
      for (; y > first && order.before(key, sorted[y - 1]); y--) sorted[y] = sorted[y - 1];
      sorted[y] = key;
    }
  }
  __syncthreads();
  return true;
}

// msdRuns sorts bucket b of keys with more than 16 bits left. L::kRunsBytes of dynamic shared memory.
template <typename L>
GS_DEVICE void msdRuns(typename L::K* keys, const u32* starts, MsdState* state, u32* slow, u32 bits, u32 codec, u32 b) {
  typedef typename L::K K;
  constexpr int kThreads = L::kThreads;
  constexpr int kVector = L::kVector;
  extern __shared__ uint4 dynamicShared[];
  const u32 t = threadIdx.x, begin = starts[b], items = starts[b + 1] - begin;
  if (items == 0 || tooLarge(items, L::kCapacity, state, slow, b)) return;
  const Bucket<K> bucket(keys, begin, items);
  if (!sortRuns<L>(bucket, TopValue{bits}, Natural(), Hopeless{state, b})) return toSlow(state, slow, b);
  const K* const sorted = RunsShared<L>(dynamicShared).sorted;
  const MsdEncoded<K> encoded(codec, state);
  for (u32 q = bucket.firstVector() + t; q < bucket.endVector(); q += kThreads) {
    KeyVector<K> v;
    v.raw = reinterpret_cast<const uint4*>(sorted)[q];
    if (!encoded.plain()) {
#pragma unroll
      for (int i = 0; i < kVector; i++) v.k[i] = encoded.key(v.k[i]);
    }
    bucket.slots()[q] = v.raw;
  }
  if (t < bucket.edge) bucket.keys[bucket.edgeAt()] = encoded.key(sorted[bucket.skew + bucket.edgeAt()]);
}

}  // namespace gs

#endif
