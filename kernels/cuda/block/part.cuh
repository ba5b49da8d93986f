// One block's part of a larger sort: keys that agree above some bits, in shared
// memory or registers, sorted and written to their place in the whole.
#ifndef GS_BLOCK_PART
#define GS_BLOCK_PART

#include "block/digits.cuh"
#include "block/quantiles.cuh"
#include "block/magnitudebins.cuh"
#include "block/dictionary.cuh"

namespace gs {

// TopDigit is the digit at a bit that need not be a multiple of 8.
template <typename K> struct TopDigit {
  u32 shift;
  GS_DEVICE u32 operator()(K k) const { return u32(k >> shift) % kDigits; }
};

// binsOfDigits number the keys whose top digits, the 8 bits below bit `top`, are
// first to last. sample is any key of the input: all agree from bit `top` upwards.
template <typename G> GS_DEVICE Bins<typename G::Key> binsOfDigits(typename G::Key sample, u32 top, u32 first, u32 last) {
  typedef typename G::Key K;
  const u32 shift = top - kDigitBits, bits = 32 - __clz(int(last - first));
  return {K(lowest(sample, top) + (K(first) << shift)), shiftFor<G>(shift + bits)};
}

// placeByModel writes out the part's n keys, whose bins by a model or quantile splitters are known, or says
// that they are overfull: then they are where loadPart read them. Begins after a
// barrier behind clearBins.
template <typename G, bool kLeft, typename Model>
GS_DEVICE bool placeByModel(const TileShared<G>& s, const Share& share, u32 n, const TileKeys<G>& t, u32 (&bin)[G::kItems], typename G::Key* keys,
                            typename G::Value* values, u32 codec, u32 mode) {
  u32 rank[G::kItems];
  bool fits = !countInBins<G, Model>(s, share, n, bin, rank);
  if constexpr (!G::kPairs) {
    if (!fits) fits = overfullAreEqual<G>(s, Model::kMostInBin, [&](u32 i) { return bin[i]; }, share, n, t, rank);
  }
  if (fits) {
    placeModelled<G, Model>(s, share, n, t, bin, rank, keys, values, codec, mode);
  } else if constexpr (!G::kPairs && !kLeft) {
    // Where they lay in shared memory, bins were compared.
    const u32 held = share.held(n);
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i >= held) break;
      s.keys[share.slot() + 32 * i] = t.k[i];
    }
  }
  return fits;
}

// loadPart reads the n keys of a part, which lie in shared memory or, kLeft by other
// blocks, in global memory, and returns the bits in which this thread's differ from
// the part's first.
template <typename G, bool kLeft>
GS_DEVICE typename G::Key loadPart(TileKeys<G>& t, const Share& share, u32 n, const typename G::Key* keys, const typename G::Value* values) {
  typedef typename G::Key K;
  const auto read = [](const auto* p) {
    if constexpr (kLeft) return __ldcg(p);
    else return *p;
  };
  const u32 slot = share.slot(), held = share.held(n);
  const K first = read(keys);
  K differ = 0;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) t.k[i] = K(~K(0));
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    t.k[i] = read(keys + slot + 32 * i);
    if constexpr (G::kPairs) t.v[i] = read(values + slot + 32 * i);
  }
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    differ |= t.k[i] ^ first;
  }
  return differ;
}

// PartFrom says where a part's n keys are and where they go.
template <typename G> struct PartFrom {
  const typename G::Key* keys;
  const typename G::Value* values;
  typename G::Key* keysTo;
  typename G::Value* valuesTo;
  u32 n, codec, mode;
};

// sortPartByModel sorts a part whose bins by the bits from number `low` up are overfull
// by a model of it, or returns false, in all threads: keys are floats, it has few values,
// which no model tells apart, or bins are overfull again. Nothing has been written then. model is free.
// Begins after a barrier.
template <typename G, bool kLeft> GS_DEVICE bool sortPartByModel(const PartFrom<G>& p, void* model, u32 low) {
  typedef typename G::Key K;
  if (isFloat(p.codec)) return false;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const Share share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
  TileKeys<G> t;
  loadPart<G, kLeft>(t, share, p.n, p.keys, p.values);
  // Its barrier stands behind the loads: the keys' places are free then.
  if (u32(__syncthreads_count(isAlike<G>(t, share, p.n, low))) <= kOverfullPairs) return false;
  const ModelShared<K> m(model);
  u32 bin[G::kItems];
  clearBins<G>(s);
  modelTile<G>(m, share, p.n, t);
  binsOfTile<G>(m, share, p.n, t, K(0), bin);
  return placeByModel<G, kLeft, ModelShared<K>>(s, share, p.n, t, bin, p.keysTo, p.valuesTo, p.codec, p.mode);
}

