// A whole sort in one cluster and one launch: each block holds a share of the
// keys, and keys move between blocks through distributed shared memory. One
// stable pass by the highest 8 varying bits gives each block whole digits, which
// it then sorts alone. Where that would overfill a block, keys that are one a thread
// are merged (block/merging.cuh); of more, dictionary ranks of few values, digits of a model or of
// quantile splitters take their place, and where none helps, passes by all digits.
#ifndef GS_BLOCK_CLUSTER
#define GS_BLOCK_CLUSTER

#include "block/quantiles.cuh"
#include "block/merging.cuh"
#include "block/part.cuh"
#include "warp/cluster.cuh"

namespace gs {

// Cluster is the group of all blocks of the launch.
struct Cluster {
  u32 blocks, rank, reciprocal;
  // ⌈2^32/slots⌉ · x has the error x·e/2^32 with e < slots: below 1/slots, so
  // that the quotient is exact, for x < 2^17 and slots < 2^15.
  GS_DEVICE explicit Cluster(u32 slots) : blocks(gridDim.x), rank(blockIdx.x), reciprocal(0xffffffffu / slots + 1) {}
  GS_DEVICE void sync() const {
    clusterArrive();
    clusterWait();
  }
  template <typename F> GS_DEVICE void each(F f) const {
    for (u32 b = 0; b < blocks; b++) f(b);
  }
  template <typename T> GS_DEVICE T* shared(T* p, u32 block) const { return peerShared(p, block); }
  GS_DEVICE u32 blockOf(u32 x) const { return u32(u64(x) * reciprocal >> 32); }
};

// splitCluster moves keys, n of them, so that each block has all keys of some
// digits: those whose first key's rank lies in the block's share. digits(i) is a
// thread's i-th key's, in the keys' order. It returns false, with the keys still in
// registers, if a block would get more than kTile or a digit has more than `most`. Begins after a barrier of the
// group, as rankDigits, and ends with one.
//
// Padding stays away: its digit is the largest, and in the order of a stable
// pass it comes behind all keys. It does not count among those that a digit has.
template <typename G, bool kCleared = false, typename Digits>
GS_DEVICE bool splitCluster(const TileShared<G>& s, const Cluster& group, const Share& share, u32 n, Digits digits, const TileKeys<G>& t, u32 most = ~0u) {
  u32 rank[G::kItems];
  if (threadIdx.x < group.blocks) s.parts[threadIdx.x] = make_uint4(0, 0, 0, 0);
  countDigits<G, kCleared>(s, group, share, digits, rank);
  const DigitStart start = digitStarts<G>(s, group);
  const u32 d = threadIdx.x;
  u32 owner = 0;
  if (d < kDigits) {
    owner = group.blockOf(start.first);
    if (owner >= group.blocks) owner = group.blocks - 1;  // no keys from here on
    s.owner[d] = owner;
  }
  __syncthreads();
  if (d < kDigits) {
    u32* const part = reinterpret_cast<u32*>(s.parts + owner);
    if (d == 0 || s.owner[d - 1] != owner) part[0] = start.first, part[2] = d;
    if (d == kDigits - 1 || s.owner[d + 1] != owner) part[1] = d == kDigits - 1 ? n : start.first + start.all, part[3] = d;
  }
  __syncthreads();
  u32 from = 0;
  bool full = false;
  if (d < kDigits) {
    from = s.parts[owner].x;
    full = s.parts[owner].y > from + G::kTile || (d == kDigits - 1 ? n - start.first : start.all) > most;
    s.base[d] = start.first + start.before - from;
  }
  if (__syncthreads_or(full)) {
    group.sync();  // passes by digits write to the totals that others may still read
    return false;
  }
  const u16* const mine = s.counts + threadIdx.x / 32 * kDigits;
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    const u32 digit = digits(i);
    const u32 block = s.owner[digit];
    const u32 slot = s.base[digit] + mine[digit] + rank[i];
    group.shared(s.keys, block)[slot] = t.k[i];
    if constexpr (G::kPairs) group.shared(s.values, block)[slot] = t.v[i];
  }
  group.sync();
  return true;
}

