// Keys by whole vectors of 16 bytes, wherever they begin, and places in an output for those
// that a block's threads want to write.
#ifndef GS_BLOCK_LEAST_TILE
#define GS_BLOCK_LEAST_TILE

#include "block/least_state.cuh"

namespace gs {

// LeastTile holds kLeastVectors vectors of a thread. Vectors count from the 16-byte boundary
// at or below the first key; the keys of a warp's vector lie side by side.
template <typename K> struct LeastTile {
  static constexpr u32 kEach = 16 / sizeof(K), kRow = kLeastThreads * kEach, kTile = kLeastVectors * kRow;
  union Vector {
    uint4 raw;
    u32 words[4];
    u64 halves[2];
    K k[kEach];
  } v[kLeastVectors];
  long long first;             // number of the first key; that of vector r is r · kRow further on
  u32 valid[kLeastVectors];    // a bit for each key that is there

  // tiles is how many tiles keys[0, n) have.
  GS_DEVICE static u64 tiles(const K* keys, u64 n) { return n == 0 ? 0 : (n + before(keys) + kTile - 1) / kTile; }
  GS_DEVICE static u32 before(const K* keys) { return u32(reinterpret_cast<u64>(keys) % 16 / sizeof(K)); }

  GS_DEVICE void load(const K* keys, u64 n, u64 tile) {
    first = (long long)(tile * kTile + threadIdx.x * kEach) - before(keys);
    const bool whole = tile * kTile >= before(keys) && tile * kTile + kTile - before(keys) <= n;
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
      valid[r] = (1u << kEach) - 1;
      if (whole) v[r].raw = *reinterpret_cast<const uint4*>(keys + first + r * kRow);
    }
    if (!whole) loadPart(keys, n);
  }
  // loadPart loads the keys of the first or last tile one by one.
  GS_DEVICE void loadPart(const K* keys, u64 n) {
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
      u64 low = 0, high = 0;
      valid[r] = 0;
#pragma unroll 1
      for (u32 j = kEach; j-- > 0;) {
        const bool holds = number(r, j) < n;  // below 0 is above all
        const u64 key = holds ? keys[number(r, j)] : K(0);
        valid[r] |= u32(holds) << j;
        if constexpr (sizeof(K) == 8)
          high = low, low = key;
        else
          high = high << 8 * sizeof(K) | low >> (64 - 8 * sizeof(K)), low = low << 8 * sizeof(K) | key;
      }
      v[r].halves[0] = low, v[r].halves[1] = high;
    }
  }
  // encode makes all keys encoded ones.
  GS_DEVICE void encode(u32 codec) {
    if constexpr (sizeof(K) >= 4) {
      if ((codec & 3) >= kCodecFloatNaNFirst) {
#pragma unroll
        for (u32 r = 0; r < kLeastVectors; r++) {
#pragma unroll
          for (u32 j = 0; j < kEach; j++) v[r].k[j] = encodeFloat((codec & 3) == kCodecFloatNaNLast, v[r].k[j]);
        }
        codec &= ~3u;
      }
    }
    // What is left flips bits: the same ones in every key.
    const u64 flips = u64(gs::encode(codec, K(0))) * (~u64(0) / K(~K(0)));
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
#pragma unroll
      for (u32 h = 0; h < 2; h++) v[r].halves[h] ^= flips;
    }
  }
  GS_DEVICE u64 number(u32 r, u32 j) const { return u64(first + r * kRow + j); }
};

// LeastSlots gives a thread's keys places behind two cursors in global memory: `low` counts
// in the low half of a thread's wish, `high` in the high half. All threads of the block call
// reserve together. One addition is for a warp; or, where many keys are written, for the block,
// since additions to one word take turns.
struct LeastSlots {
  u64* low;
  u64* high;
  u32* low32;  // in place of low, if not null
  bool dense;

  GS_DEVICE void add(u32 wish, u64& lowAt, u64& highAt) const {
    lowAt = highAt = 0;
    const u32 few = wish & 0xffff, many = wish >> 16;
    if (few != 0) lowAt = low32 != nullptr ? u64(atomicAdd(low32, few)) : atomicAdd(low, u64(few));
    if (many != 0) highAt = atomicAdd(high, u64(many));
  }
  // reserve returns where this thread's keys begin, and whether anybody of the warp has some.
  GS_DEVICE bool reserve(u32 wish, u64& lowAt, u64& highAt) const {
    __shared__ u32 warpWishes[kLeastWarps];
    __shared__ u64 at[2];
    if (!dense) {
      if (!__any_sync(kAllLanes, wish != 0)) return false;
      const u32 upTo = inclusiveSum(wish);
      if (laneID() == 31) add(upTo, lowAt, highAt);
      lowAt = __shfl_sync(kAllLanes, lowAt, 31) + ((upTo - wish) & 0xffff);
      highAt = __shfl_sync(kAllLanes, highAt, 31) + ((upTo - wish) >> 16);
      return true;
    }
    const u32 upTo = inclusiveSum(wish), warp = threadIdx.x / 32;
    if (laneID() == 31) warpWishes[warp] = upTo;
    __syncthreads();
    u32 mine = 0, all = 0;
#pragma unroll
    for (u32 w = 0; w < kLeastWarps; w++) {
      if (w == warp) mine = all;
      all += warpWishes[w];
    }
    if (threadIdx.x == 0) add(all, at[0], at[1]);
    __syncthreads();
    mine += upTo - wish;
    lowAt = at[0] + (mine & 0xffff), highAt = at[1] + (mine >> 16);
    return true;
  }
};

}  // namespace gs

#endif
