// Few different keys, first half: each key's rank in the dictionary is counted, and
// written, one byte, where values or places will follow. Nothing of the caller's is
// changed.
#ifndef GS_BLOCK_MSD_FEW_COUNT
#define GS_BLOCK_MSD_FEW_COUNT

#include "block/msd_few.cuh"

namespace gs {

// What is sorted.
enum FewKind { kFewKeys, kFewPairs, kFewPlaces };

// Geometry of the launch. A block has a run of whole tiles of the input, the same in
// all phases, so that what it leaves in memory for later phases only it reads, but
// for counts. Slot is what a tile's items are while they are put in order: values, or
// for argsort the item's number in the tile.
template <FewKind kKind, typename K_, typename V_, int kThreads_, int kItems_> struct FewGeometry {
  typedef K_ K;
  typedef V_ V;
  static constexpr bool kAlone = kKind == kFewKeys, kPlaces = kKind == kFewPlaces;
  static constexpr int kThreads = kThreads_, kItems = kItems_, kWarps = kThreads / 32, kTile = kThreads * kItems;
  typedef typename Word<kPlaces ? 2 : sizeof(V)>::type Slot;
  static_assert(kTile <= 65536, "a place in a tile is 16 bits");
};

template <typename G> struct FewArgs {
  typedef typename G::K K;
  typedef typename G::V V;
  K* keys;
  MsdFew* few;
  MsdState* state;
  u32 n;
  // Not for keys alone.
  V* values;    // or the indices to be written
  u8* ranks;  // room for n bytes and 16 more
  u32* counts;  // [kFewMost][gridDim.x]
  V* copy;      // room for n values and 16 bytes more; not for argsort
};

// FewEntry is one slot of the hash table: one load finds key and rank.
constexpr u32 kFewNone = 0xffffffffu;  // the rank in a free slot; its key is 0
template <typename K> struct alignas(2 * sizeof(K)) FewEntry {
  K key;
  u32 keyRank;
};

// Dynamic shared memory: counters or ranks per warp; then the hash table, later a
// tile's slots and ranks.
template <typename G> struct FewShared {
  typedef FewEntry<typename G::K> Entry;
  typedef typename G::Slot Slot;
  static constexpr u32 kAt = 4 * G::kWarps * kDigits, kTable = kFewSlots * sizeof(Entry), kOrder = G::kAlone ? 0 : G::kTile * (sizeof(Slot) + 1);
  static constexpr u32 kBytes = kAt + (kTable > kOrder ? kTable : kOrder);
  u32* counts;  // [kWarps][kDigits]
  Entry* table;
  Slot* slots;  // [kTile], in order
  u8* ranks;  // [kTile]
  GS_DEVICE explicit FewShared(uint4* base) {
    counts = reinterpret_cast<u32*>(base);
    char* const behind = reinterpret_cast<char*>(base) + kAt;
    table = reinterpret_cast<Entry*>(behind);
    slots = reinterpret_cast<Slot*>(behind);
    ranks = reinterpret_cast<u8*>(slots + G::kTile);
  }
};

// FewRun is a block's run of items.
template <typename G> struct FewRun {
  u32 from, to;
  GS_DEVICE explicit FewRun(u32 n) {
    const u32 tiles = (n + G::kTile - 1) / G::kTile, b = blockIdx.x, blocks = gridDim.x;
    from = u32(u64(tiles) * b / blocks) * G::kTile;
    to = smaller(n, u32(u64(tiles) * (b + 1) / blocks) * G::kTile);
    from = smaller(from, to);
  }
};

// fewSkew is how many items would fit before the first in its 16 bytes. The same
// number of bytes or items is left free before the copy of the first: the copies of a
// vector's items are a vector, too.
template <typename T> GS_DEVICE u32 fewSkew(const T* items) { return u32(reinterpret_cast<u64>(items) % 16 / sizeof(T)); }

// FewSpan is a run of items as vectors of kEach, counted from the 16 bytes in which
// the input begins, skew items before it: vectors [first, last) hold items of the run
// alone, and items [from, head) and [tail, to) lie in vectors that it shares.
template <u32 kEach> struct FewSpan {
  u32 first, last, head, tail;
  template <typename Run> GS_DEVICE FewSpan(const Run& run, u32 skew) {
    first = (run.from + skew + kEach - 1) / kEach, last = (run.to + skew) / kEach;
    head = smaller(first * kEach - skew, run.to);
    tail = last < first ? head : last * kEach - skew;
  }
  // ends calls f with each item of shared vectors; threads take turns.
  template <typename Run, typename F> GS_DEVICE void ends(const Run& run, u32 threads, const F& f) const {
    const u32 before = head - run.from;
    for (u32 x = threadIdx.x; x < before + run.to - tail; x += threads) f(x < before ? run.from + x : tail + x - before);
  }
};

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

// makeTable enters the dictionary, whose keys all differ, into the hash table. A
// number takes a free slot, and then the slot's key is written.
template <typename G> GS_DEVICE void makeTable(const FewShared<G>& s, const MsdFew* few) {
  typedef typename G::K K;
  for (u32 i = threadIdx.x; i < kFewSlots; i += G::kThreads) s.table[i].key = 0, s.table[i].keyRank = kFewNone;
  __syncthreads();
  for (u32 i = threadIdx.x; i < few->count; i += G::kThreads) {
    const K key = K(few->keys[i]);
    u32 slot = fewSlot(key);
    while (atomicCAS(&s.table[slot].keyRank, kFewNone, i) != kFewNone) slot = (slot + 1) % kFewSlots;
    s.table[slot].key = key;
  }
  __syncthreads();
}

// A vector of keys and the ranks of as many.
template <typename K> union FewVector {
  static constexpr u32 kKeys = 16 / sizeof(K);
  uint4 raw;
  K k[kKeys];
};
template <u32 kKeys> union FewRanks {
  typename Word<kKeys>::type raw;
  u8 keyRank[kKeys];
};

// countFew counts the ranks of the block's keys and writes them. A warp has its own counters: additions of 1 whose sum
// nobody asks for, which the device makes in one step for all lanes that meet in a counter. It stops early
// if a key is not listed, here or elsewhere.
template <typename G> GS_DEVICE void countFew(const FewArgs<G>& a, const FewShared<G>& s, const FewRun<G>& run) {
  typedef typename G::K K;
  constexpr u32 kKeys = FewVector<K>::kKeys, kAhead = 4;
  const u32 skew = fewSkew(a.keys), t = threadIdx.x;
  u32* const mine = s.counts + t / 32 * kDigits;
  const FewSpan<kKeys> span(run, skew);
  const uint4* const vectors = reinterpret_cast<const uint4*>(a.keys - skew);
  typedef FewRanks<kKeys> Dictionary;
  Dictionary* const ranks = reinterpret_cast<Dictionary*>(a.ranks);
  bool missed = false;
  auto number = [&](K key) {
    const u32 c = fewRankOf(s.table, key);
    missed |= c == kFewNone;
    atomicAdd(&mine[c & (kDigits - 1)], 1u);
    return c;
  };
  for (u32 i = span.first + t; i < span.last; i += kAhead * G::kThreads) {
    FewVector<K> v[kAhead];
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      if (i + j * G::kThreads < span.last) v[j].raw = __ldcs(vectors + i + j * G::kThreads);
    }
    missed |= *(volatile u32*)&a.few->missed != 0;
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      if (i + j * G::kThreads >= span.last) continue;
      Dictionary out;
#pragma unroll
      for (u32 x = 0; x < kKeys; x++) out.keyRank[x] = u8(number(v[j].k[x]));
      if constexpr (!G::kAlone) ranks[i + j * G::kThreads].raw = out.raw;
    }
    if (missed) break;
  }
  span.ends(run, G::kThreads, [&](u32 item) {
    const u32 c = number(a.keys[item]);
    if constexpr (!G::kAlone) a.ranks[item + skew] = u8(c);
  });
  if (missed) *(volatile u32*)&a.few->missed = 1;
}

