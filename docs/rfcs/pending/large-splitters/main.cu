// Times a sort by splitters of 64-bit keys, stage by stage, and checks it: ./large [log2 n]…
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "count.cuh"
#include "local.cuh"
#include "move.cuh"
#include "prepare.cuh"
#include "sample.cuh"

using namespace gs;

#define CHECK(x) check(x, #x, __LINE__)
static int check(cudaError_t e, const char* call, int line) {
  if (e != cudaSuccess) std::printf("%s: %s (line %d)\n", call, cudaGetErrorString(e), line), std::exit(1);
  return 0;
}

constexpr u32 kSmall = 128, kBig = 512;

__global__ void __launch_bounds__(kSampleThreads) sampleKernel(const u64* k, u32 n, Split* s) { largeSample(k, n, s); }
__global__ void __launch_bounds__(kSampleThreads) partSampleKernel(const u64* k, Split* s, u8* constant, u32* counters, u32 many) { largePartSample(k, s, constant, counters, many); }
__global__ void __launch_bounds__(kCountThreads, 3) countKernel(const u64* k, u8* c, u32 n, Split* s) { largeCount(k, c, n, s); }
__global__ void __launch_bounds__(kCountThreads, 3) partCountKernel(const u64* k, u8* c, const Tile* t, u32* counters, const Split* s) { largePartCount(k, c, t, counters, s); }
__global__ void __launch_bounds__(256) prepareKernel(Split* s, Tile* t, u32 mean) { largePrepare(s, t, mean); }
__global__ void __launch_bounds__(1024) startsKernel(const u32* c, u32* starts, u32* cursors, const Split* s, u32 n) { largeStarts(c, starts, cursors, s, n); }
__global__ void __launch_bounds__(kMoveThreads, 3) moveKernel(const u64* k, const u8* c, u64* to, u32 n, Split* s) { largeMove(k, c, to, n, s); }
__global__ void __launch_bounds__(kMoveThreads, 3) partMoveKernel(const u64* k, const u8* c, u64* to, const Tile* t, u32* cursors, const Split* s) { largePartMove(k, c, to, t, cursors, s); }
__global__ void __launch_bounds__(kSmall) localKernel(u64* k, const u32* starts, const u8* constant, Split* s, u32* large) { largeLocal<kSmall>(k, starts, constant, s, large); }
__global__ void __launch_bounds__(kBig) restKernel(u64* k, const u32* starts, Split* s, const u32* large) { largeRest<kBig>(k, starts, s, large); }

__device__ u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

const char* const kNames[] = {"uniform", "and3 (0.544)", "and5 (0.201)", "f64 normal", "exponential", "msd-skew", "4096 values", "95 % zeros"};
__global__ void fill(u64* k, u32 n, u32 kind, u64 seed) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    u64 x = mix(u64(i) * 8 + seed);
    if (kind == 1 || kind == 2) {
      for (u32 j = 1; j < (kind == 1 ? 3 : 5); j++) x &= mix(u64(i) * 8 + seed + j);
    } else if (kind == 3) {
      const double u = (double(x >> 11) + 1) / 9007199254740993.0, v = double(mix(u64(i) * 8 + seed + 1) >> 11) / 9007199254740992.0;
      const double y = sqrt(-2 * log(u)) * cospi(2 * v);
      x = encode(kCodecFloatNaNFirst, u64(__double_as_longlong(y)));
    } else if (kind == 4) {
      x = u64(-log((double(x >> 11) + 1) / 9007199254740993.0) * 1e15);
    } else if (kind == 5) {
      x >>= mix(u64(i) * 8 + seed + 1) % 48;
    } else if (kind == 6) {
      x = mix(x % 4096);
    } else if (kind == 7) {
      x = mix(x) % 20 ? 0 : x;
    }
    k[i] = x;
  }
}
__global__ void digest(const u64* k, u32 n, u64* out) {
  u64 sum = 0, bad = 0;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += mix(k[i]);
    if (i > 0 && k[i - 1] > k[i]) bad++;
  }
  atomicAdd(&out[0], sum), atomicAdd(&out[1], bad);
}

