// A sample of a grid's keys. Blocks leave it in global memory before the first barrier of the grid. It says, before
// anything is counted, whether to try a split by the keys' highest digit. If not, splitters are chosen from it.
#ifndef GS_BLOCK_GRID_SAMPLE
#define GS_BLOCK_GRID_SAMPLE

#include "block/grid_tile.cuh"

namespace gs {

// Every block leaves kLeftOfBlock of its keys, encoded: one from each of 32 warps, or two from each of 16. A key takes
// a word of 64 bits. samplePlace is the word of sample key `number`. Keys 0, 4, 8 … fill the first quarter of the
// words, keys 1, 5, 9 … the second, and so on: threads that read every fourth key read neighbouring words.
GS_DEVICE u32 samplePlace(u32 number) {
  return 3 * gridDim.x + number % 4 * (gridDim.x * (kLeftOfBlock / 4)) + number / 4;
}

// leaveSample writes the block's keys of the sample. Which lane and item a warp leaves is hashed from its number, since
// regular inputs may repeat with a warp's period. The hash is the high bits of a product; the low bits repeat every few
// warps. Where the chosen slot is padding, `any` is left, which is a key of the input.
template <typename G>
GS_DEVICE void leaveSample(const GridArgs& a, const Share& share, const TileKeys<G>& t, KeyOf<G> any) {
  constexpr u32 kEach = kLeftOfBlock / G::kWarps;
  static_assert(kEach * G::kWarps == kLeftOfBlock, "some keys of each warp");
  const u32 warp = blockIdx.x * G::kWarps + threadIdx.x / 32, lane = warp * 0x85ebca6bu >> 27;
  const u32 item = u32(u64(warp * 0x9e3779b9u) * share.used >> 32);
  KeyOf<G> key = t.k[0];
#pragma unroll
  for (u32 i = 1; i < G::kItems; i++) {
    if (i == item) key = t.k[i];
  }
  if (share.first + share.slot() + 32 * item >= a.n) key = any;
#pragma unroll
  for (u32 j = 0; j < kEach; j++) {
    if (laneID() == (lane + 13 * j) % 32) a.bounds[samplePlace(warp * kEach + j)] = key;
  }
}

// sampleSize is how many keys the sample has: those of blocks whose share is full, or of one block.
template <typename G>
GS_DEVICE u32 sampleSize(const GridArgs& a, const Share& share) {
  return (a.n < share.slots ? 1 : a.n / share.slots) * kLeftOfBlock;
}

// TopProbe is a thread's key of the sample: one of every kStep, by chance.
template <typename G> struct TopProbe {
  static constexpr u32 kStep = 128 * kLeftOfBlock / G::kThreads, kMost = kLeftOfBlock * G::kItems / kStep;
  KeyOf<G> key;
  bool valid;
  GS_DEVICE TopProbe(const GridArgs& a, const Share& share) : key(0), valid(false) {
    if constexpr (!kMaySplit<G>) return;
    const u32 number = kStep * threadIdx.x;
    valid = (number / kLeftOfBlock + 1) * share.slots <= a.n;
    if (valid) key = KeyOf<G>(__ldcg(a.bounds + samplePlace(number + (threadIdx.x / 8 * 0xc2b2ae35u >> 16) % kStep)));
  }

  // isUneven says whether one digit has too many keys for a block, by the sample. The digit is the 8 bits from `shift`
  // up of a key's distance to the least one. Too many are more than a tile holds; and of few keys about a twentieth
  // (kFew) of all, which one block would sort while the others wait.
  //
  // The unit of `most` is a key of the sample divided by `used`: a tile is kMost of these, whatever the share. Above
  // `most` lies a margin for chance, 8 keys of the sample. A digit that just fits has kMost/used of them. With full
  // shares of 8 items a thread these are 8, and the margin is three standard deviations, 3·√8 ≈ 8. Smaller shares have
  // a smaller margin: with two items a thread it is 1.4 standard deviations of 32. Of few keys the limit is lower by
  // 4/used keys of the sample.
  // found[kDigits] is 0, and a barrier lies behind that. One barrier.
  GS_DEVICE bool isUneven(u32* found, const GridArgs& a, const Share& share, KeyOf<G> least, u32 shift) const {
    constexpr u32 kFew = 20;
    const u32 few = a.n / (kFew * G::kThreads * kStep / kLeftOfBlock),
        most = few > kMost ? kMost : few > 4 ? few - 4 : 0;
    const bool full = valid &&
        (atomicAdd(&found[u32(KeyOf<G>(key - least) >> shift)], 1u) + 1) * share.used > most + 8 * share.used;
    return __syncthreads_or(full);
  }
};

// stageSample copies the sample to shared memory, where the columns will be later, and returns how many keys it has.
// kMost is what fits there: the keys of 288 blocks of 1,024 threads, or of 144 of 512. An H200 has 132 multiprocessors.
// Begins and ends with a barrier.
template <typename G> GS_DEVICE u32 stageSample(const GridShared<G>& s, const GridArgs& a, const Share& share) {
  constexpr u32 kMost = 2 * GridShared<G>::kTable * G::kWarps * sizeof(u32) / sizeof(KeyOf<G>);
  const u32 left = sampleSize<G>(a, share), many = left < kMost ? left : kMost;
  __syncthreads();
#pragma unroll 1
  for (u32 i = threadIdx.x; i < many; i += G::kThreads)
    reinterpret_cast<KeyOf<G>*>(s.columns)[i] = KeyOf<G>(__ldcg(a.bounds + samplePlace(i)));
  __syncthreads();
  return many;
}

}  // namespace gs

#endif