// ownPart is what splitCluster gave this block, and its place in the whole.
template <typename G> GS_DEVICE PartFrom<G> ownPart(const TileShared<G>& s, const uint4& part, typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  return {s.keys, s.values, keys + part.x, values + part.x, part.y - part.x, codec, mode};
}

// modelOwn sorts it by a model if bins from bit number `low` up are overfull, or returns
// false as sortPartByModel. passOwn and quantileOwn are passPart and quantilePart of it.
template <typename G> GS_COLD bool modelOwn(typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode, u32 low) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  return sortPartByModel<G, false>(ownPart<G>(s, s.parts[blockIdx.x], keys, values, codec, mode), s.model, low);
}

template <typename G> GS_COLD bool passOwn(typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode, bool leave) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  __syncthreads();
  return passPart<G, false>(ownPart<G>(s, s.parts[blockIdx.x], keys, values, codec, mode), s.model, leave);
}

template <typename G> GS_COLD bool quantileOwn(typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  __syncthreads();
  return quantilePart<G, false>(ownPart<G>(s, s.parts[blockIdx.x], keys, values, codec, mode), s.model);
}

// equalBinsOwn sorts it if its overfull bins have one value each.
template <typename G> GS_COLD bool equalBinsOwn(typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode, typename G::Key low, u32 shift) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  __syncthreads();
  return sortEqualBins<G, false>(Bins<typename G::Key>{low, shift}, ownPart<G>(s, s.parts[blockIdx.x], keys, values, codec, mode));
}

// mergeOwn merges it, or returns false if it is large. Its keys lie in shared memory, as it was split, and counters
// are free.
template <typename G> GS_COLD bool mergeOwn(typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const PartFrom<G> p = ownPart<G>(s, s.parts[blockIdx.x], keys, values, codec, mode);
  constexpr u32 kMost = 2048;
  static_assert(kMost * sizeof(K) <= TileShared<G>::kKeys - TileShared<G>::kCounts && (!G::kPairs || 2 * kMost <= G::kTile), "fits there");
  static_assert(kMergedPart <= kMost, "a whole number of lists");
  if (p.n > kMergedPart) return false;
  const u32 places = sharedAt(s.from);
  Rows<K, G::kPairs> rows = {sharedAt(s.keys), sharedAt(s.counts), places, places + 2 * kMost};
  sortRows<G::kThreads>(rows, p.n);
#pragma unroll 1
  for (u32 i = threadIdx.x; i < p.n; i += G::kThreads) {
    if (p.mode != kModeArgsort) p.keysTo[i] = decode(p.codec, rows.key(i));
    if constexpr (G::kPairs) p.valuesTo[i] = s.values[rows.place(i)];
  }
  return true;
}

// sortOverfullOwn sorts it if its bins are overfull, and no model of it serves.
template <typename G> GS_DEVICE void sortOverfullOwn(typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  if (!passOwn<G>(keys, values, codec, mode, true) && !quantileOwn<G>(keys, values, codec, mode)) passOwn<G>(keys, values, codec, mode, false);
}

// Every warp leaves two keys for the sample, encoded.
constexpr u32 kLeftOfClusterWarp = 2;
template <typename G> constexpr u32 kLeftOfClusterBlock = kLeftOfClusterWarp * G::kWarps;
template <typename G> GS_DEVICE void leaveSample(const TileShared<G>& s, const Cluster& group, const Share& share, u32 n, const TileKeys<G>& t, typename G::Key any) {
  static_assert(kLeftOfClusterBlock<G> * G::kBlocks == G::kThreads, "a thread for each key, and a place");
  const u32 warp = group.rank * G::kWarps + threadIdx.x / 32;
  const Chance<G> chance(share, warp);
  const typename G::Key key = keyOfItem<G>(t, share, n, any, chance.item);
#pragma unroll
  for (u32 j = 0; j < kLeftOfClusterWarp; j++) {
    if (laneID() == chance.laneOf(j)) s.sample[warp * kLeftOfClusterWarp + j] = key;
  }
}

