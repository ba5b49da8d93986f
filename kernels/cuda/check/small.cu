// Sorts of one launch beside the peer: geometries of a block, sizes of a cluster,
// geometries of a grid, to set the rows of module small. Every result is compared with the
// peer's, values included.
#include <algorithm>
#include <cstring>
#include <functional>

#include "block/bins.cuh"
#include "block/cluster.cuh"
#include "block/grid.cuh"
#include "sorter.h"

namespace {

using gs::u32;

template <int kBits, int kValueBytes, int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads, 1) blockKernel(void* keys, void* values, u32 n, u32 codec, u32 mode) {
  gs::sortBlock<gs::TileGeometry<kBits, kValueBytes, kThreads, kItems>>(keys, values, n, codec, mode);
}
template <int kBits, int kValueBytes, int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads, 1) clusterKernel(void* keys, void* values, u32 n, u32 codec, u32 mode) {
  gs::sortCluster<gs::TileGeometry<kBits, kValueBytes, kThreads, kItems, gs::kMaxClusterBlocks>>(keys, values, n, codec, mode);
}
template <int kBits, int kValueBytes, int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads, 1)
    gridKernel(void* keys, void* alt, void* values, u32* totals, gs::u64* varying, u32 n, u32 codec, u32 mode) {
  gs::sortGrid<gs::TileGeometry<kBits, kValueBytes, kThreads, kItems>>({keys, alt, values, totals, varying, n, codec, mode});
}
__global__ void emptyKernel() {}

u32 units;
void* gridScratch;  // totals, then varying at 1 MB

struct SmallPath {
  std::string name;
  const void* kernel;
  u32 blocks, threads, shared;  // blocks: 0 for a cooperative grid
  uint64_t most;
};

template <int kBits, int kValueBytes, int kThreads, int kItems> void addBlock(std::vector<SmallPath>& all) {
  typedef gs::TileGeometry<kBits, kValueBytes, kThreads, kItems> G;
  char name[64];
  std::snprintf(name, sizeof name, "block %dx%d", kThreads, kItems);
  all.push_back({name, (const void*)blockKernel<kBits, kValueBytes, kThreads, kItems>, 1, kThreads, gs::TileShared<G>::kBytes, G::kTile});
}
template <int kBits, int kValueBytes, int kThreads, int kItems> void addCluster(std::vector<SmallPath>& all) {
  typedef gs::TileGeometry<kBits, kValueBytes, kThreads, kItems, gs::kMaxClusterBlocks> G;
  for (u32 blocks = 2; blocks <= 16; blocks *= 2) {
    char name[64];
    std::snprintf(name, sizeof name, "cluster %u of %dx%d", blocks, kThreads, kItems);
    all.push_back({name, (const void*)clusterKernel<kBits, kValueBytes, kThreads, kItems>, blocks, kThreads, gs::TileShared<G>::kBytes,
                   uint64_t(blocks) * G::kTile});
  }
}

template <int kBits, int kValueBytes, int kThreads, int kItems> void addGrid(std::vector<SmallPath>& all) {
  typedef gs::TileGeometry<kBits, kValueBytes, kThreads, kItems> G;
  char name[64];
  std::snprintf(name, sizeof name, "grid %dx%d", kThreads, kItems);
  all.push_back({name, (const void*)gridKernel<kBits, kValueBytes, kThreads, kItems>, 0, kThreads, gs::GridBytes<G>::kAll, uint64_t(units) * G::kTile});
}

template <int kBits, int kValueBytes> std::vector<SmallPath> paths() {
  std::vector<SmallPath> all;
  addBlock<kBits, kValueBytes, 256, 4>(all);
  addBlock<kBits, kValueBytes, 512, 4>(all);
  addBlock<kBits, kValueBytes, 512, 8>(all);
  addBlock<kBits, kValueBytes, 1024, 4>(all);
  addBlock<kBits, kValueBytes, 1024, 8>(all);
  addCluster<kBits, kValueBytes, 512, 8>(all);
  addCluster<kBits, kValueBytes, 1024, kBits / 8 + kValueBytes <= 8 ? 8 : 4>(all);
  addGrid<kBits, kValueBytes, 512, 16>(all);
  addGrid<kBits, kValueBytes, 1024, kBits / 8 + kValueBytes <= 8 ? 8 : 4>(all);
  if (kBits == 32 && kValueBytes == 0) addGrid<kBits, kValueBytes, 512, 32>(all);
  return all;
}

void launch(const SmallPath& w, void* keys, void* values, u32 n, u32 mode) {
  u32 codec = 0;
  void* args[] = {&keys, &values, &n, &codec, &mode};
  void* varying = static_cast<char*>(gridScratch) + (1 << 20);
  void* gridArgs[] = {&keys, &keys, &values, &gridScratch, &varying, &n, &codec, &mode};
  if (w.blocks == 0) {
    CHECK(cudaLaunchCooperativeKernel(w.kernel, std::min(units, (n + w.threads - 1) / w.threads), w.threads, gridArgs, w.shared, 0));
    return;
  }
  cudaLaunchConfig_t c = {};
  cudaLaunchAttribute a = {};
  c.gridDim = w.blocks, c.blockDim = w.threads, c.dynamicSmemBytes = w.shared;
  if (w.blocks > 1) {
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = w.blocks, a.val.clusterDim.y = a.val.clusterDim.z = 1;
    c.attrs = &a, c.numAttrs = 1;
  }
  CHECK(cudaLaunchKernelExC(&c, w.kernel, args));
}

