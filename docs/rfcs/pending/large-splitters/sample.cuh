// Splitters: keys at even distances of a sorted sample of at most 4,096, which one block sorts in shared memory.
//
// A digit is how many splitters are less than the key, so digit d has the keys above splitter d and up to the next one. Of splitters that are the
// same value v the first becomes v - 1: the digit behind it has v and nothing else, however often v comes, and is in order
// as it is.
#ifndef GS_LARGE_SAMPLE
#define GS_LARGE_SAMPLE

#include "local.cuh"

namespace gs {

constexpr u32 kSampleThreads = 256, kSampled = kSampleThreads * kMerged, kSampleBytes = kLocalBytes<kSampleThreads>;

// sampleSplitters leaves buckets-1 splitters of n keys, and the largest key behind them. One key is taken at a hashed
// place of each of many equal parts, so that no period in the input meets one in the places.
GS_DEVICE void sampleSplitters(const u64* keys, u32 n, u32 many, u32 buckets, u64* splitters) {
  if (many > n) many = n;
  const u32 row = sortLoaded<kSampleThreads>(
      [&](u32 i) {
        const u32 from = u32(u64(n) * i / many), to = u32(u64(n) * (i + 1) / many);
        return keys[from + u32(u64(i * 0x9e3779b1u) * (to - from) >> 32)];
      },
      many);
  const u32 i = threadIdx.x;
  auto chosen = [&](u32 j) { return loadAt<u64>(row + rowAt(u32(u64(many) * j / buckets))); };
  u64 own = ~0ull;
  if (i > 0 && i < buckets) {
    own = chosen(i);
    if (own > 0 && i + 1 < buckets && chosen(i + 1) == own && (i == 1 || chosen(i - 1) != own)) own--;
  }
  splitters[i] = own;
}

// isConstant says whether digit d of `buckets` is one value.
GS_DEVICE bool isConstant(const u64* splitters, u32 d, u32 buckets) {
  if (d + 1 >= buckets) return false;
  return d == 0 ? splitters[1] == 0 : splitters[d + 1] - splitters[d] == 1;
}

// largeSample: one block of kSampleThreads, kSampleBytes of dynamic shared memory.
GS_DEVICE void largeSample(const u64* keys, u32 n, Split* s) { sampleSplitters(keys, n, kSampled, kParts, s->splitters); }

// largePartSample: a block for each part. It notes which buckets are one value.
GS_DEVICE void largePartSample(const u64* alt, Split* s, u8* constant, u32* counters, u32 many) {
  const Part p = s->parts[blockIdx.x];
  if (p.constant) {
    if (threadIdx.x == 0) constant[p.first] = 1, counters[p.first] = p.items;
    return;
  }
  u64* const splitters = s->partSplitters[blockIdx.x];
  sampleSplitters(alt + p.begin, p.items, many, p.buckets, splitters);
  __syncthreads();
  if (threadIdx.x < p.buckets) constant[p.first + threadIdx.x] = isConstant(splitters, threadIdx.x, p.buckets);
}

}  // namespace gs

#endif
