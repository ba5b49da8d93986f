// Module search: how many of the sorted keys belong before each query. internal/algo/search plans it.
//
// Above the keys lies a tree of samples, level by level: sample i of a level is the last of the kFan keys i · kFan …
// of the level below (of as many as there are), so that the number of samples below a query is the number of the
// group in which its place lies. The top level, at most kTop samples, is searched in shared memory; each level below
// it takes one group of kFan neighbours, 32 bytes where keys have 4 or 8, whose loads do not wait for each other.
// Bisection would wait for memory twice or three times as often. Samples are encoded keys.
//
// Stage tree: writes all levels. Launch: kSearchThreads threads, any grid.
// Stage bisect: positions[i], for i < count, without samples. Launch: as find.
// Stage find: positions[i], for i < count. Launch: kSearchThreads threads, any grid; no block reads what another
// writes.
// In: sorted[n] in the order of the codec; queries[count]. Both stages are given the number of levels, which may be
// 0: the keys themselves are then the top level.
#include "warp/codec.cuh"

namespace gs {

// Three blocks of 256 threads, with 34 KB of samples each and 80 registers a thread, are on a multiprocessor; each
// thread looks for kSearchEach queries at once.
constexpr u32 kSearchThreads = 256, kSearchBlocks = 3, kSearchEach = 4, kSearchTile = kSearchThreads * kSearchEach;
constexpr u32 kSearchLevels = 16;
GS_CONSTANT(SearchBlocks, kSearchBlocks)
GS_CONSTANT(SearchThreads, kSearchThreads)
GS_CONSTANT(SearchTile, kSearchTile)
template <typename K> struct SearchTree {
  static constexpr u32 kFan = sizeof(K) == 8 ? 4 : 8, kTop = sizeof(K) == 8 ? 4096 : 8192;
  // Levels begin at multiples of kAlign samples, so that groups are aligned for vector loads.
  static constexpr u32 kAlign = 64;
};
GS_CONSTANT(SearchFan64, SearchTree<u64>::kFan)
GS_CONSTANT(SearchFan, SearchTree<u32>::kFan)
GS_CONSTANT(SearchTop64, SearchTree<u64>::kTop)
GS_CONSTANT(SearchTop, SearchTree<u32>::kTop)
GS_CONSTANT(SearchAlign, SearchTree<u64>::kAlign)

// Level is one of a tree: len samples from place `at` on.
struct Level {
  u64 at, len;
};

// levelAbove is the level above one of len keys that ends before place `end`.
template <typename K> GS_DEVICE Level levelAbove(Level below) {
  typedef SearchTree<K> T;
  return Level{(below.at + below.len + T::kAlign - 1) / T::kAlign * T::kAlign, (below.len + T::kFan - 1) / T::kFan};
}

// searchTree: sample i of the first level is made by one thread, and so are those above it that are the same key.
template <typename K> GS_DEVICE void searchTree(const K* sorted, K* tree, u64 n, u32 levels, u32 codec) {
  typedef SearchTree<K> T;
  const Level first = levelAbove<K>(Level{0, n});
  const u64 stride = u64(gridDim.x) * kSearchThreads;
  for (u64 i = u64(blockIdx.x) * kSearchThreads + threadIdx.x; i < first.len; i += stride) {
    const K key = encode(codec, sorted[least((i + 1) * T::kFan, n) - 1]);
    Level level = {0, first.len};
    u64 x = i;
    tree[x] = key;
    for (u32 l = 1; l < levels && ((x + 1) % T::kFan == 0 || x + 1 == level.len); l++) {
      x /= T::kFan;
      level = levelAbove<K>(level);
      tree[level.at + x] = key;
    }
  }
}

// Group is a group of keys as vectors of 16 bytes, or of as many as it has.
template <typename K> struct Group {
  static constexpr u32 kFan = SearchTree<K>::kFan, kAll = kFan * sizeof(K);
  static constexpr u32 kBytes = kAll < 16 ? kAll : 16, kVectors = kAll / kBytes;
  struct alignas(kBytes) Vector { K k[kBytes / sizeof(K)]; };
  K k[kFan];
  GS_DEVICE void loadWhole(const K* from) {
#pragma unroll
    for (u32 v = 0; v < kVectors; v++) {
      const Vector part = reinterpret_cast<const Vector*>(from)[v];
#pragma unroll
      for (u32 x = 0; x < kFan / kVectors; x++) k[v * (kFan / kVectors) + x] = part.k[x];
    }
  }
};

// descend: at[j], the number of keys of the level above below query j, becomes that of the keys of a level of len keys.
// kSamples: they are samples, encoded, whose last group is whole in memory; else the sorted keys, which are aligned if
// isAligned says so. All loads are on their way before the first is waited for.
template <bool kSamples, typename K>
GS_DEVICE void descend(const K* keys, u64 len, bool isAligned, const K (&query)[kSearchEach], u64 (&at)[kSearchEach],
                       u32 codec) {
  constexpr u32 kFan = SearchTree<K>::kFan;
  Group<K> group[kSearchEach];
  u32 valid[kSearchEach];
#pragma unroll
  for (u32 j = 0; j < kSearchEach; j++) {
    at[j] *= kFan;
    valid[j] = at[j] < len ? u32(least(len - at[j], u64(kFan))) : 0;
    const K* const from = keys + at[j];
    if (kSamples ? valid[j] != 0 : isAligned && valid[j] == kFan) {
      group[j].loadWhole(from);
    } else if (!kSamples) {
#pragma unroll
      for (u32 x = 0; x < kFan; x++) {
        if (x < valid[j]) group[j].k[x] = from[x];
      }
    }
  }
#pragma unroll
  for (u32 j = 0; j < kSearchEach; j++) {
    u32 found = 0;
#pragma unroll
    for (u32 x = 0; x < kFan; x++) {
      found += x < valid[j] && (kSamples ? group[j].k[x] : encode(codec, group[j].k[x])) < query[j];
    }
    at[j] += found;
  }
}

// topPlace is where sample i of the top lies in shared memory. Bisection asks for places that lie powers of two apart,
// which would all be in one bank.
template <typename K> GS_HOST_DEVICE constexpr u32 topPlace(u32 i) {
  return i + i / (128 / sizeof(K)) + i / (4096 / sizeof(K));
}

template <typename K, typename P>
GS_DEVICE void searchFind(const K* sorted, const K* tree, const K* queries, P* positions, u64 n, u64 count, u32 levels,
                          u32 codec) {
  typedef SearchTree<K> T;
  __shared__ K top[topPlace<K>(T::kTop) + 1];
  __shared__ Level level[kSearchLevels];
  // level[0] is the keys, level[1] the first of samples.
  if (threadIdx.x == 0) {
    level[0] = Level{0, n};
    for (u32 l = 1; l <= levels; l++) {
      level[l] = l == 1 ? Level{0, (n + T::kFan - 1) / T::kFan} : levelAbove<K>(level[l - 1]);
    }
  }
  __syncthreads();
  const Level highest = level[levels];
  const u32 tops = u32(highest.len);
  for (u32 i = threadIdx.x; i < tops; i += kSearchThreads) {
    top[topPlace<K>(i)] = levels == 0 ? encode(codec, sorted[i]) : tree[highest.at + i];
  }
  __syncthreads();
  const bool isAligned = u64(sorted) % 16 == 0;
  const u32 half = tops == 0 ? 0 : 1u << (31 - __clz(int(tops)));
  for (u64 first = u64(blockIdx.x) * kSearchTile; first < count; first += u64(gridDim.x) * kSearchTile) {
    K query[kSearchEach];
    u32 low[kSearchEach];
#pragma unroll
    for (u32 j = 0; j < kSearchEach; j++) {
      const u64 i = first + j * kSearchThreads + threadIdx.x;
      query[j] = i < count ? encode(codec, queries[i]) : K(0);
      low[j] = 0;
    }
    // All queries take the same number of steps: low grows by falling powers of two while the samples before it are
    // less.
    for (u32 step = half; step != 0; step /= 2) {
#pragma unroll
      for (u32 j = 0; j < kSearchEach; j++) {
        if (low[j] + step <= tops && top[topPlace<K>(low[j] + step - 1)] < query[j]) low[j] += step;
      }
    }
    u64 at[kSearchEach];
#pragma unroll
    for (u32 j = 0; j < kSearchEach; j++) at[j] = low[j];
    for (u32 l = levels; l-- > 1;) descend<true>(tree + level[l].at, level[l].len, true, query, at, 0);
    if (levels != 0) descend<false>(sorted, n, isAligned, query, at, codec);
#pragma unroll
    for (u32 j = 0; j < kSearchEach; j++) {
      const u64 i = first + j * kSearchThreads + threadIdx.x;
      if (i < count) positions[i] = P(least(at[j], n));
    }
  }
}

// searchBisect is for queries that are too few to make samples for: bisection among the keys.
template <typename K, typename P>
GS_DEVICE void searchBisect(const K* sorted, const K* queries, P* positions, u64 n, u64 count, u32 codec) {
  const u64 stride = u64(gridDim.x) * kSearchThreads;
  for (u64 i = u64(blockIdx.x) * kSearchThreads + threadIdx.x; i < count; i += stride) {
    const K query = encode(codec, queries[i]);
    u64 from = 0, to = n;
    while (from < to) {
      const u64 mid = (from + to) / 2;
      if (encode(codec, sorted[mid]) < query)
        from = mid + 1;
      else
        to = mid;
    }
    positions[i] = P(from);
  }
}

}  // namespace gs