// microseconds is the median over rounds of f between two events, after before().
double microseconds(const std::function<void()>& before, const std::function<void()>& f) {
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  std::vector<float> us;
  for (int round = -3; round < 31; round++) {
    before();
    CHECK(cudaEventRecord(a));
    f();
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    if (round >= 0) us.push_back(ms * 1e3f);
  }
  cudaEventDestroy(a), cudaEventDestroy(b);
  std::nth_element(us.begin(), us.begin() + us.size() / 2, us.end());
  return us[us.size() / 2];
}

// Inputs: uniform keys; the AND of three (entropy 0.201); one value but for one
// key.
void fill(void* keys, int bits, uint64_t n, int input) {
  const uint64_t kb = bits / 8;
  void* tmp;
  CHECK(cudaMalloc(&tmp, n * kb));
  std::vector<unsigned char> sum(n * kb, 0xff), part(n * kb);
  for (int i = 0; i < (input == 1 ? 3 : 1); i++) {
    fillUniform(tmp, bits, n, 42 + i, 0);
    CHECK(cudaMemcpy(part.data(), tmp, n * kb, cudaMemcpyDeviceToHost));
    for (uint64_t j = 0; j < n * kb; j++) sum[j] &= part[j];
  }
  if (input == 2) std::memset(sum.data(), 0x40, n / 2 * kb), std::memset(sum.data() + (n / 2 + 1) * kb, 0x40, (n - n / 2 - 1) * kb);
  CHECK(cudaMemcpy(keys, sum.data(), n * kb, cudaMemcpyHostToDevice));
  cudaFree(tmp);
}

bool equal(const void* a, const void* b, uint64_t bytes) {
  std::vector<unsigned char> x(bytes), y(bytes);
  CHECK(cudaMemcpy(x.data(), a, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(y.data(), b, bytes, cudaMemcpyDeviceToHost));
  return x == y;
}

template <int kBits, int kValueBytes> int family() {
  static const char* const inputs[] = {"uniform", "entropy 0.201", "constant but one"};
  int wrong = 0;
  const std::vector<SmallPath> all = paths<kBits, kValueBytes>();
  for (const SmallPath& w : all) {
    CHECK(cudaFuncSetAttribute(w.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, w.shared));
    if (w.blocks > 8) CHECK(cudaFuncSetAttribute(w.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  const uint64_t kb = kBits / 8, vb = kValueBytes, most = 1 << 21;
  void *master, *index, *keys, *values = nullptr, *outKeys, *outValues = nullptr, *temp;
  CHECK(cudaMalloc(&master, most * kb));
  CHECK(cudaMalloc(&keys, most * kb));
  CHECK(cudaMalloc(&outKeys, most * kb));
  CHECK(cudaMalloc(&index, most * (vb + 1)));
  if (vb) {
    CHECK(cudaMalloc(&values, most * vb));
    CHECK(cudaMalloc(&outValues, most * vb));
    std::vector<unsigned char> v(most * vb);
    for (uint64_t i = 0; i < most; i++) std::memcpy(&v[i * vb], &i, vb);
    CHECK(cudaMemcpy(index, v.data(), most * vb, cudaMemcpyHostToDevice));
  }
  const size_t tempBytes = peerSort(kBits, kValueBytes, nullptr, 0, nullptr, nullptr, nullptr, nullptr, most, 0);
  CHECK(cudaMalloc(&temp, tempBytes));
  for (int input = 0; input < 3; input++) {
    for (const uint64_t n : {256, 1000, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1 << 20, 1 << 21}) {
      if (input != 0 && n != 1024 && n != 4096 && n != 65536 && n != 1 << 20) continue;
      fill(master, kBits, n, input);
      auto restore = [&] {
        CHECK(cudaMemcpyAsync(keys, master, n * kb, cudaMemcpyDeviceToDevice));
        if (vb) CHECK(cudaMemcpyAsync(values, index, n * vb, cudaMemcpyDeviceToDevice));
      };
      const double peer = microseconds([] {}, [&] { peerSort(kBits, kValueBytes, temp, tempBytes, master, outKeys, index, outValues, n, 0); });
      std::printf("u%d+%d n = %-6llu %-16s CUB %6.1f us |", kBits, 8 * kValueBytes, (unsigned long long)n, inputs[input], peer);
      for (const SmallPath& w : all) {
        if (n > w.most || (w.blocks == 0 && n < 16384) || (w.blocks > 1 && n < 512 * w.blocks) || (w.blocks == 1 && w.most > 8 * n)) continue;
        const double us = microseconds(restore, [&] { launch(w, keys, values, u32(n), vb ? 1 : 0); });
        const bool ok = equal(keys, outKeys, n * kb) && (!vb || equal(values, outValues, n * vb));
        if (!ok) wrong++;
        std::printf(" %s: %.1f%s", w.name.c_str(), us, ok ? "" : " WRONG");
      }
      std::printf("\n");
    }
  }
  for (void* p : {master, index, keys, values, outKeys, outValues, temp}) cudaFree(p);
  return wrong;
}

}  // namespace

int checkSmall() {
  std::printf("an empty kernel: %.1f us\n", microseconds([] {}, [] { emptyKernel<<<1, 256>>>(); }));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  units = p.multiProcessorCount;
  CHECK(cudaMalloc(&gridScratch, 2 << 20));
  const int wrong = family<32, 0>() + family<64, 0>() + family<32, 4>() + family<64, 8>();
  std::printf("%d wrong\n", wrong);
  return wrong;
}
