// Few different keys, in sorts of one launch: each is numbered by its rank among them, and
// one stable pass by the number takes the place of a pass by each digit.
#ifndef GS_BLOCK_NUMBERS
#define GS_BLOCK_NUMBERS

#include "block/modelbins.cuh"

namespace gs {

// kNumbered is the most keys that are numbered, but for the largest image, which marks
// free slots and has the number behind them. Keys that are not have kNoNumber, which is
// the padding's, too.
constexpr u32 kNumbered = kDigits - 2, kNoNumber = kDigits - 1;

// Numbers is a set of images and their ranks in it, in shared memory: a hash table, half
// full at most. Whether a set has too many keys depends on the keys alone, not on their
// order: blocks that enter the same ones agree.
template <typename K> struct Numbers {
  static constexpr u32 kLog = 9, kSlots = 1u << kLog;
  static constexpr K kFree = K(~K(0));
  static constexpr u32 kBytes = (kSlots + kNumbered) * sizeof(K) + (2 + kSlots) * sizeof(u32) + kSlots;
  static_assert(sizeof(K) != 8 || kBytes <= FoldedModel<K>::kAllBytes, "fits in a model's place");
  K* images;   // [kSlots]
  K* list;     // [kNumbered] the same, one behind the other
  u32* used;   // how many
  u32* free;   // how often kFree was met
  u32* met;    // [kSlots] how often each image was
  u8* number;  // [kSlots]

  GS_DEVICE explicit Numbers(void* base)
      : images(static_cast<K*>(base)), list(images + kSlots), used(reinterpret_cast<u32*>(list + kNumbered)), free(used + 1), met(free + 1),
        number(reinterpret_cast<u8*>(met + kSlots)) {}
  GS_DEVICE static u32 slotOf(u32 key) { return key * 0x9e3779b1u >> (32 - kLog); }
  GS_DEVICE static u32 slotOf(u64 key) { return slotOf(u32(key) ^ u32(key >> 32) * 0x85ebca6bu); }

  // enter adds a key, unless there are too many. Nothing may read the set before a
  // barrier, but this, for which a slot's image is free or what it stays: of equal keys most
  // find theirs there, where as many exchanges would take turns.
  GS_DEVICE void enter(K key) const {
    if (key == kFree) {
      atomicAdd(free, 1u);
      return;
    }
    u32 slot = slotOf(key);
    for (u32 probe = 1; probe <= kSlots; probe++, slot = (slot + 1) % kSlots) {
      K there = *(volatile K*)&images[slot];
      if (there == kFree) {
        there = atomicCAS(&images[slot], kFree, key);
        if (there == kFree) {
          const u32 at = atomicAdd(used, 1u);
          if (at < kNumbered) list[at] = key;
          there = key;
        }
      }
      if (there == key) {
        atomicAdd(&met[slot], 1u);
        return;
      }
      if (probe % 8 == 0 && *(volatile u32*)used > kNumbered) return;
    }
  }

  // find returns the slot of a key, or kSlots. At least half of the slots are free.
  GS_DEVICE u32 find(K key) const {
    for (u32 slot = slotOf(key);; slot = (slot + 1) % kSlots) {
      const K there = images[slot];
      if (there == key) return slot;
      if (there == kFree) return kSlots;
    }
  }

  // operator() returns a key's number, or kNoNumber.
  GS_DEVICE u32 operator()(K key) const {
    if (key == kFree) return *free != 0 ? *used : kNoNumber;
    const u32 slot = find(key);
    return slot == kSlots ? kNoNumber : number[slot];
  }
};

// onceMet counts the keys that a set has once; the same in all threads. One barrier or two.
template <u32 kThreads, typename K> GS_DEVICE u32 onceMet(const Numbers<K>& set) {
  constexpr u32 kSlots = Numbers<K>::kSlots;
  static_assert(2 * kThreads >= kSlots, "two slots a thread");
  const u32 t = threadIdx.x;
  u32 once = u32(__syncthreads_count(t < kSlots && set.met[t] == 1)) + (*set.free == 1);
  if constexpr (kThreads < kSlots) once += u32(__syncthreads_count(t + kThreads < kSlots && set.met[t + kThreads] == 1));
  return once;
}

// kOnceMet is the most keys that a sample may have once when it has been entered in part:
// of 1,024 keys of which 5 % are random ones 51 are met once.
constexpr u32 kOnceMet = 16;

// numberKeys makes a set of the keys of next(i), i = 0 … rounds−1, one of each thread a
// round, which tells in valid whether it is one, and numbers them. It returns false, in
// all threads, if they are too many, or a sample has more than mostOnce once: by Good and Turing's
// estimate the input then has others, as many of it as of the sample. Keys of a sample that it has once get no number. Begins and ends with a barrier.
template <u32 kThreads, typename K, typename Next> GS_DEVICE bool numberKeys(const Numbers<K>& set, bool sample, u32 rounds, Next next, u32 mostOnce = 0) {
  static_assert(kThreads > kNumbered, "a thread for each key");
  const u32 t = threadIdx.x;
  __syncthreads();
  for (u32 slot = t; slot < set.kSlots; slot += kThreads) set.images[slot] = set.kFree, set.met[slot] = 0;
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
    if (used > kNumbered || once > (i + 1 < rounds ? kOnceMet : mostOnce)) return false;
  }
  const u32 used = *set.used;
  const K mine = t < used ? set.list[t] : K(0);
  const u32 slot = t < used ? set.find(mine) : 0;
  const bool left = t < used && mostOnce > 0 && set.met[slot] == 1;
  if (mostOnce > 0) {
    __syncthreads();  // all have read their own
    if (left) set.list[t] = set.kFree, set.number[slot] = kNoNumber;
    __syncthreads();
  }
  if (t < used && !left) {
    u32 smaller = 0;
#pragma unroll 4
    for (u32 i = 0; i < used; i++) smaller += set.list[i] < mine;
    set.number[slot] = u8(smaller);
  }
  __syncthreads();
  return true;
}

