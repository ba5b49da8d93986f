// The sort itself, with the kernels of the policy table.
#include "sorter.h"

#include <algorithm>

#define GS_TARGET_SM_90
#include "stage/onesweep.cu"

namespace {

uint64_t align512(uint64_t x) { return (x + 511) / 512 * 512; }

struct Layout {
  uint64_t tiles, rows, portionTiles, words, keysA, keysB, valuesA, total;
  bool separate;  // every pass has its own look-back rows
};

Layout layoutOf(const Sort& s) {
  Layout l{};
  const uint64_t passes = s.in.keyBytes();
  l.tiles = (s.n + s.in.tile() - 1) / s.in.tile();
  l.separate = l.tiles * passes <= s.maxRows;
  l.portionTiles = l.separate ? l.tiles : l.tiles < s.maxRows ? l.tiles : s.maxRows;
  l.rows = l.separate ? l.tiles * passes : l.portionTiles;
  l.words = align512(sizeof(gs::Control));
  l.keysA = align512(l.words + l.rows * 1024);
  l.keysB = align512(l.keysA + s.n * s.in.keyBytes());
  l.valuesA = s.mode == kArgsort ? align512(l.keysB + s.n * s.in.keyBytes()) : l.keysB;
  l.total = l.valuesA + s.n * s.in.valueBytes;
  return l;
}

void launch(const void* f, uint32_t grid, uint32_t block, uint32_t shared, cudaStream_t s, std::vector<void*> args) {
  CHECK(cudaLaunchKernel(f, dim3(grid), dim3(block), args.data(), shared, s));
}

}  // namespace

#define GS_ROW(bits, valueBytes, suffix, threads, items, blocks, window, histThreads, histBlocks, smallThreads, smallItems, ...)         \
  {bits, valueBytes, (const void*)gs_onesweep_histogram_##bits##_keys, (const void*)gs_onesweep_pass_##bits##_##suffix,                   \
   (const void*)gs_onesweep_finish_##bits##_##suffix, (const void*)gs_onesweep_small_##bits##_##suffix, threads, items, blocks, window,    \
   histThreads, histBlocks, smallThreads, smallItems},

const std::vector<Instance>& tableInstances() {
  static const std::vector<Instance> all = {GS_ONESWEEP_POLICIES(GS_ROW)};
  return all;
}

const Instance& tableInstance(int bits, int valueBytes) {
  for (const Instance& i : tableInstances())
    if (i.bits == bits && i.valueBytes == valueBytes) return i;
  std::abort();
}

std::string Instance::name() const {
  char b[96];
  std::snprintf(b, sizeof b, "u%d+%d %ux%u min %u window %u", bits, 8 * valueBytes, threads, items, blocks, window);
  return b;
}

void Instance::prepare() const {
  CHECK(cudaFuncSetAttribute(pass, cudaFuncAttributeMaxDynamicSharedMemorySize, shared(threads, items, keyBytes(), valueBytes)));
  CHECK(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, shared(smallThreads, smallItems, keyBytes(), valueBytes)));
}

uint64_t Sort::scratchBytes() const { return layoutOf(*this).total; }

void Sort::run(cudaStream_t stream, std::vector<std::pair<std::string, cudaEvent_t>>* times) const {
  auto mark = [&](const std::string& what) {
    if (!times) return;
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, stream));
    times->push_back({what, e});
  };
  uint32_t codecArg = codec, modeArg = mode, stallArg = stall;
  const uint32_t* gate = nullptr;
  void *k = keys, *v = values;
  mark("start");
  if (n == 0) return;
  if (path == kSmall || (path == kAuto && n <= in.smallMax())) {
    uint32_t n32 = uint32_t(n);
    launch(in.small, 1, in.smallThreads, Instance::shared(in.smallThreads, in.smallItems, in.keyBytes(), in.valueBytes), stream,
           {&k, &v, &n32, &codecArg, &modeArg});
    mark("small");
    return;
  }
  const Layout l = layoutOf(*this);
  char* base = static_cast<char*>(scratch);
  gs::Control* control = reinterpret_cast<gs::Control*>(base);
  void *keysA = base + l.keysA, *keysB = base + l.keysB, *valuesA = base + l.valuesA;
  uint64_t items = n;
  int device, multiprocessors;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const uint32_t units = multiprocessors;
  CHECK(cudaMemsetAsync(base, 0, l.words + l.rows * 1024, stream));
  mark("memset");
  const uint64_t perBlock = uint64_t(in.histThreads) * (16 / in.keyBytes());
  uint64_t blocks = (n + perBlock - 1) / perBlock;
  if (blocks > uint64_t(units) * in.histBlocks) blocks = uint64_t(units) * in.histBlocks;
  launch(in.histogram, uint32_t(blocks), in.histThreads, 0, stream, {&k, &items, &control, &codecArg, &modeArg, &gate});
  mark("histogram");
  bool clean = true;
  for (uint32_t digit = 0; digit < in.keyBytes(); digit++) {
    if (in.bits == 8 && mode == kKeys) break;  // one digit: finish fills
    uint32_t portion = 0, tickets = 0;
    for (uint64_t first = 0; first < l.tiles; first += l.portionTiles, portion++) {
      const uint64_t count = l.tiles - first < l.portionTiles ? l.tiles - first : l.portionTiles;
      uint32_t* words = reinterpret_cast<uint32_t*>(base + l.words);
      if (l.separate) {
        words += digit * l.tiles * 256;
      } else if (!clean) {
        CHECK(cudaMemsetAsync(words, 0, count * 1024, stream));
        mark("memset");
      }
      clean = false;
      uint32_t first32 = uint32_t(first), count32 = uint32_t(count);
      const uint32_t grid = std::min(count32, units * in.blocks);
      launch(in.pass, grid, in.threads, Instance::shared(in.threads, in.items, in.keyBytes(), in.valueBytes), stream,
             {&k, &keysA, &keysB, &v, &valuesA, &control, &words, &items, &digit, &portion, &first32, &count32, &tickets, &codecArg, &stallArg});
      tickets += count32 + grid;
      mark("pass " + std::to_string(digit));
    }
  }
  uint64_t finishBlocks = (n + 4095) / 4096;
  if (finishBlocks > uint64_t(units) * 8) finishBlocks = uint64_t(units) * 8;
  launch(in.finish, uint32_t(finishBlocks), 256, 0, stream, {&k, &keysA, &v, &valuesA, &items, &control, &codecArg});
  mark("finish");
}
