// Input of few different keys, or of few with most of the input: a dictionary of them,
// which a sample finds. Then one counting sort by the keys' ranks in it takes the place
// of a pass per digit; see msd_few_move.cuh. Keys that are not in it are sorted apart: see
// msd_few_unlisted.cuh, and msd_few_alone.cuh for keys alone, which may have more of those.
#ifndef GS_BLOCK_MSD_FEW
#define GS_BLOCK_MSD_FEW

#include "block/msd_state.cuh"

namespace gs {

// A key's rank is a byte, and counters are those of a digit.
constexpr u32 kFewMost = kDigits;

// The launch of pairs and places, and a tile of unlisted keys there, by the bytes of a key with its value: as many
// items per thread as 64 registers hold.
constexpr int kFewThreads = 512, kFewBlocks = 2;
constexpr int kFewPassItems8 = 10, kFewPassItems12 = 8, kFewPassItems16 = 6;
GS_CONSTANT(MsdFewThreads, kFewThreads)
GS_CONSTANT(MsdFewBlocks, kFewBlocks)
GS_CONSTANT(MsdFewPassItems8, kFewPassItems8)
GS_CONSTANT(MsdFewPassItems12, kFewPassItems12)
GS_CONSTANT(MsdFewPassItems16, kFewPassItems16)

// Hash tables have at least four slots per key: seven of eight keys then lie in the
// slot where the search begins.
constexpr u32 kFewLog = 10, kFewSlots = 1u << kFewLog;
static_assert(kFewSlots == 4 * kFewMost, "at most a quarter is taken");

// MsdFew is the dictionary in device memory. Zero before the sample.
struct MsdFew {
  u32 count;              // different keys
  u32 missed;             // not 0: the input has unlisted keys, and may not
  u32 unlisted;             // not 0: unlisted keys have the rank kFewUnlisted, which no key of the list has
  u32 together;           // of keys alone: unlisted keys that blocks have put together
  u64 keys[kFewMost];     // bit patterns, in the order of the sort
  u32 totals[kFewMost];   // keys of each rank
  u32 gaps[kFewMost];     // unlisted keys behind so many keys of the list
};
GS_CONSTANT(MsdFewBytes, sizeof(MsdFew))
GS_CONSTANT(MsdFewMost, kFewMost)
GS_CONSTANT(MsdFewSlots, kFewSlots)

// kFewUnlisted is the rank of all keys that are not listed.
constexpr u32 kFewUnlisted = kFewMost - 1;

// kFewHeavy is how often the sample of 4,096 must have a key that is listed beside
// unlisted keys: then the sample knows its share to a quarter, and the list is shorter than
// kFewUnlisted. kFewSampledUnlisted is how many of the sample may be unlisted keys: the launch takes a
// ninth of the input, six standard deviations more.
constexpr u32 kFewHeavy = 17, kFewSampledUnlisted = 330;

// kFewFirst bounds the different ones of the sample's first 1,024 keys, of which 82 may be
// unlisted keys, eight more by one standard deviation: a list of a hundred keys has room. Keys
// of which many are frequent in their upper bits alone, bits that are set seldom, are
// refused by it at once.
constexpr u32 kFewFirst = 192;

// Of keys alone unlisted keys cost less: an eighth of the sample may be. But no more than
// kFewAloneAgain may be such that it has more than once, though not often enough to be listed: of
// unlisted keys that repeat msdLarge needs many levels.
constexpr u32 kFewAloneUnlisted = 512, kFewAloneAgain = 32;

// fewSlot is where the search for a key begins: Fibonacci hashing, which spreads
// multiples of any power of 2.
GS_DEVICE u32 fewSlot(u32 key) { return key * 0x9e3779b1u >> (32 - kFewLog); }
GS_DEVICE u32 fewSlot(u64 key) { return fewSlot(u32(key) ^ u32(key >> 32) * 0x85ebca6bu); }

// FewSample is a set of encoded keys with the number of times that the sample has each.
// The encoded key of all ones, which marks a free slot, has the slot behind all.
template <typename K> struct FewSample {
  static constexpr K kFree = K(~K(0));
  K encodedKeys[kFewSlots];
  u32 occurs[kFewSlots + 1];
  K list[kFewMost];
  u32 used, listed, heavy;
};

// gatherFew enters the encoded keys k of all threads of the block, 1,024, into the empty set s,
// as long as that has at most kFewMost; then it reports whether they are so few. If some
// is true it goes on to count those that s has, and reports false only if the threads'
// first keys, which are entered together, are more than kFewFirst: what is frequent is
// among them.
//
// Slot by slot: between the first barrier of a round and the second, free slots are
// taken, at other times they are read. Of equal keys many would take turns at one
// slot, so that in the first rounds only some of a thread's keys may take one; by
// then most find theirs there.
template <typename K, int kEach> GS_DEVICE bool gatherFew(FewSample<K>& s, const K (&k)[kEach], bool some) {
  u32 slot[kEach];
  bool full = false;
  u32 found = 0;  // bit j: k[j] is in s, or stays out
#pragma unroll
  for (int j = 0; j < kEach; j++) slot[j] = k[j] == s.kFree ? kFewSlots : fewSlot(k[j]);
  auto enter = [&](int j) {
    found |= 1u << j;
    atomicAdd(&s.occurs[slot[j]], 1u);
  };
  for (int round = 0;; round++) {
    u32 takes = 0;
#pragma unroll
    for (int j = 0; j < kEach; j++) {
      if (found >> j & 1) continue;
      const K there = slot[j] == kFewSlots ? k[j] : s.encodedKeys[slot[j]];
      if (there == k[j])
        enter(j);
      else if (there != s.kFree)
        slot[j] = (slot[j] + 1) % kFewSlots;
      else if (full)
        found |= 1u << j;
      else if (j <= round)
        takes |= 1u << j;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kEach; j++) {
      if (!(takes >> j & 1)) continue;
      const K there = atomicCAS(&s.encodedKeys[slot[j]], s.kFree, k[j]);
      if (there == s.kFree) atomicAdd(&s.used, 1u);
      if (there == s.kFree || there == k[j]) enter(j);
    }
    const bool more = __syncthreads_or(found != (1u << kEach) - 1);
    full = s.used > kFewMost;
    if (some ? round == 0 && s.used > kFewFirst : full) return false;
    if (!more) return true;
  }
}

// writeFew makes the dictionary of what s holds at least `least` times. All 1,024 threads
// of a block.
template <typename K> GS_DEVICE void writeFew(FewSample<K>& s, MsdFew* few, u32 codec, u32 least) {
  const u32 t = threadIdx.x;
  auto list = [&](K encoded) { s.list[atomicAdd(&s.listed, 1u)] = encoded; };
  if (s.occurs[t] >= least) list(s.encodedKeys[t]);
  if (t == 0 && s.occurs[kFewSlots] >= least) list(FewSample<K>::kFree);
  __syncthreads();
  const u32 count = s.listed;
  if (t >= count) return;
  const K mine = s.list[t];
  u32 smallerOnes = 0;
  for (u32 i = 0; i < count; i++) smallerOnes += s.list[i] < mine;
  few->keys[smallerOnes] = decode(codec, mine);
  if (t == 0) {
    few->count = count;
    few->unlisted = count <= kFewUnlisted;
  }
}

// heavyFew reports whether the counts that are at least kFewHeavy, of which `mine` is the
// thread's sum, are `least` together. All threads of the block, behind a barrier since
// s.heavy became zero.
template <typename K> GS_DEVICE bool heavyFew(FewSample<K>& s, u32 mine, u32 least) {
  if (mine != 0) atomicAdd(&s.heavy, mine);
  __syncthreads();
  return s.heavy >= least;
}
GS_DEVICE u32 heavyCount(u32 count) { return count >= kFewHeavy ? count : 0; }

// againFew sums the counts that are more than 1, but too few to be listed. All threads of the
// block. Begins and ends with a barrier.
template <typename K> GS_DEVICE u32 againFew(FewSample<K>& s, u32 count) {
  __syncthreads();
  if (threadIdx.x == 0) s.heavy = 0;
  __syncthreads();
  if (count > 1 && count < kFewHeavy) atomicAdd(&s.heavy, count);
  __syncthreads();
  return s.heavy;
}

// chooseFew chooses kRouteFew and writes the dictionary, if the sample has at most
// kFewMost different keys and each of them more than once: by Good and Turing's
// estimate, the part of the input that the sample has not seen is as large as that of
// the keys which it has seen once. It does so also if few keys have most of the input, and
// lists those that the sample has at least kFewHeavy times. It tells whether it has chosen.
// kAlone: keys alone. A block of 1,024 threads, k: each thread's encoded keys; counters: how many
// keys of the sample have each value of some upper bits, in `vectors` vectors.
//
// Keys with many different upper bits, none of them frequent, cost no more than a probe
// at the counters, of which every thread has some: most threads then find one in use.
template <bool kAlone, typename K, int kEach> GS_DEVICE bool chooseFew(const K (&k)[kEach], const uint4* counters, u32 vectors, MsdState* state, MsdFew* few, u32 codec) {
  __shared__ FewSample<K> s;
  constexpr u32 kLeast = kEach * 1024 - (kAlone ? kFewAloneUnlisted : kFewSampledUnlisted);
  const u32 t = threadIdx.x;
  u32 any = 0, heavy = 0;
  for (u32 i = t; i < vectors; i += kFewSlots) {
    const uint4 c = counters[i];
    any |= c.x | c.y | c.z | c.w;
    heavy += heavyCount(c.x) + heavyCount(c.y) + heavyCount(c.z) + heavyCount(c.w);
  }
  if (t == 0) s.occurs[kFewSlots] = s.used = s.listed = s.heavy = 0;
  const bool many = u32(__syncthreads_count(any != 0)) > kFewMost;
  const bool some = heavyFew(s, heavy, kLeast);
  if (many && !some) return false;
  s.encodedKeys[t] = FewSample<K>::kFree;
  s.occurs[t] = 0;
  __syncthreads();
  if (t == 0) s.heavy = 0;
  if (!gatherFew(s, k, some)) return false;
  const u32 last = s.occurs[kFewSlots];
  const bool seldom = __syncthreads_or(s.occurs[t] == 1 || last == 1 || s.used + (last != 0) > kFewMost);
  if (seldom && !(some && heavyFew(s, heavyCount(s.occurs[t]) + (t == 0 ? heavyCount(last) : 0), kLeast))) return false;
  if (kAlone && seldom && againFew(s, s.occurs[t]) > kFewAloneAgain) return false;
  writeFew(s, few, codec, seldom ? kFewHeavy : 1);
  if (t == 0) {
    state->sampled = 1;
    state->route = kRouteFew;
  }
  return true;
}

}  // namespace gs

#endif
