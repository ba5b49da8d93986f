// Event-timed medians beside the peer, interleaved.
#include <algorithm>

#include "sorter.h"

namespace {

struct Buffers {
  void *master, *keys, *values, *scratch, *out, *valuesOut, *temp;
  size_t tempBytes;
};

double median(std::vector<float>& x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

template <typename F> float timed(cudaStream_t s, F f) {
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  CHECK(cudaEventRecord(a, s));
  f();
  CHECK(cudaEventRecord(b, s));
  CHECK(cudaEventSynchronize(b));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, a, b));
  cudaEventDestroy(a), cudaEventDestroy(b);
  return ms;
}

// family times the table's instance, the sweep's and the peer, 5 rounds.
void family(int bits, int vb, uint64_t n) {
  std::vector<Instance> all = {tableInstance(bits, vb)};
  for (const Instance& i : sweepInstances(bits, vb)) all.push_back(i);
  const uint64_t kb = bits / 8;
  Buffers b{};
  uint64_t scratch = 0;
  std::vector<Sort> sorts;
  for (const Instance& i : all) {
    i.prepare();
    Sort s;
    s.in = i, s.n = n, s.mode = vb ? kPairs : kKeys, s.path = kLarge;
    scratch = std::max(scratch, s.scratchBytes());
    sorts.push_back(s);
  }
  b.tempBytes = peerSort(bits, vb, nullptr, 0, nullptr, nullptr, nullptr, nullptr, n, 0);
  CHECK(cudaMalloc(&b.master, n * kb));
  CHECK(cudaMalloc(&b.keys, n * kb));
  CHECK(cudaMalloc(&b.out, n * kb));
  CHECK(cudaMalloc(&b.scratch, scratch));
  CHECK(cudaMalloc(&b.temp, b.tempBytes));
  if (vb) {
    CHECK(cudaMalloc(&b.values, n * vb));
    CHECK(cudaMalloc(&b.valuesOut, n * vb));
    CHECK(cudaMemset(b.values, 1, n * vb));
  }
  fillUniform(b.master, bits, n, 42, 0);
  std::vector<std::vector<float>> ms(all.size() + 1);
  for (int round = -1; round < 5; round++) {
    for (size_t i = 0; i < all.size(); i++) {
      Sort& s = sorts[i];
      s.keys = b.keys, s.values = b.values, s.scratch = b.scratch;
      CHECK(cudaMemcpyAsync(b.keys, b.master, n * kb, cudaMemcpyDeviceToDevice));
      const float t = timed(0, [&] { s.run(0); });
      if (round >= 0) ms[i].push_back(t);
    }
    const float t = timed(0, [&] { peerSort(bits, vb, b.temp, b.tempBytes, b.master, b.out, b.values, b.valuesOut, n, 0); });
    if (round >= 0) ms.back().push_back(t);
  }
  const double peer = median(ms.back());
  std::printf("\nu%d+%d, n = %llu\n  %-34s %8.3f ms %6.1f Gkeys/s\n", bits, 8 * vb, (unsigned long long)n, "CUB DeviceRadixSort", peer, n / peer / 1e6);
  for (size_t i = 0; i < all.size(); i++) {
    int resident = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, all[i].pass, all[i].threads, Instance::shared(all[i].threads, all[i].items, kb, vb)));
    const double m = median(ms[i]);
    std::printf("  %-34s %8.3f ms %6.1f Gkeys/s  %.2fx  blocks/SM %d\n", all[i].name().c_str(), m, n / m / 1e6, peer / m, resident);
  }
  // Where the time goes, for the table's instance.
  std::vector<std::pair<std::string, cudaEvent_t>> steps;
  CHECK(cudaMemcpyAsync(b.keys, b.master, n * kb, cudaMemcpyDeviceToDevice));
  sorts[0].run(0, &steps);
  CHECK(cudaDeviceSynchronize());
  std::printf("  steps, us:");
  for (size_t i = 1; i < steps.size(); i++) {
    float t;
    CHECK(cudaEventElapsedTime(&t, steps[i - 1].second, steps[i].second));
    std::printf(" %s %.0f", steps[i].first.c_str(), t * 1e3);
  }
  std::printf("\n");
  for (void* p : {b.master, b.keys, b.values, b.scratch, b.out, b.valuesOut, b.temp}) cudaFree(p);
}

// small times one instance at small and middle sizes beside the peer.
void sizes(int bits, int vb) {
  std::printf("\nu%d+%d, microseconds per sort: n, ours, CUB\n ", bits, 8 * vb);
  for (int log = 8; log <= 24; log += 2) {
    const uint64_t n = 1ull << log, kb = bits / 8;
    Sort s;
    s.in = tableInstance(bits, vb), s.n = n, s.mode = vb ? kPairs : kKeys;
    s.in.prepare();
    void *master, *out, *temp, *values = nullptr, *valuesOut = nullptr;
    const size_t tempBytes = peerSort(bits, vb, nullptr, 0, nullptr, nullptr, nullptr, nullptr, n, 0);
    CHECK(cudaMalloc(&master, n * kb));
    CHECK(cudaMalloc(&out, n * kb));
    CHECK(cudaMalloc(&s.keys, n * kb));
    CHECK(cudaMalloc(&s.scratch, s.scratchBytes()));
    CHECK(cudaMalloc(&temp, tempBytes));
    if (vb) {
      CHECK(cudaMalloc(&values, n * vb));
      CHECK(cudaMalloc(&valuesOut, n * vb));
    }
    s.values = values;
    fillUniform(master, bits, n, 5, 0);
    std::vector<float> ours, peer;
    for (int round = -3; round < 21; round++) {
      CHECK(cudaMemcpyAsync(s.keys, master, n * kb, cudaMemcpyDeviceToDevice));
      const float a = timed(0, [&] { s.run(0); });
      const float b = timed(0, [&] { peerSort(bits, vb, temp, tempBytes, master, out, values, valuesOut, n, 0); });
      if (round >= 0) ours.push_back(a), peer.push_back(b);
    }
    std::printf(" 2^%d %.1f/%.1f", log, median(ours) * 1e3, median(peer) * 1e3);
    for (void* p : {master, out, s.keys, s.scratch, temp, values, valuesOut}) cudaFree(p);
  }
  std::printf("\n");
}

}  // namespace

void benchmark() {
  for (auto [bits, vb] : {std::pair{32, 0}, {64, 0}, {32, 4}, {64, 8}}) family(bits, vb, 1ull << 28);
  for (auto [bits, vb] : {std::pair{32, 0}, {64, 0}, {32, 4}}) sizes(bits, vb);
}
