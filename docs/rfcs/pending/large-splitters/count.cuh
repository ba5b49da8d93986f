// Counting: each key's digit, one byte, and how many there are of each.
#ifndef GS_LARGE_COUNT
#define GS_LARGE_COUNT

#include "state.cuh"
#include "tree.cuh"

namespace gs {

constexpr int kCountThreads = 512, kCountItems = 8;
constexpr u32 kCounted = kCountThreads * kCountItems;  // at a time

// Counts of a block: column (digit, lane) so that no two lanes meet, 16 bits each, two of neighbouring digits a word.
struct CountShared {
  u32 tree[2 * kDigits];
  u32 columns[kDigits / 2 * 32];
};
constexpr u32 kCountBytes = sizeof(CountShared);

GS_DEVICE void clearCounts(CountShared& s) {
  for (u32 i = threadIdx.x; i < u32(kDigits / 2 * 32); i += kCountThreads) s.columns[i] = 0;
}

// countKeys counts keys[0, items) and writes their digits to codes.
GS_DEVICE void countKeys(CountShared& s, const u64* keys, u8* codes, u32 items) {
  const u32 tree = sharedAt(s.tree);
  u32* const column = s.columns + laneID();
  for (u32 from = threadIdx.x; from < items; from += kCounted) {
    u64 key[kCountItems];
    u32 digit[kCountItems];
#pragma unroll
    for (u32 i = 0; i < kCountItems; i++) key[i] = from + i * kCountThreads < items ? keys[from + i * kCountThreads] : 0;
    digitsOfTree(tree, key, digit);
#pragma unroll
    for (u32 i = 0; i < kCountItems; i++) {
      if (from + i * kCountThreads >= items) continue;
      codes[from + i * kCountThreads] = u8(digit[i]);
      atomicAdd(&column[(digit[i] >> 1) * 32], 1u << 16 * (digit[i] & 1));
    }
  }
}

// addCounts adds the block's counts to counters. Begins with a barrier.
GS_DEVICE void addCounts(CountShared& s, u32* counters, u32 buckets) {
  __syncthreads();
  const u32 d = threadIdx.x;
  if (d >= buckets) return;
  u32 sum = 0;
  for (u32 l = 0; l < 32; l++) sum += s.columns[(d >> 1) * 32 + (l + d & 31)] >> 16 * (d & 1) & 0xffff;
  if (sum) atomicAdd(&counters[d], sum);
}

// largeCount: any grid of kCountThreads, kCountBytes of dynamic shared memory; a block takes an equal part of
// all keys, in multiples of kChunk: a column counts to 65,535.
constexpr u32 kChunk = kCounted * 128;
GS_DEVICE void largeCount(const u64* keys, u8* codes, u32 n, Split* s) {
  extern __shared__ uint4 dynamicShared[];
  CountShared& c = *reinterpret_cast<CountShared*>(dynamicShared);
  plantTree(sharedAt(c.tree), s->splitters);
  const u32 each = n / gridDim.x + 1, begin = blockIdx.x * each, end = begin + each < n ? begin + each : n;
  for (u32 from = begin; from < end; from += kChunk) {
    clearCounts(c);
    __syncthreads();
    countKeys(c, keys + from, codes + from, from + kChunk < end ? kChunk : end - from);
    addCounts(c, s->counts, kDigits);
    __syncthreads();
  }
}

// largePartCount: a block for each tile of the list.
GS_DEVICE void largePartCount(const u64* alt, u8* codes, const Tile* tiles, u32* counters, const Split* s) {
  if (blockIdx.x >= s->tiles) return;
  extern __shared__ uint4 dynamicShared[];
  CountShared& c = *reinterpret_cast<CountShared*>(dynamicShared);
  const Tile t = tiles[blockIdx.x];
  if (s->parts[t.part].constant) return;
  plantTree(sharedAt(c.tree), s->partSplitters[t.part]);
  clearCounts(c);
  __syncthreads();
  countKeys(c, alt + t.begin, codes + t.begin, t.items);
  addCounts(c, counters + s->parts[t.part].first, s->parts[t.part].buckets);
}

}  // namespace gs

#endif