// sortModelledPart sorts a part with the digits first to last of a model or quantile splitters of `all` keys, or
// returns false, in all threads, if bins are overfull: then nothing has been written.
// Begins after a barrier.
template <typename G, bool kLeft, typename Model>
GS_DEVICE bool sortModelledPart(const PartFrom<G>& p, const Model& m, u32 all, u32 first, u32 last) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const Share share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
  TileKeys<G> t;
  loadPart<G, kLeft>(t, share, p.n, p.keys, p.values);
  u32 bin[G::kItems];
  clearBins<G>(s);
  __syncthreads();
  binsOfPart<G>(m, share, p.n, all, first, last, t, bin);
  return placeByModel<G, kLeft, Model>(s, share, p.n, t, bin, p.keysTo, p.valuesTo, p.codec, p.mode);
}

// sortCodedPart is sortModelledPart of keys whose codes other blocks left in global memory.
template <typename G, typename Model> GS_DEVICE bool sortCodedPart(const PartFrom<G>& p, const u32* codes, u32 first, u32 last) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const Share share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
  const u32 low = first << kDigitShift, high = ((last + 1) << kDigitShift) - 1, bits = shiftFor<G>(32 - __clz(int(high - low)));
  const u32 slot = share.slot(), held = share.held(p.n);
  u32 bin[G::kItems];
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    bin[i] = __ldcg(codes + slot + 32 * i);
  }
  TileKeys<G> t;
  loadPart<G, true>(t, share, p.n, p.keys, p.values);
  clearBins<G>(s);
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    bin[i] = (bin[i] - low) >> bits;
  }
  return placeByModel<G, true, Model>(s, share, p.n, t, bin, p.keysTo, p.valuesTo, p.codec, p.mode);
}

// kRankedDigits: so many digits of a part must vary that to number few keys and to pass
// once is thought to be faster than a pass by each.
constexpr u32 kRankedDigits = 3;

// rankPart ranks a part's keys if one pair in kRepeated is equal, or returns false, in
// all threads, if they are too many. Begins with a barrier.
template <typename G>
GS_DEVICE bool rankPart(void* table, const Share& share, u32 n, u64 varying, const TileKeys<G>& t, PackedDigits<G::kItems>& digits) {
  typedef typename G::Key K;
  if (digitsVarying(varying) < kRankedDigits) return false;
  const bool pair = share.used > 1 && share.slot() + 32 < n;
  const u32 pairs = __syncthreads_count(pair), equal = __syncthreads_count(pair && t.k[0] == t.k[1]);
  if (equal <= pairs / kRepeated) return false;
  const Dictionary<K> set(table);
  const bool few = rankListed<G::kThreads, K>(set, false, share.used, [&](u32 round, bool& valid) {
    valid = share.slot() + 32 * round < n;
    K key = t.k[0];
#pragma unroll
    for (u32 i = 1; i < G::kItems; i++) {
      if (i == round) key = t.k[i];
    }
    return key;
  });
  if (few) rankKeysOf<G>(set, share, share.slot(), n, t, digits);
  return few;
}

// kQuantilePart: of fewer keys passes by all digits are faster than quantile splitters (measured).
constexpr u32 kQuantilePart = 768;

// passPart sorts a part by dictionary ranks, if its keys are few, or by all digits that vary. If `leave`
// is true it returns false, with nothing done, where quantile splitters are the faster path. table is
// Dictionary::kBytes; of keys that are not modelled unused. Begins after a barrier.
template <typename G, bool kLeft> GS_DEVICE bool passPart(const PartFrom<G>& p, void* table, bool leave) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const Share share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
  TileKeys<G> t;
  const typename G::Key differ = loadPart<G, kLeft>(t, share, p.n, p.keys, p.values);
  const u64 varying = blockVarying<G>(s.warpVarying, differ);
  bool few = false;
  if constexpr (kModelsLarge<G>) {
    PackedDigits<G::kItems> digits;
    few = rankPart<G>(table, share, p.n, varying, t, digits);
    if (few) passByRanks<G>(s, Alone(), share, p.n, digits, t);
    if (!few && leave && p.n >= kQuantilePart && digitsVarying(varying) >= kQuantileDigits) return false;
  }
  if (!few) digitPasses<G>(s, Alone(), share, varying, t);
  storeTile<G>(t, share, p.keysTo, p.valuesTo, p.n, p.codec, p.mode);
  return true;
}

// kPartSample keys of a part make its quantile splitters. Of 32 skewed inputs of up to 2^20 keys bins had 203 at most
// so, and 118 of twice as many, but to rank these takes 8 µs longer.
constexpr u32 kPartSample = 256, kPartSampleOfLane = 4;

