// Every instance against std::stable_sort, with red zones around all buffers.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

#include "sorter.h"
#include "warp/codec.cuh"

namespace {

constexpr uint64_t kZone = 256;  // guard bytes on each side
constexpr uint8_t kGuard = 0xa5;

const char* const kDists[] = {"uniform", "sorted",  "reversed", "reversed-dups", "constant",   "few",      "low-digit",
                              "top-digit", "two-digits", "three-digits", "almost-sorted", "and-entropy", "float-specials", "pipe-organ"};
constexpr int kNumDists = sizeof kDists / sizeof *kDists;

uint64_t encodeBits(int bits, uint32_t codec, uint64_t x) {
  switch (bits) {
    case 8: return gs::encode<gs::u8>(codec, gs::u8(x));
    case 16: return gs::encode<gs::u16>(codec, gs::u16(x));
    case 32: return gs::encode<gs::u32>(codec, gs::u32(x));
  }
  return gs::encode<gs::u64>(codec, x);
}

uint64_t decodeBits(int bits, uint32_t codec, uint64_t x) {
  switch (bits) {
    case 8: return gs::decode<gs::u8>(codec, gs::u8(x));
    case 16: return gs::decode<gs::u16>(codec, gs::u16(x));
    case 32: return gs::decode<gs::u32>(codec, gs::u32(x));
  }
  return gs::decode<gs::u64>(codec, x);
}

// generate returns keys as bit patterns. Orders are made in the encoded domain.
std::vector<uint64_t> generate(int dist, int bits, uint32_t codec, uint64_t n, std::mt19937_64& r) {
  const uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  const std::string d = kDists[dist];
  std::vector<uint64_t> e(n);
  const uint64_t base = r() & mask;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t x = r();
    if (d == "constant") x = base;
    if (d == "few") x = base + x % 4 * 0x9e3779b97f4a7c15ull;
    if (d == "low-digit") x = (base & ~0xffull) | (x & 0xff);
    if (d == "top-digit") x = (base & (mask >> 8)) | (x << (bits - 8));
    if (d == "two-digits") x = (base & ~0xff00ffull) | (x & 0xff00ffull);
    if (d == "three-digits") x = (base & ~0xffff00ffull) | (x & 0xffff00ffull);
    if (d == "and-entropy") x &= r() & r();
    if (d == "reversed") x = mask - (bits < 64 && n > mask ? i * mask / n : i);
    if (d == "reversed-dups") x = mask - i / 3;
    if (d == "pipe-organ") x = i < n / 2 ? i : n - i;
    e[i] = x & mask;
  }
  if (d == "reversed-dups" && bits < 32) std::sort(e.rbegin(), e.rend());
  if (d == "sorted" || d == "almost-sorted") std::sort(e.begin(), e.end());
  if (d == "almost-sorted" && n > 2) std::swap(e[n / 3], e[n - 1]);
  if (d == "float-specials" && bits >= 32) {
    const uint64_t sign = 1ull << (bits - 1), inf = bits == 32 ? 0x7f800000ull : 0x7ff0000000000000ull;
    const uint64_t special[] = {0, sign, inf, inf | sign, inf + 1, (inf + 1) | sign, sign - 1, mask, 1, sign | 1};
    for (uint64_t i = 0; i < n; i++)
      if (r() % 2) e[i] = special[r() % 10];
    return e;  // patterns, not encoded
  }
  for (uint64_t& x : e) x = decodeBits(bits, codec, x);
  return e;
}

void pack(uint8_t* out, const std::vector<uint64_t>& x, int bytes) {
  for (uint64_t i = 0; i < x.size(); i++) std::memcpy(out + i * bytes, &x[i], bytes);
}

// Zoned is a device buffer between guards, its data misaligned by `shift` elements.
struct Zoned {
  std::vector<uint8_t> host;
  uint8_t* device = nullptr;
  uint64_t bytes, offset;
  Zoned(uint64_t bytes, uint64_t shiftBytes) : bytes(bytes), offset(kZone + shiftBytes) {
    host.assign(offset + bytes + kZone, kGuard);
    CHECK(cudaMalloc(&device, host.size()));
  }
  ~Zoned() { cudaFree(device); }
  uint8_t* hostData() { return host.data() + offset; }
  void* data() { return device + offset; }
  void up() { CHECK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice)); }
  std::vector<uint8_t> down() {
    std::vector<uint8_t> x(host.size());
    CHECK(cudaMemcpy(x.data(), device, x.size(), cudaMemcpyDeviceToHost));
    return x;
  }
};

struct Case {
  Sort sort;
  int dist, shift;
  uint64_t seed;
};