// numberTile numbers the keys of a tile, of which those up to place n are no padding: `at`
// is the place of the thread's first one.
template <typename G> GS_DEVICE void numberTile(const Numbers<typename G::Key>& set, const Share& share, u32 at, u32 n, const TileKeys<G>& t, PackedDigits<G::kItems>& digits) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    digits.put(i, at + 32 * i < n ? set(t.k[i]) : kNoNumber);
  }
}

// numberBySample is numberKeys of a sample.
template <u32 kThreads, typename K, typename Sample> GS_DEVICE bool numberBySample(const Numbers<K>& set, const Sample& sample) {
  const u32 size = sample.size();
  return numberKeys<kThreads, K>(set, true, (size + kThreads - 1) / kThreads, [&](u32 i, bool& valid) {
    const u32 at = i * kThreads + threadIdx.x;
    valid = at < size;
    return sample(valid ? at : 0);
  });
}

// passByNumbers orders the group's n keys by their numbers, stably, or returns false, in
// all threads of all its blocks, if some have none: then keys are as they were. Begins
// without a barrier and ends with one of the group.
template <typename G, typename Group>
GS_DEVICE bool passByNumbers(const TileShared<G>& s, const Group& group, const Share& share, u32 n, const PackedDigits<G::kItems>& digits, TileKeys<G>& t) {
  u32 rank[G::kItems];
  countDigits<G>(s, group, share, digits, rank);
  const DigitStart start = digitStarts<G>(s, group);
  if (threadIdx.x < kDigits) s.base[threadIdx.x] = start.first + start.before;
  if (__syncthreads_or(threadIdx.x == kNoNumber && start.first < n)) {
    group.sync();  // totals may be written again
    return false;
  }
  exchangeTile<G>(s, group, share, digits, rank, t);
  return true;
}

}  // namespace gs

#endif
