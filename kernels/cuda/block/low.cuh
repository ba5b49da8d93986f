// How many of the lowest digits of 64-bit keys onesweep may leave out, by a sample. Skewed keys
// are told apart by their upper digits as a rule: a normal distribution's by four or five of
// eight. Keys that agree in those are fixed up at the end (block/fixup.cuh).
#ifndef GS_BLOCK_LOW
#define GS_BLOCK_LOW

#include "block/bounds.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"

namespace gs {

// The sample's keys: 4,096, which one block looks at in some 14 µs, or, where counting takes
// longer than twice that, 8,192, of which four times as many pairs meet.
constexpr u32 kLowLeast = 12, kLowMost = 13;
GS_DEVICE u32 lowLog(u64 n) { return n >> 25 == 0 ? kLowLeast : kLowMost; }

// LowShared is shared memory: the sample, and a hash table of keys' upper digits, half full at
// most. A slot has the number of one key and 1, 0 if it is free, and how many others with these
// upper digits are different keys.
struct LowShared {
  static constexpr u32 kSlots = 2 << kLowMost;
  u64 keys[1 << kLowMost];
  u32 slots[kSlots];
};

// lowMeets reports that more than `most` pairs of the sample differ in their lowest `low`
// digits alone. Keys are counted with those before them of the same upper digits that
// differ from one of these, the slot's: as a rule all pairs. Once there are too many, the
// rest is not looked at. All threads; begins and ends with a barrier.
template <u32 kThreads> GS_DEVICE bool lowMeets(LowShared& s, u32 sample, u32 low, u32 most, u32* met) {
  constexpr u32 kSlots = LowShared::kSlots;
  static_assert((1 << kLowLeast) % kThreads == 0, "as many for each");
  const u32 t = threadIdx.x;
  __syncthreads();
  for (u32 i = t; i < kSlots; i += kThreads) s.slots[i] = 0;
  if (t == 0) *met = 0;
  __syncthreads();
#pragma unroll 1
  for (u32 i = t; i < sample; i += kThreads) {
    const u64 key = s.keys[i], upper = key >> (kDigitBits * low);
    u32 slot = (u32(upper) ^ u32(upper >> 32) * 0x85ebca6bu) * 0x9e3779b1u >> (32 - kLowMost - 1);
    for (;; slot = (slot + 1) % kSlots) {
      const u32 there = atomicCAS(&s.slots[slot], 0u, i + 1);
      if (there == 0) break;
      const u64 other = s.keys[there % kSlots - 1];
      if (other >> (kDigitBits * low) != upper) continue;
      if (other != key) atomicAdd(met, atomicAdd(&s.slots[slot], kSlots) / kSlots + 1);
      break;
    }
    __syncthreads();
    const u32 many = *met;
    __syncthreads();
    if (many > most) return true;
  }
  return false;
}

// kLowMeets is the most pairs of 4,096 keys, of eight million, that agree above one digit
// more than are left out; of 8,192 four times as many. That digit parts them, as a rule into
// 40 (two words AND-ed) to 256, so that at 2^24 keys one in five finds another in its run, at
// most.
constexpr u32 kLowMeets = 4;

// sampleLow writes to c->low the number of lowest digits of whose order most of the sample's
// keys have no need: 0 or 2 to 5. Most words in which bits are seldom set need all: they are
// found by the first of three probes. n is at least 4,096. One block, all threads; shared
// memory of a LowShared. Begins and ends with a barrier.
template <u32 kThreads> GS_DEVICE void sampleLow(const u64* keys, u64 n, u32 codec, Control* c, void* shared) {
  __shared__ u32 met;
  LowShared& s = *static_cast<LowShared*>(shared);
  const u32 log = lowLog(n);
  for (u32 i = threadIdx.x; i < 1u << log; i += kThreads) s.keys[i] = encode(codec, keys[chancePlace(i, log, n)]);
  const auto told = [&](u32 digits) {
    return !lowMeets<kThreads>(s, 1u << log, digits + 1, kLowMeets << 2 * (log - kLowLeast), &met);
  };
  u32 digits = 0;
  if (told(2)) digits = told(4) ? (told(5) ? 5 : 4) : (told(3) ? 3 : 2);
  if (threadIdx.x == 0) c->low = digits;
}

// leaveLow replaces c->low, the most digits that may be left out, by what is best: 0 if the
// digits that vary are so few there that fixing up (kCostFixUp) takes longer than their passes. It returns
// which of the varying digits have a pass, at least one. One thread.
GS_DEVICE u32 leaveLow(Control* c, u32 varying) {
  const u32 most = *(volatile u32*)&c->low;
  u32 leaves = 0, least = costOf(u32(__popc(varying)), kModeKeys);
  for (u32 digits = 1; digits <= most && varying >> digits != 0; digits++) {
    const u32 takes = costOf(u32(__popc(varying >> digits)), kModeKeys) + kCostFixUp;
    if (takes < least) leaves = digits, least = takes;
  }
  c->low = leaves;
  return varying >> leaves << leaves;
}

}  // namespace gs

#endif
