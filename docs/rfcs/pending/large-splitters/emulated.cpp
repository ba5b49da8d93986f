// The sort of main.cu on the host, each thread a fiber: see emulate.sh.
#include "emulate/fibers.h"

#include "emulate/match.cuh"
#include "emulate/shared.cuh"

#include "count.cuh"
#include "local.cuh"
#include "move.cuh"
#include "prepare.cuh"
#include "sample.cuh"

using namespace gs;
using emulated::launch;

int main(int argc, char** argv) {
  u64 state = 7;
  auto random = [&] {
    state += 0x9e3779b97f4a7c15ull;
    u64 x = state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
  };
  int wrong = 0;
  for (u32 n : {1u, 31u, 6048u, 30000u, 200003u}) {
    for (u32 kind = 0; kind < 6; kind++) {
      const u32 mean = 1024, maxBuckets = n / mean + 256, maxTiles = n / kTile + 257;
      std::vector<u64> keys(n), alt(n, 0xcdcdcdcdcdcdcdcd);
      for (u64& k : keys) {
        k = random();
        if (kind == 1) k &= random() & random();
        if (kind == 2) k = k % 3;
        if (kind == 3) k >>= random() % 64;
        if (kind == 4) k = k % 16 ? ~0ull : k % 3 ? 0 : random();
      }
      if (kind == 5) std::sort(keys.begin(), keys.end());
      std::vector<u64> want = keys;
      std::sort(want.begin(), want.end());
      std::vector<u8> codes(n, 0xcd), constant(maxBuckets, 0xcd);
      std::vector<Tile> tiles(maxTiles);
      std::vector<u32> counters(maxBuckets, 0), starts(maxBuckets + 1, 0xcdcdcdcd), cursors(maxBuckets, 0xcdcdcdcd), large(maxBuckets, 0xcdcdcdcd);
      static Split s;
      std::memset(&s, 0, sizeof s);
      launch(1, 1, kSampleThreads, kSampleBytes, 1, [&] { largeSample(keys.data(), n, &s); });
      launch(3, 1, kCountThreads, kCountBytes, 2, [&] { largeCount(keys.data(), codes.data(), n, &s); });
      launch(1, 1, kDigits, 0, 1, [&] { largePrepare(&s, tiles.data(), mean); });
      launch((n + kTile - 1) / kTile, 1, kMoveThreads, kMoveBytes, 3, [&] { largeMove(keys.data(), codes.data(), alt.data(), n, &s); });
      launch(kDigits, 1, kSampleThreads, kSampleBytes, 3, [&] { largePartSample(alt.data(), &s, constant.data(), counters.data(), 2048); });
      launch(maxTiles, 1, kCountThreads, kCountBytes, 3, [&] { largePartCount(alt.data(), codes.data(), tiles.data(), counters.data(), &s); });
      launch(1, 1, 1024, 0, 1, [&] { largeStarts(counters.data(), starts.data(), cursors.data(), &s, n); });
      launch(maxTiles, 1, kMoveThreads, kMoveBytes, 3, [&] { largePartMove(alt.data(), codes.data(), keys.data(), tiles.data(), cursors.data(), &s); });
      launch(maxBuckets, 1, 128, kLocalBytes<128>, 3, [&] { largeLocal<128>(keys.data(), starts.data(), constant.data(), &s, large.data()); });
      launch(2, 1, 512, kLocalBytes<512>, 2, [&] { largeRest<512>(keys.data(), starts.data(), &s, large.data()); });
      u32 most = 0;
      for (u32 b = 0; b < s.buckets; b++) most = std::max(most, starts[b + 1] - starts[b]);
      const bool same = keys == want;
      std::printf("n %u kind %u: %s, %u buckets, the largest %u, %u large, %u keys left\n", n, kind, same ? "sorted" : "WRONG", s.buckets, most, s.large, s.left);
      if (!same) {
        wrong++;
        std::vector<u64> k = keys;
        std::sort(k.begin(), k.end());
        u32 bad = 0;
        for (u32 i = 1; i < n; i++) bad += keys[i - 1] > keys[i];
        std::printf("  same keys: %d, descents %u\n", k == want, bad);
      }
    }
  }
  return wrong != 0;
}
