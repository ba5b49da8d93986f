// The first kernel of merge-separators: sectors of threads·kItems items, sorted
// by a radix sort of 32 items per warp and then stable merges by rank in shared
// memory.
#ifndef GS_BLOCK_MERGE_SECTOR
#define GS_BLOCK_MERGE_SECTOR

#include "block/merge_tile.cuh"
#include "warp/ranksort.cuh"

namespace gs {

// SectorShared carves the dynamic shared memory: two copies of a sector's keys
// and, for pairs, of each item's source in the sector. internal/algo/merge has
// the same sum, since it chooses the threads; it is compared with bytes.
template <typename G> struct SectorShared {
  static GS_DEVICE constexpr u32 bytes(u32 items) {
    return 2 * items * (sizeof(KeyOf<G>) + (G::kPairs ? sizeof(u16) : 0));
  }
  KeyOf<G>* keys;  // [2][items]
  unsigned short* from;   // [2][items]
  GS_DEVICE SectorShared(void* base, u32 items) {
    keys = static_cast<KeyOf<G>*>(base);
    from = reinterpret_cast<unsigned short*>(keys + 2 * items);
  }
};

// mergeSector sorts each sector of in to out, which may be the same memory: a
// sector is read whole before any of it is written. threads and kItems are
// powers of two, so that runs of 32 double up to the sector. Codecs, flags and
// the filling of the last sector are those of mergeBlock.
//
// In a merge an item's place is its place in its own run and the number of
// items of the other run that go before it: those below an item of the first
// run, those not above one of the second. So equal items keep their order and
// no two get one place.
template <typename G>
GS_DEVICE void mergeSector(const KeyOf<G>* in, KeyOf<G>* out, const ValueOf<G>* valuesIn, ValueOf<G>* valuesOut, u64 n,
                           u32 codecIn, u32 codecOut, u32 flags) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  const u32 threads = blockDim.x, items = threads * G::kItems, t = threadIdx.x;
  const SectorShared<G> s(dynamicShared, items);
  for (u64 first = u64(blockIdx.x) * items; first < n; first += u64(gridDim.x) * items) {
    const u32 valid = u32(least(u64(items), n - first));
    K k[G::kItems];
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      const u32 j = i * threads + t;
      k[i] = K(~K(0));
      if (j < valid) k[i] = encode(codecIn, in[first + j]);
    }
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      const u32 j = i * threads + t, source = warpSource(warpRank(k[i]));
      s.keys[j] = K(__shfl_sync(kAllLanes, k[i], source));
      if constexpr (G::kPairs) s.from[j] = static_cast<unsigned short>(j - laneID() + source);
    }
    u32 now = 0;  // the offset of the copy that holds the sector
    for (u32 width = 32; width < items; width *= 2, now ^= items) {
      __syncthreads();
      const K* const keys = s.keys + now;
      const u32 next = now ^ items;
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        const u32 j = i * threads + t, own = j & (width - 1), base = j & ~(2 * width - 1);
        const K key = keys[j];
        const K* const pair = keys + base;
        const u32 place =
            base + own + (j & width ? upperBound(pair, width, key) : lowerBound(pair + width, width, key));
        s.keys[next + place] = key;
        if constexpr (G::kPairs) s.from[next + place] = s.from[now + j];
      }
    }
    __syncthreads();
    if (!(flags & kMergeDropKeys)) {
      for (u32 j = t; j < valid; j += threads) out[first + j] = decode(codecOut, s.keys[now + j]);
    }
    if constexpr (G::kPairs) {
      V v[G::kItems];
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        const u32 j = i * threads + t;
        if (j < valid) v[i] = flags & kMergePositions ? V(first + s.from[now + j]) : valuesIn[first + s.from[now + j]];
      }
      __syncthreads();  // all values of the sector are in registers
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        const u32 j = i * threads + t;
        if (j < valid) valuesOut[first + j] = v[i];
      }
    }
    __syncthreads();
  }
}

}  // namespace gs

#endif
