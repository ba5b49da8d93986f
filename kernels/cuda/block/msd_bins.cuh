// A bucket with repeated keys, sorted in shared memory: by a digit of 12 bits that
// begins at the highest bit in which its keys differ. Bins of equal keys are sorted
// then, however many there are; in others each key counts what comes before it.
#ifndef GS_BLOCK_MSD_BINS
#define GS_BLOCK_MSD_BINS

#include "block/msd_state.cuh"

namespace gs {

constexpr u32 kBinBits = 12, kBins = 1u << kBinBits;

// kMostPairs bounds the comparisons of a bucket: of a bin of m keys that are not all
// equal, each is compared with all m. In instructions they then cost about what three
// digits of sortTile do. 128 keys of 32 copies each make two mixed bins of 64 keys on
// average, 2^13 comparisons.
constexpr u32 kMostPairs = 1u << 18;

// BinShared is the dynamic shared memory of sortBins.
template <typename G> struct BinShared {
  static constexpr u32 kCleared = 4 * (kBins + 4) + kBins / 8, kBytes = kCleared + G::kTile * sizeof(KeyOf<G>);
  u32* bins;   // [kBins + 1] keys of each, then its first slot
  u32* mixed;  // a bit per bin: its keys are not all equal
  KeyOf<G>* keys;     // [G::kTile] slots
  GS_DEVICE explicit BinShared(uint4* base) : bins(reinterpret_cast<u32*>(base)), mixed(bins + kBins + 4) {
    keys = reinterpret_cast<KeyOf<G>*>(mixed + kBins / 32);
  }
};

// BinOf is the number of a key's bin: the highest 12 of the bits up to the highest
// one in `differ`, or all of them.
template <typename K> struct BinOf {
  u32 shift;
  GS_DEVICE explicit BinOf(K differ) {
    const u32 rest = bitsOf(differ);
    shift = rest > kBinBits ? rest - kBinBits : 0;
  }
  GS_DEVICE u32 operator()(K k) const { return u32(k >> shift) & (kBins - 1); }
};

// scanBins turns the bins' counts, complete behind a barrier, into first slots and
// ends with a barrier. warpSums: a word per warp.
template <int kThreads> GS_DEVICE void scanBins(uint4* bins4, u32* warpSums) {
  constexpr u32 kEach = kBins / 4 / kThreads;  // vectors per thread
  static_assert(kEach * 4 * kThreads == kBins, "every bin is scanned");
  const u32 t = threadIdx.x, warp = t / 32;
  uint4 v[kEach];
  u32 sum = 0;
#pragma unroll
  for (u32 j = 0; j < kEach; j++) {
    v[j] = bins4[t * kEach + j];
    sum += v[j].x + v[j].y + v[j].z + v[j].w;
  }
  const u32 inclusive = inclusiveSum(sum);
  if (laneID() == 31) warpSums[warp] = inclusive;
  __syncthreads();
  u32 next = inclusive - sum;
#pragma unroll
  for (u32 w = 0; w < kThreads / 32; w++) next += w < warp ? warpSums[w] : 0;
#pragma unroll
  for (u32 j = 0; j < kEach; j++) {
    const u32 y = next + v[j].x, z = y + v[j].y, w = z + v[j].z;
    bins4[t * kEach + j] = make_uint4(next, y, z, w);
    next = w + v[j].w;
  }
  __syncthreads();
}

// sortBins sorts 1 to G::kTile keys: store(i, key) is called once for each place i,
// after all of in has been read. It returns false, the same in all threads and having
// stored nothing, if bins need too many comparisons. G::kThreads threads, no thread
// still using the shared memory: BinShared<G>::kBytes dynamic.
template <typename G, typename Store> GS_DEVICE bool sortBins(const KeyOf<G>* in, u32 items, Store store) {
  typedef typename G::Key K;
  constexpr u32 kThreads = G::kThreads, kItems = G::kItems;
  static_assert(G::kTile < 1 << 16, "ranks of 16 bits");
  extern __shared__ uint4 dynamicShared[];
  __shared__ u64 blockDiffer;
  __shared__ u32 pairs, warpSums[kThreads / 32];
  const BinShared<G> s(dynamicShared);
  const u32 t = threadIdx.x;

  K k[kItems], differ = 0;
  const K sample = in[0];
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    k[i] = sample;
    if (t + i * kThreads < items) k[i] = in[t + i * kThreads];
  }
  for (u32 i = t; i < BinShared<G>::kCleared / 16; i += kThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
  if (t == 0) blockDiffer = 0, pairs = 0;
#pragma unroll
  for (u32 i = 0; i < kItems; i++) differ |= k[i] ^ sample;
  differ = warpOr(differ);
  __syncthreads();
  if (laneID() == 0 && differ != 0) atomicOr(&blockDiffer, u64(differ));
  __syncthreads();
  if (blockDiffer == 0) {
    for (u32 i = t; i < items; i += kThreads) store(i, sample);
    return true;
  }
  const BinOf<K> binOf = BinOf<K>(K(blockDiffer));

  u32 ranks[(kItems + 1) / 2];  // two each
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    if (i % 2 == 0) ranks[i / 2] = 0;
    if (t + i * kThreads < items) ranks[i / 2] |= atomicAdd(&s.bins[binOf(k[i])], 1u) << 16 * (i % 2);
  }
  __syncthreads();
  if (t == 0) s.bins[kBins] = items;
  scanBins<kThreads>(dynamicShared, warpSums);
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    if (t + i * kThreads < items) s.keys[s.bins[binOf(k[i])] + (ranks[i / 2] >> 16 * (i % 2) & 0xffff)] = k[i];
  }
  __syncthreads();

  // A key that is not its bin's first says that the bin is mixed.
#pragma unroll 4
  for (u32 p = t; p < items; p += kThreads) {
    const K key = s.keys[p];
    const u32 b = binOf(key), first = s.bins[b], bit = 1u << b % 32;
    if (s.keys[first] == key || (atomicOr(&s.mixed[b / 32], bit) & bit) != 0) continue;
    const u32 m = s.bins[b + 1] - first;
    atomicAdd(&pairs, m * m);  // all of a bucket are at most kTile²
  }
  __syncthreads();
  if (pairs > kMostPairs) return false;
  for (u32 p = t; p < items; p += kThreads) {
    const K key = s.keys[p];
    const u32 b = binOf(key);
    u32 at = p;
    if (s.mixed[b / 32] >> b % 32 & 1) {
      const u32 end = s.bins[b + 1];
      at = s.bins[b];
#pragma unroll 4
      for (u32 q = at; q < end; q++) {
        const K other = s.keys[q];
        at += other < key || (other == key && q < p);
      }
    }
    store(at, key);
  }
  return true;
}

}  // namespace gs

#endif