using namespace gs;

#define GS_SEARCH_FIND(bits, places) \
  GS_GLOBAL __launch_bounds__(kSearchThreads, kSearchBlocks) \
      gs_search_find_##bits##_pairs##places(const WordOf<bits>* sorted, const WordOf<bits>* tree, \
                                            const WordOf<bits>* queries, u##places* positions, u64 n, u64 count, \
                                            u32 levels, u32 codec) { \
    searchFind(sorted, tree, queries, positions, n, count, levels, codec); \
  } \
  GS_GLOBAL __launch_bounds__(kSearchThreads) \
      gs_search_bisect_##bits##_pairs##places(const WordOf<bits>* sorted, const WordOf<bits>* queries, \
                                              u##places* positions, u64 n, u64 count, u32 codec) { \
    searchBisect(sorted, queries, positions, n, count, codec); \
  }
#define GS_SEARCH(bits) \
  GS_GLOBAL __launch_bounds__(kSearchThreads) \
      gs_search_tree_##bits##_keys(const WordOf<bits>* sorted, WordOf<bits>* tree, u64 n, u32 levels, u32 codec) { \
    searchTree(sorted, tree, n, levels, codec); \
  } \
  GS_SEARCH_FIND(bits, 32) \
  GS_SEARCH_FIND(bits, 64)

GS_SEARCH(8)
GS_SEARCH(16)
GS_SEARCH(32)
GS_SEARCH(64)