int main(int argc, char** argv) {
  std::vector<int> logs;
  for (int i = 1; i < argc; i++) logs.push_back(std::atoi(argv[i]));
  if (logs.empty()) logs = {22, 24, 26};
  const int most = *std::max_element(logs.begin(), logs.end());
  const u64 room = 1ull << most;
  u64 *input, *keys, *alt, *sums;
  u8 *codes, *constant;
  Split* s;
  Tile* tiles;
  u32 *counters, *starts, *cursors, *large;
  const u64 buckets = room / 512 + 1024;
  CHECK(cudaMalloc(&input, room * 8)), CHECK(cudaMalloc(&keys, room * 8)), CHECK(cudaMalloc(&alt, room * 8)), CHECK(cudaMalloc(&codes, room));
  CHECK(cudaMalloc(&s, sizeof(Split))), CHECK(cudaMalloc(&tiles, (room / kTile + 512) * sizeof(Tile)));
  CHECK(cudaMalloc(&counters, buckets * 4)), CHECK(cudaMalloc(&starts, buckets * 4)), CHECK(cudaMalloc(&cursors, buckets * 4)), CHECK(cudaMalloc(&large, buckets * 4));
  CHECK(cudaMalloc(&constant, buckets)), CHECK(cudaMalloc(&sums, 16));
  CHECK(cudaFuncSetAttribute(sampleKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kSampleBytes)));
  CHECK(cudaFuncSetAttribute(partSampleKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kSampleBytes)));
  CHECK(cudaFuncSetAttribute(moveKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kMoveBytes)));
  CHECK(cudaFuncSetAttribute(partMoveKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kMoveBytes)));
  CHECK(cudaFuncSetAttribute(localKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kLocalBytes<kSmall>)));
  CHECK(cudaFuncSetAttribute(restKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kLocalBytes<kBig>)));
  const char* const stages[] = {"clear", "sample", "count", "prepare", "move", "samples", "count2", "starts", "move2", "local", "rest"};
  constexpr int kStages = 11;
  cudaEvent_t at[kStages + 1];
  for (auto& e : at) CHECK(cudaEventCreateWithFlags(&e, cudaEventDefault));
  std::printf("%-14s %4s %5s %9s", "keys", "n", "mean", "all, µs");
  for (auto* x : stages) std::printf(" %8s", x);
  std::printf("  check\n");
  for (int log : logs) {
    const u32 n = 1u << log;
    for (u32 mean : {1024u, 1400u}) {
      if (u64(n) / 256 / mean > 256) mean *= 2;
      const u32 many = log <= 24 ? 2048 : 4096;
      for (u32 kind = 0; kind < 8; kind++) {
        fill<<<1024, 256>>>(input, n, kind, 77 + kind);
        u64 before[2], after[2];
        CHECK(cudaMemset(sums, 0, 16));
        digest<<<1024, 256>>>(input, n, sums);
        CHECK(cudaMemcpy(before, sums, 16, cudaMemcpyDeviceToHost));
        std::vector<float> times[kStages + 1];
        for (int round = 0; round < 7; round++) {
          CHECK(cudaMemcpy(keys, input, u64(n) * 8, cudaMemcpyDeviceToDevice));
          CHECK(cudaMemset(alt, 0xcd, u64(n) * 8)), CHECK(cudaMemset(codes, 0xcd, n));
          int i = 0;
          auto stage = [&] { CHECK(cudaEventRecord(at[i++])); };
          const u32 moves = (n + kTile - 1) / kTile, tilesMost = n / kTile + 256, bucketsMost = n / mean + 256;
          stage(), cudaMemsetAsync(s, 0, sizeof(Split)), cudaMemsetAsync(counters, 0, bucketsMost * 4);
          stage(), sampleKernel<<<1, kSampleThreads, kSampleBytes>>>(keys, n, s);
          stage(), countKernel<<<132 * 3, kCountThreads, kCountBytes>>>(keys, codes, n, s);
          stage(), prepareKernel<<<1, 256>>>(s, tiles, mean);
          stage(), moveKernel<<<moves, kMoveThreads, kMoveBytes>>>(keys, codes, alt, n, s);
          stage(), partSampleKernel<<<256, kSampleThreads, kSampleBytes>>>(alt, s, constant, counters, many);
          stage(), partCountKernel<<<tilesMost, kCountThreads, kCountBytes>>>(alt, codes, tiles, counters, s);
          stage(), startsKernel<<<1, 1024>>>(counters, starts, cursors, s, n);
          stage(), partMoveKernel<<<tilesMost, kMoveThreads, kMoveBytes>>>(alt, codes, keys, tiles, cursors, s);
          stage(), localKernel<<<bucketsMost, kSmall, (kLocalBytes<kSmall>)>>>(keys, starts, constant, s, large);
          stage(), restKernel<<<132, kBig, (kLocalBytes<kBig>)>>>(keys, starts, s, large);
          stage();
          CHECK(cudaDeviceSynchronize());
          for (int j = 0; j < kStages; j++) {
            float ms;
            CHECK(cudaEventElapsedTime(&ms, at[j], at[j + 1]));
            times[j].push_back(ms);
          }
          float ms;
          CHECK(cudaEventElapsedTime(&ms, at[0], at[kStages]));
          times[kStages].push_back(ms);
        }
        CHECK(cudaMemset(sums, 0, 16));
        digest<<<1024, 256>>>(keys, n, sums);
        CHECK(cudaMemcpy(after, sums, 16, cudaMemcpyDeviceToHost));
        static Split host;
        CHECK(cudaMemcpy(&host, s, sizeof(Split), cudaMemcpyDeviceToHost));
        auto median = [&](int j) { return std::sort(times[j].begin(), times[j].end()), 1000 * times[j][times[j].size() / 2]; };
        std::printf("%-14s 2^%d %5u %9.1f", kNames[kind], log, mean, median(kStages));
        for (int j = 0; j < kStages; j++) std::printf(" %8.1f", median(j));
        std::printf("  %s, %llu descents, %u buckets, %u large, %u keys left\n", before[0] == after[0] ? "same keys" : "OTHER KEYS", after[1], host.buckets, host.large, host.left);
      }
    }
  }
}
