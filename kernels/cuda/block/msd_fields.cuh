// Counters of the MSD sort's last step: a bucket is sorted by 16 bits at once,
// with a 3-bit counter for each of the 65,536 values in 32 KB.
//
// Eight values share a word. Field i (bits 8+3i …) holds how many keys of the
// word have a value up to i: a key adds one to its own and all higher fields
// by one addition, and the top field is the word's total. So no prefix sums
// within words are needed. The low byte becomes the word's prefix within its
// superblock of 256 words.
//
// Too many keys somewhere can only make the sum of all totals smaller: a word
// of 8 or more keys reads as at most 7; a row of 128 words with 256 or more
// keys carries into the next byte of the packed scan, which turns 256 into 1 or
// 0; a superblock of 256 or more counts as 0, for its prefixes need 8 bits. So
// the sum equals the number of keys if and only if every counter and prefix is
// right.
#ifndef GS_BLOCK_MSD_FIELDS
#define GS_BLOCK_MSD_FIELDS

#include "block/msd_state.cuh"

namespace gs {

constexpr u32 kFieldWords = 8192;
constexpr u32 kSuperblocks = 32;

GS_DEVICE u32 fieldShift(u32 value) { return (value & 7) * 3 + 8; }
GS_DEVICE u32 fieldAddend(u32 shift) { return 0x249249u << shift; }
GS_DEVICE u32 fieldTotal(u32 word) { return word >> 29; }
GS_DEVICE u32 fieldUpTo(u32 word, u32 shift) { return word >> shift & 7; }
// fieldCopies is the number of keys with the value.
GS_DEVICE u32 fieldCopies(u32 word, u32 shift) { return fieldUpTo(word, shift) - ((word & ~255u) >> (shift - 3) & 7); }

// fieldWord is the word of a value. kGap vectors of four words lie free behind each
// superblock: values a multiple of 2,048 apart, which neighbours have if the keys
// come in bit-reversed order, would otherwise all meet in one bank. The sum is one of
// bytes: so both terms are ready to be added to an address.
template <int kGap> GS_DEVICE u32* fieldWord(u32* words, u32 value) {
  return reinterpret_cast<u32*>(reinterpret_cast<char*>(words) + ((value >> 1 & 0x7ffc) + (value >> 11) * (16 * kGap)));
}

// prefixFields adds to each word its prefix within the superblock and writes
// the superblocks' totals to totals[32]. kStep superblocks at a time: one warp
// scan, packed in bytes, serves 2·kStep rows of 128 words.
template <int kThreads, int kStep, int kGap = 0> GS_DEVICE void prefixFields(uint4* words4, u32* totals) {
  constexpr int kEach = kSuperblocks / (kThreads / 32);  // superblocks per warp
  static_assert(kEach % kStep == 0 && kStep <= 2, "four bytes of a scan");
  const u32 lane = laneID(), mine = threadIdx.x / 32 * kEach;
#pragma unroll 1
  for (int s = 0; s < kEach; s += kStep) {
    uint4 v[2 * kStep];
    u32 packed = 0;
#pragma unroll
    for (int r = 0; r < 2 * kStep; r++) {
      v[r] = words4[(mine + s) * (64 + kGap) + r * 32 + lane];
      packed |= (fieldTotal(v[r].x) + fieldTotal(v[r].y) + fieldTotal(v[r].z) + fieldTotal(v[r].w)) << 8 * r;
    }
    const u32 inclusive = inclusiveSum(packed), total = __shfl_sync(kAllLanes, inclusive, 31),
        before = inclusive - packed;
#pragma unroll
    for (int r = 0; r < 2 * kStep; r++) {
      const u32 x = (before >> 8 * r & 255) + (r & 1 ? total >> (8 * r - 8) & 255 : 0);
      const u32 y = x + fieldTotal(v[r].x), z = y + fieldTotal(v[r].y), w = z + fieldTotal(v[r].z);
      words4[(mine + s) * (64 + kGap) + r * 32 + lane] = make_uint4(v[r].x + x, v[r].y + y, v[r].z + z, v[r].w + w);
    }
    if (lane < kStep) {
      const u32 pair = total >> 16 * lane, sum = (pair & 255) + (pair >> 8 & 255);
      totals[mine + s + lane] = sum < 256 ? sum : 0;
    }
  }
}

// eachBucket calls sort(b) for the block's `each` buckets, one behind the other, if the input is split. Blocks that find
// it is not end at once, at 1.6 ns each (32,768 of 512 threads on an H200): so many buckets are worth a loop.
template <typename Sort> GS_DEVICE void eachBucket(const MsdState* state, u32 each, Sort sort) {
  if (state->route != kRouteSplit) return;
#pragma unroll 1
  for (u32 b = blockIdx.x * each; b < (blockIdx.x + 1) * each; b++) {
    sort(b);
    __syncthreads();  // the next bucket uses the same shared memory
  }
}

// toSlow lists bucket b for msdSlow. The block has written nothing.
GS_DEVICE void toSlow(MsdState* state, u32* slow, u32 b) {
  if (threadIdx.x == 0) slow[atomicAdd(&state->slow, 1u)] = b;
}

// hopeless guesses that bucket b is one of many that the counters cannot hold: half of
// those before it are listed. Blocks start in this order, so that what runs yet, 700
// blocks at most, is too little to hide it. A bucket listed without need is sorted all
// the same. The answer changes while blocks run: one thread asks for its block.
GS_DEVICE bool hopeless(const MsdState* state, u32 b) {
  const u32 listed = __ldcg(&state->slow);
  return listed >= 256 && 2 * listed >= b;
}

// kSlowMost is the largest bucket that msdSlow takes; with larger ones the input is onesweep's.
constexpr u32 kSlowMost = 8192;
GS_CONSTANT(MsdSlowMost, kSlowMost)

// tooLarge says whether a bucket has more keys than the bucket sort takes, and lists
// it if msdSlow does.
GS_DEVICE bool tooLarge(u32 items, u32 capacity, MsdState* state, u32* slow, u32 b) {
  if (items <= capacity) return false;
  if (items <= kSlowMost) toSlow(state, slow, b);
  return true;
}

// clearFields zeroes the words.
template <int kThreads, int kGap = 0> GS_DEVICE void clearFields(uint4* words4) {
  constexpr int kGaps = kGap * int(kSuperblocks);
  static_assert(kGaps <= kThreads, "one vector a thread");
#pragma unroll
  for (int i = 0; i < int(kFieldWords) / 4 / kThreads; i++) words4[i * kThreads + threadIdx.x] = make_uint4(0, 0, 0, 0);
  if (kGaps != 0 && threadIdx.x < kGaps) words4[kFieldWords / 4 + threadIdx.x] = make_uint4(0, 0, 0, 0);
}

}  // namespace gs

#endif
