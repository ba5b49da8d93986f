// Stages of radix-4way: an LSD radix sort with 2-bit digits whose tiles are
// put in order inside a block before they are moved (Ha, Krüger and Silva,
// "Fast four-way parallel radix sorting on GPUs", 2009). Four counters of 16
// bits share one 64-bit word, so that one prefix sum over a block ranks all
// four digits at once.
//
// Launch, of count and move: any number of blocks of any multiple of 32 threads
// up to 1024, the same for both; items keys per thread, threads·items < 2^16.
// Each block has a contiguous range of tiles.
//
// Memory order: blocks share nothing within a launch, and the launches of a
// stream are ordered; within a block __syncthreads orders every exchange.
#ifndef GS_BLOCK_RADIX4
#define GS_BLOCK_RADIX4

#include "warp/codec.cuh"
#include "warp/match.cuh"

namespace gs {

// What travels with the keys, as plan.Mode numbers it.
constexpr u32 kRadix4Argsort = 2;

constexpr u32 kMaxWarps = 32;

// The dynamic shared memory of the stages. internal/algo/radix4 has the same sums, since it
// chooses threads and items; they are compared.
GS_DEVICE constexpr u32 radix4CountBytes() { return 4 * kMaxWarps * sizeof(u64); }
GS_DEVICE constexpr u32 radix4ScanBytes() { return kMaxWarps * sizeof(u64); }
template <typename K>
GS_DEVICE constexpr u32 radix4MoveBytes(u32 tile) {
  return (kMaxWarps + 4) * sizeof(u64) + ((tile * sizeof(K) + 1) / 2 + tile) * sizeof(u16);
}

// radix4Index reads index i, of 4 or 8 bytes.
GS_DEVICE u64 radix4Index(const void* indices, u32 bytes, u64 i) {
  return bytes == 4 ? static_cast<const u32*>(indices)[i] : static_cast<const u64*>(indices)[i];
}

// Radix4Keys reads the keys in the order of the passes so far: their encoded keys
// one after the other, or through indices.
template <typename K> struct Radix4Keys {
  const K* keys;
  const void* indices;  // of indexBytes; not used if that is 0
  u32 indexBytes, codec;
  GS_DEVICE K operator()(u64 i) const {
    return encode(codec, keys[indexBytes ? radix4Index(indices, indexBytes, i) : i]);
  }
};

// radix4Begin is the first tile of a block.
GS_DEVICE u64 radix4Begin(u64 n, u32 tile, u32 block) { return (n + tile - 1) / tile * block / gridDim.x; }

GS_DEVICE u64 radix4Field(u64 packed, u32 digit) { return packed >> 16 * digit & 0xffff; }

// radix4Count counts a block's digits into counts[4][blocks].
// Shared: 4·32 words of 64 bits.
template <typename K> GS_DEVICE void radix4Count(Radix4Keys<K> in, u64* counts, u64 n, u32 tile, u32 shift) {
  extern __shared__ uint4 dynamicShared[];
  u64* const sums = reinterpret_cast<u64*>(dynamicShared);
  const u32 t = threadIdx.x, warps = blockDim.x / 32;
  const u64 end = least(n, radix4Begin(n, tile, blockIdx.x + 1) * tile);
  u64 c[4] = {};
  for (u64 i = radix4Begin(n, tile, blockIdx.x) * tile + t; i < end; i += blockDim.x) {
    const u32 digit = u32(in(i) >> shift) & 3;
#pragma unroll
    for (u32 d = 0; d < 4; d++) c[d] += digit == d;
  }
#pragma unroll
  for (u32 d = 0; d < 4; d++) {
    const u64 sum = inclusiveSum(c[d]);
    if (laneID() == 31) sums[d * kMaxWarps + t / 32] = sum;
  }
  __syncthreads();
  if (t < 4) {
    u64 sum = 0;
    for (u32 w = 0; w < warps; w++) sum += sums[t * kMaxWarps + w];
    counts[u64(t) * gridDim.x + blockIdx.x] = sum;
  }
}

// radix4BlockSum is the inclusive prefix sum over the block's threads; total
// receives the sum of all. sums has 32 words. The caller's next barrier comes
// before the next call.
GS_DEVICE u64 radix4BlockSum(u64 x, u64* sums, u64& total) {
  const u32 warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const u64 sum = inclusiveSum(x);
  if (laneID() == 31) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const u64 all = inclusiveSum(laneID() < warps ? sums[laneID()] : 0);
    __syncwarp();
    sums[laneID()] = all;
  }
  __syncthreads();
  total = sums[warps - 1];
  return sum + (warp ? sums[warp - 1] : 0);
}

