// Inputs past 2^32 items, generated and verified on the device.
#include <cinttypes>

#include "sorter.h"

namespace {

__device__ uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

template <typename K> __global__ void fill(K* x, uint64_t n, uint64_t seed) {
  for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < n; i += uint64_t(gridDim.x) * blockDim.x) x[i] = K(mix(i ^ seed));
}

// sums[0]: descents; sums[1]: sum of hashes, the same for equal multisets.
template <typename K> __global__ void survey(const K* x, uint64_t n, unsigned long long* sums) {
  unsigned long long descents = 0, hash = 0;
  for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < n; i += uint64_t(gridDim.x) * blockDim.x) {
    hash += mix(uint64_t(x[i]) + 12345);
    if (i + 1 < n && x[i] > x[i + 1]) descents++;
  }
  atomicAdd(&sums[0], descents);
  atomicAdd(&sums[1], hash);
}

// For argsort: sums[0] counts places where keys descend, or where equal keys'
// indices do; sums[1] sums hashes of indices.
template <typename K, typename I> __global__ void surveyIndices(const K* x, const I* idx, uint64_t n, unsigned long long* sums) {
  unsigned long long bad = 0, hash = 0;
  for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < n; i += uint64_t(gridDim.x) * blockDim.x) {
    const uint64_t a = idx[i];
    hash += mix(a);
    if (a >= n) bad++;
    else if (i + 1 < n) {
      const uint64_t b = idx[i + 1];
      if (b >= n || x[a] > x[b] || (x[a] == x[b] && a >= b)) bad++;
    }
  }
  atomicAdd(&sums[0], bad);
  atomicAdd(&sums[1], hash);
}

__global__ void surveyRange(uint64_t n, unsigned long long* sums) {
  unsigned long long hash = 0;
  for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < n; i += uint64_t(gridDim.x) * blockDim.x) hash += mix(i);
  atomicAdd(&sums[1], hash);
}

struct Sums {
  unsigned long long* d;
  unsigned long long h[2];
  Sums() { CHECK(cudaMalloc(&d, 16)); }
  ~Sums() { cudaFree(d); }
  void clear() { CHECK(cudaMemset(d, 0, 16)); }
  void read() { CHECK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost)); }
};

bool room(uint64_t bytes) {
  size_t free, total;
  CHECK(cudaMemGetInfo(&free, &total));
  return bytes + (1ull << 30) < free;
}

template <typename K> int largeKeys(uint64_t n) {
  Sort s;
  s.in = tableInstance(8 * sizeof(K), 0);
  s.in.prepare();
  s.n = n;
  if (!room(s.scratchBytes() + n * sizeof(K))) {
    std::printf("large u%zu n %" PRIu64 ": skipped, not enough device memory\n", 8 * sizeof(K), n);
    return 0;
  }
  CHECK(cudaMalloc(&s.keys, n * sizeof(K)));
  CHECK(cudaMalloc(&s.scratch, s.scratchBytes()));
  K* x = static_cast<K*>(s.keys);
  Sums a, b;
  fill<<<1024, 256>>>(x, n, 7);
  a.clear(), survey<<<1024, 256>>>(x, n, a.d), a.read();
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0), cudaEventCreate(&e1);
  cudaEventRecord(e0);
  s.run(0);
  cudaEventRecord(e1);
  CHECK(cudaDeviceSynchronize());
  float ms;
  cudaEventElapsedTime(&ms, e0, e1);
  b.clear(), survey<<<1024, 256>>>(x, n, b.d), b.read();
  const bool ok = b.h[0] == 0 && a.h[1] == b.h[1];
  std::printf("large u%zu n %" PRIu64 ": %s, %.1f Gkeys/s\n", 8 * sizeof(K), n, ok ? "ok" : "FAIL", n / ms / 1e6);
  CHECK(cudaFree(s.keys));
  CHECK(cudaFree(s.scratch));
  return !ok;
}

int largeArgsort(uint64_t n) {
  Sort s;
  s.in = tableInstance(16, 8);
  s.in.prepare();
  s.n = n;
  s.mode = kArgsort;
  if (!room(s.scratchBytes() + n * 10)) {
    std::printf("large argsort u16 n %" PRIu64 ": skipped, not enough device memory\n", n);
    return 0;
  }
  CHECK(cudaMalloc(&s.keys, n * 2));
  CHECK(cudaMalloc(&s.values, n * 8));
  CHECK(cudaMalloc(&s.scratch, s.scratchBytes()));
  fill<<<1024, 256>>>(static_cast<uint16_t*>(s.keys), n, 9);
  s.run(0);
  Sums a, b;
  a.clear(), surveyRange<<<1024, 256>>>(n, a.d), a.read();
  b.clear(), surveyIndices<<<4096, 256>>>(static_cast<uint16_t*>(s.keys), static_cast<uint64_t*>(s.values), n, b.d), b.read();
  CHECK(cudaDeviceSynchronize());
  const bool ok = b.h[0] == 0 && a.h[1] == b.h[1];
  std::printf("large argsort u16/u64 n %" PRIu64 ": %s\n", n, ok ? "ok" : "FAIL");
  CHECK(cudaFree(s.keys));
  CHECK(cudaFree(s.values));
  CHECK(cudaFree(s.scratch));
  return !ok;
}

}  // namespace

void fillUniform(void* keys, int bits, uint64_t n, uint64_t seed, cudaStream_t s) {
  if (bits == 32) fill<<<2048, 256, 0, s>>>(static_cast<uint32_t*>(keys), n, seed);
  if (bits == 64) fill<<<2048, 256, 0, s>>>(static_cast<uint64_t*>(keys), n, seed);
}

int checkLarge() {
  const uint64_t past = (1ull << 32) + (1 << 20) + 3;
  return largeKeys<uint32_t>(past) + largeKeys<uint8_t>(past) + largeKeys<uint16_t>(past) + largeArgsort(past) +
         largeKeys<uint32_t>((1ull << 33) + 12345);
}