// bringSample brings them to all other blocks, a warp to each: when these have begun, behind a barrier, and
// before the next of the group.
template <typename G> GS_DEVICE void bringSample(const TileShared<G>& s, const Cluster& group) {
  constexpr u32 kLanes = kLeftOfClusterBlock<G> * sizeof(typename G::Key) / sizeof(uint4);
  static_assert(kLanes <= 32 && TileShared<G>::kSample % 16 == 0 && TileShared<G>::kKeys % 16 == 0 && G::kWarps >= G::kBlocks, "a vector a lane");
  const u32 to = threadIdx.x / 32;
  uint4* const mine = reinterpret_cast<uint4*>(s.sample) + group.rank * kLanes + laneID();
  if (to < group.blocks && to != group.rank && laneID() < kLanes) *group.shared(mine, to) = *mine;
}

template <typename G> GS_DEVICE StagedSample<typename G::Key> stagedSample(const TileShared<G>& s, const Share& share, u32 n) {
  return {s.sample, fullBlocks(share, n) * kLeftOfClusterBlock<G>};
}

// splitBy splits the group's keys by digits of a model, which it makes, or quantile splitters. It
// returns false, with nothing written, if digits do not fit. Begins after a barrier of the group.
template <typename G, typename Model>
GS_DEVICE bool splitByModel(const Model& m, const TileShared<G>& s, const Cluster& group, const Share& share, u32 n, const TileKeys<G>& t) {
  if (!modelSample<G>(m, stagedSample<G>(s, share, n), n, G::kTile - share.slots)) return false;
  PackedDigits<G::kItems> digits;
  digitsOf<G>(m, share.used, share.first + share.slot(), n, t, digits);
  return splitCluster<G>(s, group, share, n, digits, t);  // nothing is written before all blocks have counted these digits
}
template <typename G>
GS_DEVICE bool splitBy(const ModelShared<typename G::Key>& m, const TileShared<G>& s, const Cluster& group, const Share& share, u32 n, const TileKeys<G>& t) {
  return splitByModel<G>(m, s, group, share, n, t);
}
template <typename G>
GS_DEVICE bool splitBy(const FoldedModel<typename G::Key>& m, const TileShared<G>& s, const Cluster& group, const Share& share, u32 n, const TileKeys<G>& t) {
  return splitByModel<G>(m, s, group, share, n, t);
}

template <typename G>
GS_DEVICE bool splitBy(const Quantiles<typename G::Key>& m, const TileShared<G>& s, const Cluster& group, const Share& share, u32 n, const TileKeys<G>& t) {
  typedef typename G::Key K;
  const StagedSample<K> sample = stagedSample<G>(s, share, n);
  const u32 size = sample.size(), each = (size + group.blocks - 1) / group.blocks, first = group.rank * each, end = first + each;
  group.sync();  // others may read what is in the quantile splitters' place
  if (threadIdx.x == 0) m.begin(size);
  rankSample<G::kThreads, 2>(sample.keys, size, first, end < size ? end : size, 1u << m.logOf(size), [&](u32 k, K key) {
    for (u32 b = 0; b < group.blocks; b++) group.shared(m.keys, b)[m.at(k)] = key;
  });
  group.sync();
  PackedDigits<G::kItems> digits;
  digitsOf<G>(m, share.used, share.first + share.slot(), n, t, digits);
  return splitCluster<G>(s, group, share, n, digits, t);
}

// clusterAgain splits what did not fit by the highest bits and was put aside by digits of
// a model or quantile splitters, unless these do not fit, either: then it returns false, and the keys still lie
// aside. Begins after a barrier of the block; ends with one of the group, or of the block if false.
template <typename G, typename Model> GS_COLD bool clusterAgain(u32 n) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G, false>(s, n, t);
  return splitBy<G>(Model(s.model), s, Cluster(share.slots), share, n, t);
}

// sortSplitOwn sorts what this block has of it, or returns false as sortModelledPart.
template <typename G, typename Model> GS_COLD bool sortSplitOwn(typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const uint4 part = s.parts[blockIdx.x];
  if (part.y == part.x) return true;
  return sortModelledPart<G, false>(ownPart<G>(s, part, keys, values, codec, mode), Model(s.model), n, part.z, part.w);
}

