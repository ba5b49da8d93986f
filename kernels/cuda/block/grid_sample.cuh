// A sample of the keys of a grid, which its blocks leave before the first barrier of all: it says before anything
// is counted whether the highest digit splits the keys evenly, and where it does not, where splitters lie.
#ifndef GS_BLOCK_GRID_SAMPLE
#define GS_BLOCK_GRID_SAMPLE

#include "block/grid_tile.cuh"

namespace gs {

// Every block leaves kLeftOfBlock of its keys, encoded: one from each warp of 32, two of 16. They lie together then,
// a word of 64 bits each. samplePlace is where key number `number` of the sample is: every fourth one in the first
// quarter, each other one in the next ones, so that threads that read one of four each read neighbours.
GS_DEVICE u32 samplePlace(u32 number) {
  return 3 * gridDim.x + number % 4 * (gridDim.x * (kLeftOfBlock / 4)) + number / 4;
}

// Keys are left by chance, since regular inputs may repeat at the distance of two warps' keys. The highest bits of
// products are taken, as the lowest ones repeat every few warps. Padding is left out: key number 0 stands for it.
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

// sampleSize is how many keys are left: blocks whose share is not full leave padding, too, which is none of them.
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
    if constexpr (!kSplitsKeys<G>) return;
    const u32 number = kStep * threadIdx.x;
    valid = (number / kLeftOfBlock + 1) * share.slots <= a.n;
    if (valid) key = KeyOf<G>(__ldcg(a.bounds + samplePlace(number + (threadIdx.x / 8 * 0xc2b2ae35u >> 16) % kStep)));
  }

  // isUneven says whether by the sample a block would get too many keys with one digit, of the 8 bits from `shift` up
  // of the distance to the least key: more than its tile, or of few keys a twentieth or so, with which it would work
  // while others wait. Three deviations of the few that digits have in full tiles, 8, are allowed for, and for few keys
  // half of them. found[kDigits] is 0, behind a barrier; one barrier.
  GS_DEVICE bool isUneven(u32* found, const GridArgs& a, const Share& share, KeyOf<G> least, u32 shift) const {
    constexpr u32 kFew = 20;
    const u32 few = a.n / (kFew * G::kThreads * kStep / kLeftOfBlock),
        most = few > kMost ? kMost : few > 4 ? few - 4 : 0;
    const bool full = valid &&
        (atomicAdd(&found[u32(KeyOf<G>(key - least) >> shift) % kDigits], 1u) + 1) * share.used > most + 8 * share.used;
    return __syncthreads_or(full);
  }
};

// stageSample brings the sample to shared memory, where columns will be, and returns how many keys it has. Begins and
// ends with a barrier.
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