// radix4Scan turns counts[m] into the sums of all before each, in place.
// Launch: one block. Shared: 32 words of 64 bits.
GS_DEVICE void radix4Scan(u64* counts, u32 m) {
  extern __shared__ uint4 dynamicShared[];
  u64* const sums = reinterpret_cast<u64*>(dynamicShared);
  const u32 each = (m + blockDim.x - 1) / blockDim.x;
  const u32 begin = least(m, threadIdx.x * each), end = least(m, begin + each);
  u64 mine = 0, total;
  for (u32 i = begin; i < end; i++) mine += counts[i];
  u64 at = radix4BlockSum(mine, sums, total) - mine;
  for (u32 i = begin; i < end; i++) {
    const u64 c = counts[i];
    counts[i] = at;
    at += c;
  }
}

// Radix4Move are the arguments of radix4Move.
struct Radix4Move {
  void* keysOut;          // not written by an argsort
  const void* valuesIn;   // of valueBytes
  void* valuesOut;
  const u64* places;      // [4][blocks]: where each block's keys of a digit go
  u64 n;
  u32 items, shift;
  u32 decode;             // codec that the stored keys are decoded by
  u32 mode, valueBytes;
  bool identity;          // argsort, first pass: value i is i
};

// radix4Move moves each block's keys to their digits' places, tile by tile: a
// tile is loaded coalesced, its threads rank items neighbours each by the packed
// prefix sum, the order goes to shared memory as 16-bit positions, and the tile
// leaves in that order, so that neighbours go to neighbouring addresses.
// Shared: 32 words of 64 bits, four places, the tile's keys, its order.
template <typename K> GS_DEVICE void radix4Move(Radix4Keys<K> in, Radix4Move a) {
  extern __shared__ uint4 dynamicShared[];
  u64* const sums = reinterpret_cast<u64*>(dynamicShared);
  u64* const goal = sums + kMaxWarps;
  K* const keys = reinterpret_cast<K*>(goal + 4);
  const u32 t = threadIdx.x, tile = blockDim.x * a.items;
  u16* const order = reinterpret_cast<u16*>(goal + 4) + (tile * sizeof(K) + 1) / 2;
  u64 place = t < 4 ? a.places[u64(t) * gridDim.x + blockIdx.x] : 0;
  const u64 last = radix4Begin(a.n, tile, blockIdx.x + 1);
  for (u64 number = radix4Begin(a.n, tile, blockIdx.x); number < last; number++) {
    const u64 base = number * tile;
    const u32 count = u32(least(u64(tile), u64(a.n - base)));
    for (u32 i = t; i < count; i += blockDim.x) keys[i] = in(base + i);
    __syncthreads();

    const u32 begin = least(count, t * a.items), end = least(count, begin + a.items);
    u64 mine = 0, total;
    for (u32 i = begin; i < end; i++) mine += u64(1) << 16 * (u32(keys[i] >> a.shift) & 3);
    u64 rank = radix4BlockSum(mine, sums, total) - mine;
    const u64 starts = (total << 16) + (total << 32) + (total << 48);  // per digit the keys of lower ones
    rank += starts;
    for (u32 i = begin; i < end; i++) {
      const u32 digit = u32(keys[i] >> a.shift) & 3;
      order[radix4Field(rank, digit)] = u16(i);
      rank += u64(1) << 16 * digit;
    }
    if (t < 4) {
      goal[t] = place - radix4Field(starts, t);
      place += radix4Field(total, t);
    }
    __syncthreads();

    for (u32 i = t; i < count; i += blockDim.x) {
      const u32 from = order[i];
      const K key = keys[from];
      const u64 to = goal[u32(key >> a.shift) & 3] + i;
      if (a.mode != kRadix4Argsort) static_cast<K*>(a.keysOut)[to] = decode(a.decode, key);
      if (a.valueBytes == 4)
        static_cast<u32*>(a.valuesOut)[to] = a.identity ? u32(base + from)
            : static_cast<const u32*>(a.valuesIn)[base + from];
      else if (a.valueBytes == 8)
        static_cast<u64*>(a.valuesOut)[to] = a.identity ? base + from
            : static_cast<const u64*>(a.valuesIn)[base + from];
    }
    __syncthreads();  // the tile's memory is free again
  }
}

}  // namespace gs

#endif
