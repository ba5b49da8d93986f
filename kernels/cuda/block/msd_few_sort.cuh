// Few different keys: one counting sort by the keys' ranks in the dictionary. Keys are written anew from the counts.
// Values, or the places of an argsort, follow by a pass of module onesweep over the ranks, a byte each. Only code
// compiled for sm_90 includes this: see warp/grid.cuh.
#ifndef GS_BLOCK_MSD_FEW_SORT
#define GS_BLOCK_MSD_FEW_SORT

#include "block/elements.cuh"
#include "block/finish.cuh"
#include "block/msd_few.cuh"
#include "block/rank.cuh"
#include "warp/grid.cuh"

namespace gs {

// FewEntry is one slot of the hash table: one load finds key and rank.
constexpr u32 kFewNone = 0xffffffffu;  // the rank in a free slot; its key is 0
template <typename K> struct alignas(2 * sizeof(K)) FewEntry {
  K key;
  u32 keyRank;
};

template <typename K> struct alignas(16) FewShared {
  u32 counts[kFewThreads / 32 * kDigits];  // a row of each warp
  FewEntry<K> table[kFewSlots];
  u32 starts[kDigits + 1];  // place of the first key of each rank; behind the last, n
  u32 warpSums[kDigits / 32];
  K keys[kFewMost];
};

template <typename K> struct FewArgs {
  K* keys;
  MsdFew* few;
  MsdState* state;
  u32 n;
  u8* ranks;  // of the keys, n of them; null: keys alone
  // Of pairs: values as 32-bit words, and room for as many; null: of an argsort, which leaves the keys as they are.
  const u32* values;
  u32* copy;
  u64 valueWords;
  Control* control;  // of the pass by ranks
};

// makeTable enters the dictionary, whose keys all differ, into the hash table. A
// rank takes a free slot, and then the slot's key is written.
template <typename K> GS_DEVICE void makeTable(FewShared<K>& s, const MsdFew* few) {
  for (u32 i = threadIdx.x; i < kFewSlots; i += kFewThreads) s.table[i].key = 0, s.table[i].keyRank = kFewNone;
  __syncthreads();
  for (u32 i = threadIdx.x; i < few->count; i += kFewThreads) {
    const K key = K(few->keys[i]);
    u32 slot = fewSlot(key);
    while (atomicCAS(&s.table[slot].keyRank, kFewNone, i) != kFewNone) slot = (slot + 1) % kFewSlots;
    s.table[slot].key = key;
  }
  __syncthreads();
}

// fewRankOf returns a key's rank or kFewNone.
template <typename K> GS_DEVICE u32 fewRankOf(const FewEntry<K>* table, K key) {
  u32 slot = fewSlot(key);
  FewEntry<K> e = table[slot];
  while (e.key != key && e.keyRank != kFewNone) {
    slot = (slot + 1) % kFewSlots;
    e = table[slot];
  }
  return e.keyRank;
}

// countFew adds the number of keys of each rank to the totals, and writes the ranks if kRanks. A warp has its own
// counters: additions of 1 whose sum nobody asks for, which the device makes in one step for all lanes that meet in a
// counter. It stops early if a key is not listed, here or elsewhere.
template <typename K, bool kRanks> GS_DEVICE void countFew(const FewArgs<K>& a, FewShared<K>& s) {
  constexpr u32 kKeys = KeyVector<K>::kKeys, kAhead = 4;
  const u32 t = threadIdx.x, step = gridDim.x * kFewThreads;
  const WholeVectors<K, u32> whole(a.keys, a.n);
  const u32 head = whole.head, vectors = whole.many;
  u32* const mine = s.counts + t / 32 * kDigits;
  bool missed = false;
  auto rank = [&](K key) {
    const u32 r = fewRankOf(s.table, key);
    missed |= r == kFewNone;
    atomicAdd(&mine[r & (kDigits - 1)], 1u);
    return r;
  };
  for (u32 i = blockIdx.x * kFewThreads + t; i < vectors; i += kAhead * step) {
    KeyVector<K> v[kAhead];
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      if (i + j * step < vectors) v[j].raw = __ldcs(whole.body + i + j * step);
    }
    missed |= *(volatile u32*)&a.few->missed != 0;
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      if (i + j * step >= vectors) continue;
      u32 packed = 0;
#pragma unroll
      for (u32 x = 0; x < kKeys; x++) packed |= (rank(v[j].k[x]) & (kDigits - 1)) << 8 * x;
      if constexpr (!kRanks) continue;
      u8* const to = a.ranks + head + (i + j * step) * kKeys;
      if (head == 0) {
        *reinterpret_cast<typename Word<kKeys>::type*>(to) = typename Word<kKeys>::type(packed);
      } else {
#pragma unroll
        for (u32 x = 0; x < kKeys; x++) to[x] = u8(packed >> 8 * x);
      }
    }
    if (missed) break;
  }
  // The ends that are no whole vector: fewer than kKeys keys on each side.
  if (blockIdx.x == 0 && t < 2 * kKeys) {
    const u32 i = t < kKeys ? t : head + vectors * kKeys + t - kKeys;
    if (i < (t < kKeys ? head : a.n)) {
      const u32 r = rank(a.keys[i]);
      if constexpr (kRanks) a.ranks[i] = u8(r);
    }
  }
  if (missed) *(volatile u32*)&a.few->missed = 1;
  __syncthreads();
  for (u32 d = t; d < kDigits; d += kFewThreads) {
    u32 sum = 0;
#pragma unroll
    for (u32 w = 0; w < kFewThreads / 32; w++) sum += s.counts[w * kDigits + d];
    if (sum != 0) atomicAdd(&a.few->totals[d], sum);
  }
}

