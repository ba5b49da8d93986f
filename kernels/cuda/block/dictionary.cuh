// Few different keys, in sorts of one launch: each gets its rank among them, and
// one stable pass by the rank takes the place of a pass by each digit.
#ifndef GS_BLOCK_DICTIONARY
#define GS_BLOCK_DICTIONARY

#include "block/modelbins.cuh"

namespace gs {

// kMostRanked is the most keys that get a rank, but for the largest encoded key, which marks
// free slots and has the rank behind them. Keys that get none have kNoRank, which is
// the padding's, too.
constexpr u32 kMostRanked = kDigits - 2, kNoRank = kDigits - 1;

// Dictionary is a set of encoded keys and their ranks in it, in shared memory: a hash table, half
// full at most. Whether a set has too many keys depends on the keys alone, not on their
// order: blocks that enter the same ones agree.
template <typename K> struct Dictionary {
  static constexpr u32 kLog = 9, kSlots = 1u << kLog;
  static constexpr K kFree = K(~K(0));
  static constexpr u32 kBytes = (kSlots + kMostRanked) * sizeof(K) + (2 + kSlots) * sizeof(u32) + kSlots;
  static_assert(sizeof(K) != 8 || kBytes <= FoldedModel<K>::kAllBytes, "fits in a model's place");
  K* encodedKeys;   // [kSlots]
  K* list;     // [kMostRanked] the same, one behind the other
  u32* used;   // how many
  u32* free;   // how often kFree was met
  u32* met;    // [kSlots] how often each encoded key was
  u8* rank;    // [kSlots]

  GS_DEVICE explicit Dictionary(void* base)
      : encodedKeys(static_cast<K*>(base)), list(encodedKeys + kSlots), used(reinterpret_cast<u32*>(list + kMostRanked)), free(used + 1), met(free + 1),
        rank(reinterpret_cast<u8*>(met + kSlots)) {}
  GS_DEVICE static u32 slotOf(u32 key) { return key * 0x9e3779b1u >> (32 - kLog); }
  GS_DEVICE static u32 slotOf(u64 key) { return slotOf(u32(key) ^ u32(key >> 32) * 0x85ebca6bu); }

  // enter adds a key, unless there are too many. Nothing may read the set before a
  // barrier, but this, for which a slot's encoded key is free or what it stays: of equal keys most
  // find theirs there, where as many exchanges would take turns.
  GS_DEVICE void enter(K key) const {
    if (key == kFree) {
      atomicAdd(free, 1u);
      return;
    }
    u32 slot = slotOf(key);
    for (u32 probe = 1; probe <= kSlots; probe++, slot = (slot + 1) % kSlots) {
      K there = *(volatile K*)&encodedKeys[slot];
      if (there == kFree) {
        there = atomicCAS(&encodedKeys[slot], kFree, key);
        if (there == kFree) {
          const u32 at = atomicAdd(used, 1u);
          if (at < kMostRanked) list[at] = key;
          there = key;
        }
      }
      if (there == key) {
        atomicAdd(&met[slot], 1u);
        return;
      }
      if (probe % 8 == 0 && *(volatile u32*)used > kMostRanked) return;
    }
  }

  // find returns the slot of a key, or kSlots. At least half of the slots are free.
  GS_DEVICE u32 find(K key) const {
    for (u32 slot = slotOf(key);; slot = (slot + 1) % kSlots) {
      const K there = encodedKeys[slot];
      if (there == key) return slot;
      if (there == kFree) return kSlots;
    }
  }

  // operator() returns a key's rank, or kNoRank.
  GS_DEVICE u32 operator()(K key) const {
    if (key == kFree) return *free != 0 ? *used : kNoRank;
    const u32 slot = find(key);
    return slot == kSlots ? kNoRank : rank[slot];
  }
};

// onceMet counts the keys that a set has once; the same in all threads. One barrier or two.
template <u32 kThreads, typename K> GS_DEVICE u32 onceMet(const Dictionary<K>& set) {
  constexpr u32 kSlots = Dictionary<K>::kSlots;
  static_assert(2 * kThreads >= kSlots, "two slots a thread");
  const u32 t = threadIdx.x;
  u32 once = u32(__syncthreads_count(t < kSlots && set.met[t] == 1)) + (*set.free == 1);
  if constexpr (kThreads < kSlots) once += u32(__syncthreads_count(t + kThreads < kSlots && set.met[t + kThreads] == 1));
  return once;
}

// kOnceMet is the most keys that a sample may have once when it has been entered in part:
// of 1,024 keys of which 5 % are random ones 51 are met once.
constexpr u32 kOnceMet = 16;

// rankListed makes a set of the keys of next(i), i = 0 … rounds−1, one of each thread a
// round, which tells in valid whether it is one, and ranks them. It returns false, in
// all threads, if they are too many, or a sample has more than mostOnce once: by Good and Turing's
// estimate the input then has others, as many of it as of the sample. Keys of a sample that it has once get no rank.
// Begins and ends with a barrier.
template <u32 kThreads, typename K, typename Next> GS_DEVICE bool rankListed(const Dictionary<K>& set, bool sample, u32 rounds, Next next, u32 mostOnce = 0) {
  static_assert(kThreads > kMostRanked, "a thread for each key");
  const u32 t = threadIdx.x;
  __syncthreads();
  for (u32 slot = t; slot < set.kSlots; slot += kThreads) set.encodedKeys[slot] = set.kFree, set.met[slot] = 0;
  if (t < 2) set.used[t] = 0;  // and free
  __syncthreads();
#pragma unroll 1
  for (u32 i = 0; i < rounds; i++) {
    bool valid;
    const K key = next(i, valid);
    if (valid) set.enter(key);
    __syncthreads();
    const u32 used = *set.used, once = sample ? onceMet<kThreads>(set) : 0;
    __syncthreads();  // behind what all have read
    if (used > kMostRanked || once > (i + 1 < rounds ? kOnceMet : mostOnce)) return false;
  }
  const u32 used = *set.used;
  const K mine = t < used ? set.list[t] : K(0);
  const u32 slot = t < used ? set.find(mine) : 0;
  const bool left = t < used && mostOnce > 0 && set.met[slot] == 1;
  if (mostOnce > 0) {
    __syncthreads();  // all have read their own
    if (left) set.list[t] = set.kFree, set.rank[slot] = kNoRank;
    __syncthreads();
  }
  if (t < used && !left) {
    u32 smaller = 0;
#pragma unroll 4
    for (u32 i = 0; i < used; i++) smaller += set.list[i] < mine;
    set.rank[slot] = u8(smaller);
  }
  __syncthreads();
  return true;
}

// rankKeysOf ranks the keys of a tile, of which those up to place n are no padding: `at`
// is the place of the thread's first one.
template <typename G> GS_DEVICE void rankKeysOf(const Dictionary<typename G::Key>& set, const Share& share, u32 at, u32 n, const TileKeys<G>& t, PackedDigits<G::kItems>& digits) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    digits.put(i, at + 32 * i < n ? set(t.k[i]) : kNoRank);
  }
}