std::string runCase(const Case& c) {
  Sort s = c.sort;
  const int bits = s.in.bits, kb = s.in.keyBytes(), vb = s.in.valueBytes;
  std::mt19937_64 r(c.seed);
  const std::vector<uint64_t> keys = generate(c.dist, bits, s.codec, s.n, r);
  std::vector<std::pair<uint64_t, uint64_t>> order(s.n);
  for (uint64_t i = 0; i < s.n; i++) order[i] = {encodeBits(bits, s.codec, keys[i]), i};
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  Zoned k(s.n * kb, uint64_t(c.shift) * kb), v(s.n * vb, uint64_t(c.shift) * vb), t(s.scratchBytes(), 256 - (kZone % 256));
  std::vector<uint64_t> payload(s.n), want(s.n), wantValues(s.n);
  for (uint64_t i = 0; i < s.n; i++) payload[i] = i * 0x9e3779b97f4a7c15ull + c.seed;
  pack(k.hostData(), keys, kb);
  if (s.mode == kPairs) pack(v.hostData(), payload, vb);
  k.up(), v.up(), t.up();
  s.keys = k.data(), s.values = v.data(), s.scratch = t.data();
  s.run(0);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  for (uint64_t i = 0; i < s.n; i++) {
    want[i] = keys[order[i].second];
    wantValues[i] = s.mode == kArgsort ? order[i].second : payload[order[i].second];
  }
  if (s.mode != kArgsort) pack(k.hostData(), want, kb);
  if (s.mode != kKeys) pack(v.hostData(), wantValues, vb);
  const auto gotK = k.down(), gotV = v.down(), gotT = t.down();
  for (uint64_t i = 0; i < gotK.size(); i++)
    if (gotK[i] != k.host[i]) return "keys differ at byte " + std::to_string(int64_t(i - k.offset)) + " of " + std::to_string(k.bytes);
  for (uint64_t i = 0; i < gotV.size(); i++)
    if (gotV[i] != v.host[i]) return "values differ at byte " + std::to_string(int64_t(i - v.offset)) + " of " + std::to_string(v.bytes);
  for (uint64_t i = 0; i < t.offset; i++)
    if (gotT[i] != kGuard || gotT[gotT.size() - 1 - (i < kZone ? i : 0)] != kGuard) return "scratch overrun";
  return "";
}

}  // namespace

int checkCorrectness(bool quick) {
  std::vector<Case> cases;
  auto check = [&](Case c) {
    c.seed = cases.size() + 1;
    cases.push_back(c);
  };
  for (const Instance& in : tableInstances()) {
    in.prepare();
    const uint64_t tile = in.tile(), small = in.smallMax();
    std::vector<uint64_t> sizes = {1,         2,    31,       32,       33,           100,          255,          256,         257,
                                   1000,      small - 1, small, small + 1, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile + 1, 5 * tile + 17};
    for (int mode = in.valueBytes ? kPairs : kKeys; mode <= (in.valueBytes ? kArgsort : kKeys); mode++) {
      const int codecs = in.bits >= 32 ? 8 : 4;
      int turn = 0;
      for (uint64_t n : sizes)
        for (int dist = 0; dist < kNumDists; dist++, turn++) {
          if (quick && turn % 3) continue;
          Case c{};
          c.sort.in = in, c.sort.mode = Mode(mode), c.sort.n = n, c.dist = dist;
          const int k = turn % codecs;
          c.sort.codec = in.bits >= 32 ? k : (k & 1) | (k & 2) << 1;
          c.shift = turn % 3;
          c.sort.path = n <= small && turn % 2 ? kSmall : kLarge;
          check(c);
        }
      for (int dist = 0; dist < kNumDists; dist += quick ? 3 : 1) {
        Case c{};
        c.sort.in = in, c.sort.mode = Mode(mode), c.dist = dist, c.sort.n = 300007, c.sort.codec = dist % codecs & 5;
        check(c);                               // plain
        c.sort.stall = 7, c.sort.n = 24 * tile + 5;
        check(c);                               // long look-backs
        c.sort.stall = 0, c.sort.maxRows = 5, c.sort.n = 23 * tile + 1;
        check(c);                               // many portions
      }
    }
  }
  for (int bits = 32; bits <= 64; bits += 32)
    for (int vb = 0; vb <= 8; vb += 4)
      for (const Instance& in : sweepInstances(bits, vb)) {
        in.prepare();
        for (uint64_t n : {uint64_t(in.tile()) + 1, uint64_t(9 * in.tile() + 3)}) {
          Case c{};
          c.sort.in = in, c.sort.mode = vb ? kPairs : kKeys, c.sort.n = n, c.sort.path = kLarge;
          check(c);
        }
      }
  // The device serialises the sorts; the threads share the host's work.
  std::atomic<size_t> next{0};
  std::atomic<int> failed{0};
  std::mutex print;
  auto work = [&] {
    for (size_t i; (i = next++) < cases.size();) {
      const Case& c = cases[i];
      const std::string why = runCase(c);
      if (why.empty() || failed++ >= 20) continue;
      std::lock_guard<std::mutex> lock(print);
      std::printf("FAIL u%d+%d mode %u dist %s n %llu codec %u path %d stall %u rows %u shift %d seed %llu: %s\n", c.sort.in.bits,
                  8 * c.sort.in.valueBytes, c.sort.mode, kDists[c.dist], (unsigned long long)c.sort.n, c.sort.codec, c.sort.path, c.sort.stall,
                  c.sort.maxRows, c.shift, (unsigned long long)c.seed, why.c_str());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); i++) threads.emplace_back(work);
  for (std::thread& t : threads) t.join();
  std::printf("correctness: %zu cases, %d failed\n", cases.size(), failed.load());
  return failed;
}