// clusterByRanks sorts what was put aside by dictionary ranks of few different keys, which the
// sample has, or returns false: then the keys still lie aside. Begins as clusterAgain.
template <typename G> GS_COLD bool clusterByRanks(typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  if (!rankBySample<G::kThreads>(Dictionary<K>(s.model), stagedSample<G>(s, shareOf<G>(n), n))) return false;
  TileKeys<G> t;
  const Share share = takeAside<G, false>(s, n, t);
  PackedDigits<G::kItems> digits;
  rankKeysOf<G>(Dictionary<K>(s.model), share, share.first + share.slot(), n, t, digits);
  // Nothing is written before all blocks have counted these digits.
  if (!passByRanks<G>(s, Cluster(share.slots), share, n, digits, t)) return false;
  storeTile<G>(t, share, keys, values, n, codec, mode);
  return true;
}

// clusterByDigits sorts what was put aside by passes. Begins after a barrier of the group.
template <typename G> GS_COLD void clusterByDigits(typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode, u64 varying) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G, false>(s, n, t);
  digitPasses<G>(s, Cluster(share.slots), share, varying, t);
  storeTile<G>(t, share, keys, values, n, codec, mode);
}

// sortOverfull sorts what this block has of a split by the highest bits if bins, from the key `low` and bit number
// `shift` up, are overfull. A function, as the next, so that nothing is to outlive the calls in it.
template <typename G> GS_COLD void sortOverfull(typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode, typename G::Key low, u32 shift) {
  if (equalBinsOwn<G>(keys, values, codec, mode, low, shift)) return;
  if (!mergeOwn<G>(keys, values, codec, mode) && !modelOwn<G>(keys, values, codec, mode, shift)) sortOverfullOwn<G>(keys, values, codec, mode);
}

// clusterFolded is isFolded of the sample.
template <typename G> GS_COLD bool clusterFolded(u32 n, u32 codec, u32 equal) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  return isFolded<G::kThreads>(FoldedModel<typename G::Key>(s.model), codec, stagedSample<G>(s, shareOf<G>(n), n), equal);
}

// clusterBy sorts what was put aside by digits of a model or quantile splitters, or returns false as clusterAgain.
template <typename G, typename Model> GS_DEVICE bool clusterBy(typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode) {
  if (!clusterAgain<G, Model>(n)) return false;
  if (!sortSplitOwn<G, Model>(keys, values, n, codec, mode)) sortOverfullOwn<G>(keys, values, codec, mode);
  return true;
}

// clusterByMerging sorts what was put aside, one key a thread.
template <typename G> GS_COLD void clusterByMerging(typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const typename G::Key key = s.keys[threadIdx.x];
  typename G::Value value = 0;
  if constexpr (G::kPairs) value = s.values[threadIdx.x];
  __syncthreads();
  sortByMerging<G>(MergingShared<G>(reinterpret_cast<char*>(s.counts)), key, value, keys, values, n, codec, mode);
}

// clusterSkewed sorts what was put aside because the highest bits do not split it.
template <typename G> GS_COLD void clusterSkewed(typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode, u64 varying) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  const u32 many = digitsVarying(varying);
  const EqualPairs pairs = equalPairs<G::kThreads>(stagedSample<G>(TileShared<G>(dynamicShared), shareOf<G>(n), n));
  if (many >= kRankedDigits && pairs.isRepeated() && clusterByRanks<G>(keys, values, n, codec, mode)) return;
  if (many >= kModelledDigits && !pairs.isRepeated()) {
    if (!isFloat(codec)) {
      if (clusterBy<G, ModelShared<K>>(keys, values, n, codec, mode)) return;
    } else if (clusterFolded<G>(n, codec, pairs.found * 1024 / pairs.all)) {
      if (clusterBy<G, FoldedModel<K>>(keys, values, n, codec, mode)) return;
    }
  }
  if (many >= kQuantileDigits && clusterBy<G, Quantiles<K>>(keys, values, n, codec, mode)) return;
  clusterByDigits<G>(keys, values, n, codec, mode, varying);
}