// rankBySample is rankListed of a sample.
template <u32 kThreads, typename K, typename Sample> GS_DEVICE bool rankBySample(const Dictionary<K>& set, const Sample& sample) {
  const u32 size = sample.size();
  return rankListed<kThreads, K>(set, true, (size + kThreads - 1) / kThreads, [&](u32 i, bool& valid) {
    const u32 at = i * kThreads + threadIdx.x;
    valid = at < size;
    return sample(valid ? at : 0);
  });
}

// passByRanks orders the group's n keys by their ranks, stably, or returns false, in
// all threads of all its blocks, if some have none: then keys are as they were. Begins
// without a barrier and ends with one of the group.
template <typename G, typename Group>
GS_DEVICE bool passByRanks(const TileShared<G>& s, const Group& group, const Share& share, u32 n, const PackedDigits<G::kItems>& digits, TileKeys<G>& t) {
  u32 rank[G::kItems];
  countDigits<G>(s, group, share, digits, rank);
  const DigitStart start = digitStarts<G>(s, group);
  if (threadIdx.x < kDigits) s.base[threadIdx.x] = start.first + start.before;
  if (__syncthreads_or(threadIdx.x == kNoRank && start.first < n)) {
    group.sync();  // totals may be written again
    return false;
  }
  exchangeTile<G>(s, group, share, digits, rank, t);
  return true;
}

}  // namespace gs

#endif
