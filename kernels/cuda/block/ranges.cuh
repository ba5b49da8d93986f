// Keys by ranges, whose bounds the host has chosen by samples. So devices that share a sort exchange keys before they
// sort them (internal/exec/ranges.go).
#ifndef GS_BLOCK_RANGES
#define GS_BLOCK_RANGES

#include "block/msd_split.cuh"

namespace gs {

// kMostRanges is the largest number of ranges.
constexpr u32 kRangeBits = 5, kMostRanges = 1 << kRangeBits;
GS_CONSTANT(MostRanges, kMostRanges)

// rangesSample writes encoded keys from places by chance, one of each of 1 << log equal stretches of the n keys, in the
// order of their places. Launch: a thread each.
template <typename K> GS_DEVICE void rangesSample(const K* keys, u64 n, u32 log, u32 codec, u64* sample) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1u << log) sample[i] = encode(codec, keys[chancePlace(i, log, n)]);
}

// Ranges finds the range of an encoded key: the number of last keys below it. These are in order, those of fewer ranges
// followed by the largest key. The constructor copies them to shared memory; behind it comes a barrier.
template <typename K> struct Ranges {
  static constexpr bool kMany = false;
  const K* lasts;
  GS_DEVICE Ranges(K* shared, const u64* lasts_) : lasts(shared) {
    if (threadIdx.x < kMostRanges - 1) shared[threadIdx.x] = K(lasts_[threadIdx.x]);
  }
  GS_DEVICE u32 operator()(K key) const {
    u32 range = 0;
#pragma unroll
    for (u32 step = kMostRanges / 2; step != 0; step /= 2) range += key > lasts[range + step - 1] ? step : 0;
    return range;
  }
};

// RangeRoom is where the keys of a range go: to places from `next` on, before `end`.
struct RangeRoom {
  u32 next, end, unused[kPad - 2];  // a sector each
};
GS_CONSTANT(RangeRoomBytes, sizeof(RangeRoom))

// Rooms gives keys of a range their place, `spare` if there is no room left, where a tile may lie. Then `next` ends up
// above `end`.
struct Rooms {
  RangeRoom* rooms;
  u32 spare;
  GS_DEVICE u32 operator()(u32 range, u32 count) const {
    const u32 place = atomicAdd(&rooms[range].next, count);
    return place + count <= rooms[range].end ? place : spare;
  }
};

// Decoded writes keys that were encoded to be split.
template <typename K> struct Decoded {
  K* out;
  u32 codec;
  GS_DEVICE void operator()(u32 place, K key) const { out[place] = decode(codec, key); }
};

// rangesSplit moves the keys of each range to its room in out, in any order. Places, and their number n, are below
// 2^31. Launch: S::kThreads threads, a block per tile; dynamic shared memory S::kBytes.
template <typename S>
GS_DEVICE void rangesSplit(const typename S::K* keys, typename S::K* out, u32 n, u32 codec, const u64* lasts,
                           RangeRoom* rooms, u32 spare) {
  typedef typename S::K K;
  __shared__ K shared[kMostRanges];
  const Ranges<K> rangeOf(shared, lasts);
  __syncthreads();
  const u32 base = blockIdx.x * S::kTile;
  msdSplit<S>(KeySource<K>(keys, codec, 0), rangeOf, Rooms{rooms, spare}, Decoded<K>{out, codec}, base, 0,
              least(S::kTile, n - base));
}

}  // namespace gs

#endif