// sortCluster sorts 1 <= n <= blocks · kTile items stably. Launch: a grid of 2
// to 16 blocks, one cluster, kThreads threads each, TileShared<G>::kBytes of
// dynamic shared memory.
template <typename G> GS_DEVICE void sortCluster(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  K* const keys = static_cast<K*>(keysIO);
  V* const values = static_cast<V*>(valuesIO);
  // A block may touch another's shared memory when that one has started: this
  // half of a barrier is waited for below, behind the loads.
  clusterStarted();
  const Share share = shareOf<G>(n);
  const Cluster group(share.slots);
  TileKeys<G> t;
  loadTile<G>(t, share, keys, values, n, mode);
  const K sample = firstKey<K>(codec, keys);
  const K differ = encodeTile<G>(t, share, n, codec, sample);
  // Narrow keys, one a thread, are told by their count instead: a sample would cost uniform ones 0.2 µs, and save
  // skewed ones 1.5.
  const bool probes = kProbes<G> && (kModelsLarge<G> || share.used > 1);
  if constexpr (kProbes<G>) {
    if (probes) leaveSample<G>(s, group, share, n, t, sample);
  }
  const u64 own = blockVarying<G>(s.warpVarying, differ);
  clusterWait();
  if (threadIdx.x < group.blocks) *group.shared(&s.varying[group.rank], threadIdx.x) = own;
  if constexpr (kProbes<G>) {
    if (probes) bringSample<G>(s, group);
    if (threadIdx.x < kDigits) s.owner[threadIdx.x] = 0;
    clearRows<G>(s.counts);
  }
  group.sync();
  const u64 varying = warpOrWord(laneID() < group.blocks ? s.varying[laneID()] : u64(0));
  const u32 top = 64 - __clzll(varying);
  const TopDigit<K> digitOf = {top - kDigitBits};
  const bool merges = kProbes<G> && share.used == 1 && digitsVarying(varying) >= kMergedDigits;
  bool overfull = false;
  if constexpr (kProbes<G>) {
    // A digit may have half of a tile, as its block has part of its share besides and would work while others wait;
    // of narrow keys, which have no models, all but that part; and where keys can be merged an eighth of them, or of
    // floats a sixteenth: overfull bins of these have no model, either.
    constexpr u32 kLeft = kLeftOfClusterBlock<G>;
    const bool valid = (threadIdx.x / kLeft + 1) * share.slots <= n;
    const u32 most = merges ? kLeft * group.blocks / (isFloat(codec) ? 16 : 8) : kModelsLarge<G> ? kLeft * G::kItems / 2 : kLeft * G::kItems - kLeft / 2 * share.used;
    if (probes) overfull = topIsOverfull(s.owner, s.sample[threadIdx.x], valid, top, most, share.used);
  }
  if (top > kDigitBits && !overfull && splitCluster<G, kProbes<G>>(s, group, share, n, [&](u32 i) { return digitOf(t.k[i]); }, t, merges && !probes ? n / 8 : ~0u)) {
    const uint4 part = s.parts[group.rank];
    if (part.y != part.x) {
      const Bins<K> bins = binsOfDigits<G>(sample, top, part.z, part.w);
      const bool done = sortPart<G, false>(s, bins, ownPart<G>(s, part, keys, values, codec, mode));
      if constexpr (kModelsLarge<G>) {
        if (!done) sortOverfull<G>(keys, values, codec, mode, bins.low, bins.shift);
      }
    }
  } else if constexpr (kModelsLarge<G>) {
    putAside<G>(s, share, t);
    __syncthreads();
    if (merges) {
      clusterByMerging<G>(keys, values, n, codec, mode);
    } else {
      clusterSkewed<G>(keys, values, n, codec, mode, varying);
    }
  } else {
    if constexpr (kProbes<G>) {
      if (merges) {
        putAside<G>(s, share, t);
        __syncthreads();
        clusterByMerging<G>(keys, values, n, codec, mode);
        return;
      }
    }
    digitPasses<G>(s, group, share, varying, t);
    storeTile<G>(t, share, keys, values, n, codec, mode);
  }
}

}  // namespace gs

#endif
