// The last step of an MSD sort of pairs: one block sorts one bucket, stably and
// in place, by the 16 bits behind the bucket's, and fixes up the runs of keys that
// agree in these. The splits before it are stable, so that an item's place in the
// bucket tells the input order of equal keys.
#ifndef GS_BLOCK_PAIRS_BUCKET
#define GS_BLOCK_PAIRS_BUCKET

#include "block/msd_fields.cuh"
#include "block/small.cuh"

namespace gs {

// Geometry: kThreads·kItems slots, kStep superblocks per prefix step. Keys, places and
// values lie in shared memory with one place free behind every kSkew slots: of keys in
// bit-reversed order neighbours belong 128 slots apart, which is one bank (see Skewed in
// block/pass.cuh; here each bit-reversed bucket of 4,096 has that distance, so that
// the gap can be right for it). The words of the counters have gaps, too.
template <typename K_, typename V_, int kThreads_, int kItems_, int kStep_> struct PairsBucket {
  typedef K_ K;
  typedef V_ V;
  static constexpr int kThreads = kThreads_, kItems = kItems_, kStep = kStep_;
  static constexpr u32 kSlots = kThreads * kItems;
  static constexpr u32 kSkew = 128, kPlaces = kSlots + kSlots / kSkew;
  static constexpr int kGap = 1;  // see fieldWord
  GS_DEVICE static constexpr u32 placeOf(u32 slot) { return slot + slot / kSkew; }
  static_assert(kThreads % kSkew == 0, "a thread's slots are whole gaps apart");
  static constexpr u32 kRuns = 512;  // listed runs of equal bits
  static_assert(kPlaces < 65536 && kSlots % 16 == 0, "a place is 16 bits");
  // Counters, and in the same memory later the values; keys; places; 4 bits per
  // slot, at a run's last: keys stored; runs.
  static constexpr u32 kCounters = 4 * kFieldWords + 16 * kGap * kSuperblocks, kValues = kPlaces * sizeof(V);
  static constexpr u32 kKeysAt = kCounters > kValues ? kCounters : kValues;
  static constexpr u32 kBytes = kKeysAt + kPlaces * sizeof(K) + 2 * kPlaces + kSlots / 2 + 4 * kRuns;
  static_assert(kKeysAt % sizeof(K) == 0 && kPlaces % 4 == 0, "aligned");
};

// pairsBucket sorts bucket blockIdx.x. Launch: a block per bucket, L::kBytes of
// dynamic shared memory. What the counters cannot hold goes to the slow list
// before anything is written. bits + 16 ≤ 32.
template <typename L>
GS_DEVICE void pairsBucket(typename L::K* allKeys, typename L::V* allValues, const u32* starts, MsdState* state,
                           u32* slow, u32 bits, u32 codec) {
  typedef typename L::K K;
  typedef typename L::V V;
  constexpr int kThreads = L::kThreads, kItems = L::kItems;
  extern __shared__ uint4 dynamicShared[];
  __shared__ u32 totals[kSuperblocks];
  __shared__ u32 runCount;
  u32* const words = reinterpret_cast<u32*>(dynamicShared);
  V* const inputValues = reinterpret_cast<V*>(dynamicShared);
  K* const sorted = reinterpret_cast<K*>(reinterpret_cast<char*>(dynamicShared) + L::kKeysAt);
  u32* const taken = reinterpret_cast<u32*>(sorted + L::kPlaces);
  u32* const runs = taken + L::kSlots / 8;  // last slot | keys << 16
  u16* const places = reinterpret_cast<u16*>(runs + L::kRuns);
  const u32 t = threadIdx.x, lane = laneID(), b = blockIdx.x;
  const u32 route = state->route, begin = starts[b], items = starts[b + 1] - begin;
  if (route != kRouteSplit || items == 0) return;
  if (items > L::kSlots) return toSlow(state, slow, b);
  K* const keys = allKeys + begin;
  V* const values = allValues + begin;

  K k[kItems];
  V v[kItems];
#pragma unroll
  for (int i = 0; i < kItems; i++) {
    k[i] = 0;
    if (t + i * kThreads < items) k[i] = keys[t + i * kThreads];
  }
  clearFields<kThreads, L::kGap>(dynamicShared);
  for (u32 i = t; i < L::kSlots / 8; i += kThreads) taken[i] = 0;
  if (t == 0) runCount = 0;
  __syncthreads();
  u32 shiftOut = 16 - bits;
  forget(shiftOut);  // the compiler would compute it for every key again
  auto valueOf = [&](K key) { return topWord(key) >> shiftOut & 0xffff; };
#pragma unroll
  for (int i = 0; i < kItems; i++) {
    const u32 x = valueOf(k[i]);
    if (t + i * kThreads < items) atomicAdd(fieldWord<L::kGap>(words, x), fieldAddend(fieldShift(x)));
  }
#pragma unroll
  for (int i = 0; i < kItems; i++) {
    if (t + i * kThreads < items) v[i] = values[t + i * kThreads];
  }
  __syncthreads();
  prefixFields<kThreads, L::kStep, L::kGap>(dynamicShared, totals);
  __syncthreads();
  const u32 total = totals[lane], inclusive = inclusiveSum(total);
  if (__shfl_sync(kAllLanes, inclusive, 31) != items) return toSlow(state, slow, b);
  const u32 base = inclusive - total - 1, myPlace = L::placeOf(t), end = L::placeOf(items);
#pragma unroll
  for (int i = 0; i < kItems; i++) forget(k[i]);
#pragma unroll
  for (int i = 0; i < kItems; i++) {
    const u32 place = myPlace + L::placeOf(i * kThreads);  // below end as the slot is below items: placeOf keeps order
    if (place - lane < end) {
      const u32 x = valueOf(k[i]), w = *fieldWord<L::kGap>(words, x), shift = fieldShift(x);
      u32 slot = __shfl_sync(kAllLanes, base, x >> 11) + fieldUpTo(w, shift) + (w & 255);
      if (place < end) {
        const u32 copies = fieldCopies(w, shift);
        if (copies > 1) {
          const u32 at = (slot & 7) * 4, rank = atomicAdd(&taken[slot >> 3], 1u << at) >> at & 15;
          if (rank == 0) {
            const u32 r = atomicAdd(&runCount, 1u);
            if (r < L::kRuns) runs[r] = slot | copies << 16;
          }
          slot -= rank;
        }
        const u32 at = L::placeOf(slot);
        sorted[at] = k[i];
        places[at] = u16(place);
      }
    }
  }
  __syncthreads();
  const u32 listed = runCount;
  if (listed > L::kRuns) return toSlow(state, slow, b);
#pragma unroll
  for (int i = 0; i < kItems; i++) {  // the counters are not read again
    if (t + i * kThreads < items) inputValues[myPlace + L::placeOf(i * kThreads)] = v[i];
  }
  for (u32 r = t; r < listed; r += kThreads) {
    const u32 last = runs[r] & 0xffff, first = last + 1 - (runs[r] >> 16);
    for (u32 x = first + 1; x <= last; x++) {
      const K key = sorted[L::placeOf(x)];
      const u16 place = places[L::placeOf(x)];
      u32 y = x;
      for (; y > first; y--) {
        const u32 from = L::placeOf(y - 1), to = L::placeOf(y);
        if (sorted[from] < key || (sorted[from] == key && places[from] < place)) break;
        sorted[to] = sorted[from];
        places[to] = places[from];
      }
      sorted[L::placeOf(y)] = key;
      places[L::placeOf(y)] = place;
    }
  }
  const MsdEncoded<K> encoded(codec, state);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kItems; i++) {
    const u32 slot = t + i * kThreads, at = myPlace + L::placeOf(i * kThreads);
    if (slot < items) {
      keys[slot] = encoded.key(sorted[at]);
      values[slot] = inputValues[places[at]];
    }
  }
}

// pairsSlow sorts the listed buckets one after the other by digits in shared
// memory. Launch: G::kThreads threads, any grid, PassShared<G>::kBytes of dynamic
// shared memory. The list is complete: an earlier launch wrote it.
template <typename G>
GS_DEVICE void pairsSlow(KeyOf<G>* keys, ValueOf<G>* values, const u32* starts, const MsdState* state, const u32* slow,
                         u32 codec) {
  const u32 listed = state->slow;
  const MsdEncoded<KeyOf<G>> encoded(codec, state);
  for (u32 i = blockIdx.x; i < listed; i += gridDim.x) {
    const u32 b = slow[i], begin = starts[b], items = starts[b + 1] - begin;
    sortTile<G>(keys + begin, values + begin, items, 0, encoded.skip != 0 ? 0 : codec, kModePairs);
    __syncthreads();  // the next bucket uses the same shared memory; what the block wrote is there for all its threads
    if (encoded.skip == 0) continue;
    for (u32 j = threadIdx.x; j < items; j += G::kThreads) keys[begin + j] = encoded.key(keys[begin + j]);
  }
}

}  // namespace gs

#endif