// quantilePart sorts a part by quantile splitters of it, or returns false, in all threads, with nothing written,
// if bins are overfull still. room is a model's. Begins after a barrier.
template <typename G, bool kLeft> GS_DEVICE bool quantilePart(const PartFrom<G>& p, void* room) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const Share share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
  const Quantiles<K> m(room);
  static_assert(kPartSample <= G::kThreads && kPartSample * sizeof(K) <= TileShared<G>::kBinBytes, "fits there");
  K* const staged = reinterpret_cast<K*>(s.bins);
  if (threadIdx.x < kPartSample) {
    const u32 i = threadIdx.x, first = i * p.n / kPartSample, next = (i + 1) * p.n / kPartSample;
    const K* const from = p.keys + first + highProduct(i * 0x9e3779b9u, next - first);
    if constexpr (kLeft) staged[i] = __ldcg(from);
    else staged[i] = *from;
  }
  if (threadIdx.x == 0) m.begin(kPartSample);
  __syncthreads();
  rankSample<G::kThreads, kPartSampleOfLane>(staged, kPartSample, 0, kPartSample, 1u << m.logOf(kPartSample), [&](u32 k, K key) { m.keys[m.at(k)] = key; });
  TileKeys<G> t;
  loadPart<G, kLeft>(t, share, p.n, p.keys, p.values);
  __syncthreads();
  clearBins<G>(s);
  __syncthreads();
  u32 bin[G::kItems];
  binsOfPart<G>(m, share, p.n, p.n, 0, kDigits - 1, t, bin);
  return placeByModel<G, kLeft, Quantiles<K>>(s, share, p.n, t, bin, p.keysTo, p.valuesTo, p.codec, p.mode);
}

// A few bins of a grid's part may have up to kMostInSome keys, in as many threads' counters as kSomeBins: where keys
// come 32 times, one part of 256 values in 132 has three of them in one bin. A key is compared with twice as many
// then; in passes by all digits the whole grid would wait for that part, 40 µs of 2^20 keys.
constexpr u32 kMostInSome = 2 * kMostInBin, kSomeBins = 16;

// sortPart sorts a part by bins, or returns false, in all threads, if some are overfull:
// then nothing has been written. Parts of narrow keys with overfull bins in a cluster it sorts by
// all digits. Begins after a barrier.
template <typename G, bool kLeft> GS_DEVICE bool sortPart(const TileShared<G>& s, const Bins<typename G::Key>& bins, const PartFrom<G>& p) {
  const Share share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
  TileKeys<G> t;
  const typename G::Key differ = loadPart<G, kLeft>(t, share, p.n, p.keys, p.values);
  clearBins<G>(s);
  __syncthreads();
  const bool fits = splitTile<G, kLeft ? kMostInSome : kMostInBin, kLeft ? kSomeBins : ~0u>(s, bins, share, p.n, t, [](auto&, u32) {});
  if (fits) {
    placeInBins<G>(s, bins, p.keysTo, p.valuesTo, p.n, p.codec, p.mode);
  } else if constexpr (!kModelsLarge<G> && !kLeft) {
    digitPasses<G>(s, Alone(), share, blockVarying<G>(s.warpVarying, differ), t);
    storeTile<G>(t, share, p.keysTo, p.valuesTo, p.n, p.codec, p.mode);
    return true;
  }
  return fits;
}

// sortEqualBins sorts a part of which sortPart said that bins are overfull if each such bin has one value, or returns
// false, in all threads, with nothing written. Begins after a barrier and ends with one if false.
template <typename G, bool kLeft> GS_DEVICE bool sortEqualBins(const Bins<typename G::Key>& bins, const PartFrom<G>& p) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  const Share share(G::kThreads, (p.n + G::kThreads - 1) / G::kThreads, 0);
  TileKeys<G> t;
  loadPart<G, kLeft>(t, share, p.n, p.keys, p.values);
  clearBins<G>(s);
  __syncthreads();
  bool equal = false;
  splitTile<G>(s, bins, share, p.n, t, [&](const u32(&rank)[G::kItems], u32) {
    equal = overfullAreEqual<G>(s, kMostInBin, [&](u32 i) { return bins(t.k[i]); }, share, p.n, t, rank);
    if (!equal) return;
    if constexpr (G::kPairs) placePairsOfEqualBins<G>(s, bins, share, p.n, t, rank, p.keysTo, p.valuesTo, p.codec, p.mode);
    else placeEqualBins<G>(s, bins, share, p.n, t, rank, p.keysTo, p.codec);
  });
  if (equal) return true;
  if constexpr (!kLeft) {
    // Where they lay in shared memory, bins were compared.
    const u32 held = share.held(p.n);
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i >= held) break;
      s.keys[share.slot() + 32 * i] = t.k[i];
    }
  }
  __syncthreads();
  return false;
}

}  // namespace gs

#endif