// copyFew copies the block's values, so that the sorted ones can go to their places.
template <typename G> GS_DEVICE void copyFew(const FewArgs<G>& a, const FewRun<G>& run) {
  constexpr u32 kValues = 16 / sizeof(typename G::V), kAhead = 4;
  const u32 skew = fewSkew(a.values), t = threadIdx.x;
  const FewSpan<kValues> span(run, skew);
  const uint4* const in = reinterpret_cast<const uint4*>(a.values - skew);
  uint4* const out = reinterpret_cast<uint4*>(a.copy);
  for (u32 i = span.first + t; i < span.last; i += kAhead * G::kThreads) {
    uint4 v[kAhead];
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      if (i + j * G::kThreads < span.last) v[j] = __ldcs(in + i + j * G::kThreads);
    }
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      if (i + j * G::kThreads < span.last) out[i + j * G::kThreads] = v[j];
    }
  }
  span.ends(run, G::kThreads, [&](u32 item) { a.copy[item + skew] = a.values[item]; });
}

// sumFew writes the block's count of each number, or for keys alone adds it to the
// totals, which are zero before. Begins with a barrier.
template <typename G> GS_DEVICE void sumFew(const FewArgs<G>& a, const FewShared<G>& s) {
  __syncthreads();
  for (u32 d = threadIdx.x; d < kDigits; d += G::kThreads) {
    u32 sum = 0;
#pragma unroll
    for (int w = 0; w < G::kWarps; w++) sum += s.counts[w * kDigits + d];
    if constexpr (!G::kAlone)
      a.counts[d * gridDim.x + blockIdx.x] = sum;
    else if (sum != 0)
      atomicAdd(&a.few->totals[d], sum);
  }
}

// scanFew turns counts into the number of equal keys in the blocks before, and writes
// each number's total. A warp takes a number; lanes take neighbouring blocks. What
// other blocks wrote is read past the L1: see gridSync.
template <typename G> GS_DEVICE void scanFew(const FewArgs<G>& a) {
  const u32 lane = laneID(), blocks = gridDim.x, each = (blocks + 31) / 32;
  for (u32 d = blockIdx.x + threadIdx.x / 32 * blocks; d < kDigits; d += blocks * G::kWarps) {
    u32* const row = a.counts + d * blocks;
    const u32 from = smaller(lane * each, blocks), to = smaller(from + each, blocks);
    u32 sum = 0;
#pragma unroll 4
    for (u32 b = from; b < to; b++) sum += __ldcg(row + b);
    const u32 inclusive = inclusiveSum(sum);
    u32 before = inclusive - sum;
    if (lane == 31) a.few->totals[d] = inclusive;
#pragma unroll 4
    for (u32 b = from; b < to; b++) {
      const u32 count = __ldcg(row + b);
      row[b] = before;
      before += count;
    }
  }
}

}  // namespace gs

#endif