// copyFew copies the values, so that the sorted ones can go to their places.
template <typename K> GS_DEVICE void copyFew(const FewArgs<K>& a) {
  u32 v[8];
  eachElement<kFewThreads, 8>(
      a.valueWords, [&](u32 j, u64 x) { v[j] = __ldcs(a.values + x); }, [&](u32 j, u64 x) { a.copy[x] = v[j]; });
}

// startFew computes s.starts and s.keys, behind a barrier of the grid. Ends with a barrier.
template <typename K> GS_DEVICE void startFew(const FewArgs<K>& a, FewShared<K>& s) {
  const u32 d = threadIdx.x;
  u32 total = 0, inclusive = 0;
  if (d < kDigits) {
    total = __ldcg(&a.few->totals[d]);
    s.keys[d] = K(a.few->keys[d]);
    inclusive = inclusiveSum(total);
    if (laneID() == 31) s.warpSums[d / 32] = inclusive;
  }
  __syncthreads();
  if (d < kDigits) {
    u32 start = inclusive - total;
    for (u32 w = 0; w < d / 32; w++) start += s.warpSums[w];
    s.starts[d] = start;
    if (d == 0) s.starts[kDigits] = a.n;
  }
  __syncthreads();
}

// msdFew sorts keys if the route is kRouteFew, and opens the gate of the pass by ranks. If a key is not in the
// dictionary, it changes the route to kRouteOnesweep, whose launches are behind this one, and leaves what the caller
// gave as it was. Cooperative launch, kFewThreads threads, any grid that is resident.
//
// Every thread has read the route before the barrier of the grid; only then it is changed. Behind that
// barrier all keys have been read: their memory may be filled.
template <typename K> GS_DEVICE void msdFew(const FewArgs<K>& a) {
  __shared__ FewShared<K> s;
  static_assert(kFewThreads >= kDigits, "a thread per rank");
  if (a.state->route != kRouteFew) return;
  clearCounts<kFewThreads>(s.counts);
  makeTable(s, a.few);
  if (a.ranks == nullptr)
    countFew<K, false>(a, s);
  else
    countFew<K, true>(a, s);
  if (a.values != nullptr) copyFew(a);
  gridSync();
  if (__ldcg(&a.few->missed) != 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) a.state->route = kRouteOnesweep;
    return;
  }
  startFew(a, s);
  if (a.ranks == nullptr || a.values != nullptr)
    fillDigits(a.keys, a.n, s.starts, [&](u32 rank) { return s.keys[rank]; });
  if (a.ranks == nullptr || blockIdx.x != 0) return;
  if (threadIdx.x < kDigits) a.control->start[0][0][threadIdx.x] = s.starts[threadIdx.x];
  if (threadIdx.x == 0) {
    a.control->pass[0] =
        makePassPlan(false, false, false, kPlaceIO, kPlaceNone, a.values == nullptr ? kPlaceNone : kPlaceA, kPlaceIO);
    a.few->open = kGateOpen;
  }
}

}  // namespace gs

#endif
