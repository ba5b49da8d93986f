// Input of few different keys: a dictionary of them, which a sample finds. Then one counting sort by the keys'
// ranks in it takes the place of a pass per digit; see msd_few_sort.cuh.
#ifndef GS_BLOCK_MSD_FEW
#define GS_BLOCK_MSD_FEW

#include "block/msd_state.cuh"

namespace gs {

// A key's rank is a byte, and counters are those of a digit.
constexpr u32 kFewMost = kDigits;

// The launch.
constexpr int kFewThreads = 512, kFewBlocks = 2;
GS_CONSTANT(MsdFewThreads, kFewThreads)
GS_CONSTANT(MsdFewBlocks, kFewBlocks)

// Hash tables have at least four slots per key: seven of eight keys then lie in the
// slot where the search begins.
constexpr u32 kFewLog = 10, kFewSlots = 1u << kFewLog;
static_assert(kFewSlots == 4 * kFewMost, "at most a quarter is taken");

// MsdFew is the dictionary in device memory. Zero before the sample.
struct MsdFew {
  u32 open;               // gate of the pass by ranks: see kGateOpen
  u32 count;              // different keys
  u32 missed;             // not 0: the input has a key that is not listed
  u32 unused;
  u64 keys[kFewMost];     // bit patterns, in the order of the sort
  u32 totals[kFewMost];   // keys of each rank
};
GS_CONSTANT(MsdFewBytes, sizeof(MsdFew))
GS_CONSTANT(MsdFewMost, kFewMost)
GS_CONSTANT(MsdFewSlots, kFewSlots)

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
  u32 used, listed;
};

// gatherFew enters the encoded keys k of all threads of the block, 1,024, into the empty set s, as long as that has at
// most kFewMost, and reports whether they are so few.
//
// Slot by slot: between the first barrier of a round and the second, free slots are
// taken, at other times they are read. Of equal keys many would take turns at one
// slot, so that in the first rounds only some of a thread's keys may take one; by
// then most find theirs there.
template <typename K, int kEach> GS_DEVICE bool gatherFew(FewSample<K>& s, const K (&k)[kEach]) {
  u32 slot[kEach];
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
    if (s.used > kFewMost) return false;
    if (!more) return true;
  }
}

// writeFew makes the dictionary of what s holds. All 1,024 threads of a block.
template <typename K> GS_DEVICE void writeFew(FewSample<K>& s, MsdFew* few, u32 codec) {
  const u32 t = threadIdx.x;
  auto list = [&](K encoded) { s.list[atomicAdd(&s.listed, 1u)] = encoded; };
  if (s.occurs[t] != 0) list(s.encodedKeys[t]);
  if (t == 0 && s.occurs[kFewSlots] != 0) list(FewSample<K>::kFree);
  __syncthreads();
  const u32 count = s.listed;
  if (t >= count) return;
  const K mine = s.list[t];
  u32 smallerOnes = 0;
  for (u32 i = 0; i < count; i++) smallerOnes += s.list[i] < mine;
  few->keys[smallerOnes] = decode(codec, mine);
  if (t == 0) few->count = count;
}

// chooseFew chooses kRouteFew and writes the dictionary, if the sample has at most
// kFewMost different keys and each of them more than once: by Good and Turing's
// estimate, the part of the input that the sample has not seen is as large as that of
// the keys which it has seen once. It tells whether it has chosen.
// A block of 1,024 threads, k: each thread's encoded keys; counters: how many
// keys of the sample have each value of some upper bits, in `vectors` vectors.
//
// Keys with many different upper bits cost no more than a look at the counters, of which every thread has some:
// most threads then find one in use.
template <typename K, int kEach>
GS_DEVICE bool chooseFew(const K (&k)[kEach], const uint4* counters, u32 vectors, MsdState* state, MsdFew* few,
                         u32 codec) {
  __shared__ FewSample<K> s;
  const u32 t = threadIdx.x;
  u32 any = 0;
  for (u32 i = t; i < vectors; i += kFewSlots) {
    const uint4 c = counters[i];
    any |= c.x | c.y | c.z | c.w;
  }
  if (t == 0) s.occurs[kFewSlots] = s.used = s.listed = 0;
  if (u32(__syncthreads_count(any != 0)) > kFewMost) return false;
  s.encodedKeys[t] = FewSample<K>::kFree;
  s.occurs[t] = 0;
  __syncthreads();
  if (!gatherFew(s, k)) return false;
  const u32 last = s.occurs[kFewSlots];
  if (__syncthreads_or(s.occurs[t] == 1 || last == 1 || s.used + (last != 0) > kFewMost)) return false;
  writeFew(s, few, codec);
  if (t == 0) sampleChooses(state, kRouteFew);
  return true;
}

}  // namespace gs

#endif
