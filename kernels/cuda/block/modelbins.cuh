// Bins and digits by a model of the keys, where those of the highest varying bits
// would be overfull: as block/split.cuh, but that a bin is known in registers alone,
// until the keys lie in order.
#ifndef GS_BLOCK_MODELBINS
#define GS_BLOCK_MODELBINS

#include "block/equalbins.cuh"
#include "block/digits.cuh"
#include "block/folded.cuh"

namespace gs {

// Keys of 8 and 16 bits have at most four bits below those of 2^12 bins: nothing
// is gained. Of up to 2^10 keys a model costs more than refining, or all digits
// (measured).
template <typename G> constexpr bool kModels = sizeof(typename G::Key) >= 4 && G::kTile > 1024;

// Sorts of several blocks probe a sample before they try the highest digit: not of keys of
// 16 bits, which have two.
template <typename G> constexpr bool kProbes = sizeof(typename G::Key) >= 4;

// Sorts of several blocks model keys of 64 bits, and grids those of 32 bits, too, if all their kNarrowDigits digits
// vary: by fewer they pass as fast.
template <typename G> constexpr bool kModelsLarge = kModels<G> && sizeof(typename G::Key) == 8;
template <typename G> constexpr bool kModelsGrid = kModels<G>;
constexpr u32 kNarrowDigits = 4;

// digitsVarying counts the digits that have a varying bit.
GS_DEVICE u32 digitsVarying(u64 varying) {
  u32 many = 0;
#pragma unroll
  for (u32 pass = 0; pass < 8; pass++) many += (varying >> (kDigitBits * pass)) % kDigits != 0;
  return many;
}

// kModelledDigits: with so many digits that vary a model is the faster path (measured).
constexpr u32 kModelledDigits = 5;

// kMergedDigits: with so many digits that vary merging few keys a thread is the faster path, with fewer passes by each.
constexpr u32 kMergedDigits = 4;

// kModelSample keys make a model, one a thread of the largest block: their shares are
// known to some per cent.
constexpr u32 kModelSample = 1024;

// What bits say of a model; the rest is said by digits met. Bins of up to 64 keys do no
// harm, so that a model may follow its sample closely: three eighths, and a quarter with a
// sample of 4,096, whose largest digit then has 1.6 times the mean of AND-ed words and 1.8
// of a normal distribution (counted).
constexpr u32 kByBits = 3u << 29, kByBitsLarge = 1u << 30;

// codeNarrow is where the codes of a large sort of n keys end: twice what a key
// has on average.
GS_DEVICE u32 codeNarrow(u32 n) { return 2 * (~0u / n); }

// kDigitShift: a code's highest bits are its digit.
constexpr u32 kDigitShift = 32 - kDigitBits;

// isAlike says whether a thread's first two keys differ, but not from bit number
// `bits` up: of many pairs, the part that is the sum of the squares of the bins'
// shares, equal keys not counted. The two lie 32 places apart: of sorted keys they
// are alike only where a bin has more keys than that.
template <typename G> GS_DEVICE bool isAlike(const TileKeys<G>& t, const Share& share, u32 n, u32 bits) {
  typedef typename G::Key K;
  const K differ = K(t.k[0] ^ t.k[1]);
  return share.used > 1 && share.slot() + 32 < n && differ != 0 && (bits >= 8 * sizeof(K) || differ >> bits == 0);
}

// kOverfullPairs: a tile with more alike pairs among its 1,024 is overfull. Of uniform
// keys in 2^12 bins a quarter of a pair is alike on average; where one bin has an
// eighth of all keys, sixteen are.
constexpr u32 kOverfullPairs = 8;

// A sort of one block does less for floats than block/folded.cuh. modelShift is 1 or -1, which
// makes the number of NaNs in an encoded key a power of 2: a shifted encoded key differs from the bits above the
// mantissa alone. 0: keys are no floats.
template <typename K> GS_DEVICE K modelShift(u32 codec) {
  if (!isFloat(codec)) return 0;
  return ((codec & 3) == kCodecFloatNaNLast) != ((codec & kCodecDesc) != 0) ? K(~K(0)) : K(1);
}

// shiftKeys adds shift to all keys of the tile.
template <typename G> GS_DEVICE void shiftKeys(TileKeys<G>& t, typename G::Key shift) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) t.k[i] += shift;
}

// modelTile models the n keys of a share that begins at 0. Digits are counted of
// every second warp's keys, or of every second key of a thread: of sorted keys half of
// the warps in a row would show half of the values. Ends with a barrier.
template <typename G> GS_DEVICE void modelTile(const ModelShared<typename G::Key>& m, const Share& share, u32 n, const TileKeys<G>& t) {
  constexpr u32 kTimes = kModelSample / G::kThreads;
  static_assert(kTimes >= 1 && kTimes <= G::kItems, "a whole number of keys from each thread");
  clearModel<G::kThreads>(m);
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < kTimes; i++) {
    if (i >= share.used) break;
    countModel(m, t.k[i], share.slot() + 32 * i < n, true, (kTimes > 1 ? i : threadIdx.x / 32) % 2 == 0);
  }
  __syncthreads();
  weighModel<G::kThreads>(m, kByBits);
}

// BinsOfGroup numbers the bins of some keys of a tile. No generic lambda: NVRTC has none.
template <typename G> struct BinsOfGroup {
  static constexpr u32 kShift = 32 - Log2<G::kTile>::value;
  const ModelShared<typename G::Key>& m;
  const TileKeys<G>& t;
  u32 (&bin)[G::kItems];
  u32 slot, unit, depth;
  template <u32 kFirst, u32 kGroup> GS_DEVICE void operator()(Constant<kFirst>, Constant<kGroup>) const {
    u32 code[kGroup];
#pragma unroll
    for (u32 i = 0; i < kGroup; i++) code[i] = (slot + 32 * (kFirst + i)) * unit;
    codesOf<kFirst, kGroup>(m, depth, t.k, code);
#pragma unroll
    for (u32 i = 0; i < kGroup; i++) bin[kFirst + i] = code[i] >> kShift;
  }
};

// wrapBins: the largest encoded key wraps round if it is shifted, or the smallest one: it goes to the last bin, or
// the first.
template <typename G> GS_DEVICE void wrapBins(const TileKeys<G>& t, typename G::Key shift, u32 (&bin)[G::kItems]) {
  typedef typename G::Key K;
  if (shift == 0) return;
  const bool up = shift == 1;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (t.k[i] == (up ? K(0) : K(~K(0)))) bin[i] = up ? ~0u >> BinsOfGroup<G>::kShift : 0;
  }
}

// binsOfTile numbers the bins of a tile that modelTile modelled, of keys that are shifted.
template <typename G>
GS_DEVICE void binsOfTile(const ModelShared<typename G::Key>& m, const Share& share, u32 n, const TileKeys<G>& t, typename G::Key shift,
                          u32 (&bin)[G::kItems]) {
  eachGroup<G::kItems, ModelShared<typename G::Key>::kTogether>(share.used, BinsOfGroup<G>{m, t, bin, share.slot(), ~0u / n, depthOf(m, 1u << (BinsOfGroup<G>::kShift - 1))});
  wrapBins<G>(t, shift, bin);
}

// Prefix is what a tile's keys of 64 bits are modelled by where it tells them apart: the 32 bits below bit number
// `top`, of shifted floats the upper half. Half as many digits are to count, to weigh and to look up.
template <typename G> struct Prefix {
  typedef TileGeometry<32, 0, G::kThreads, G::kItems> Narrow;
  u64 low;  // no key is less
  u32 down, up;
  bool whole;  // keys that agree in it are equal
  GS_DEVICE Prefix(u64 varying, u64 low_, u32 top) : low(low_), down(top > 32 ? top - 32 : 0), up(top < 32 ? 32 - top : 0), whole(varying << (63 - down) << 1 == 0) {}
  GS_DEVICE u32 operator()(u64 key) const { return u32((key - low) >> down << up); }
};

// kAlikePrefixes: with more pairs of keys, of a thousand, that differ but not in their prefixes, some bin has more
// than some 200 of 4,096. kEqualInTile: with more equal pairs, some value has: of pairs, which places must order,
// bins of a prefix that is not whole are overfull.
constexpr u32 kAlikePrefixes = 4, kEqualInTile = 2;

// tellsApart says, in all threads, whether the prefix does. Two barriers at most.
template <typename G> GS_DEVICE bool tellsApart(const Prefix<G>& prefix, const TileKeys<G>& t, const Share& share, u32 n) {
  if (u32(__syncthreads_count(isAlike<G>(t, share, n, prefix.down))) > kAlikePrefixes) return false;
  if (!G::kPairs || prefix.whole) return true;
  return u32(__syncthreads_count(share.used > 1 && share.slot() + 32 < n && t.k[0] == t.k[1])) <= kEqualInTile;
}

// binsByPrefix models the n keys of a share that begins at 0, which are shifted, by their prefixes, and numbers their
// bins. Begins after a barrier.
template <typename G>
GS_DEVICE void binsByPrefix(void* table, u32* sums, const Prefix<G>& prefix, const Share& share, u32 n, const TileKeys<G>& t, typename G::Key shift,
                            u32 (&bin)[G::kItems]) {
  typedef typename Prefix<G>::Narrow Narrow;
  typedef typename G::Key K;
  const ModelShared<u32> m(table, sums);
  TileKeys<Narrow> u;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) u.k[i] = prefix(t.k[i]);
  modelTile<Narrow>(m, share, n, u);
  eachGroup<G::kItems, ModelShared<u32>::kTogether>(share.used, BinsOfGroup<Narrow>{m, u, bin, share.slot(), prefix.whole ? ~0u / n : 0, depthOf(m, 1u << (BinsOfGroup<G>::kShift - 1))});
  wrapBins<G>(t, shift, bin);
}

// A sort of several blocks is modelled by a sample that its blocks leave of their keys,
// before the first barrier of all, and that each then has in shared memory: size() keys,
// operator()(i), encoded, the same in all blocks.
template <typename K> struct StagedSample {
  K* keys;
  u32 many;
  GS_DEVICE u32 size() const { return many; }
  GS_DEVICE K operator()(u32 i) const { return keys[i]; }
};

// A warp leaves keys for the sample by chance, as regular inputs may repeat at the distance of two
// warps' keys: of one item, keyOfItem, in some of its lanes. The highest bits of products are taken, as the lowest
// ones repeat every few warps. warp is its number among all blocks'.
template <typename G> struct Chance {
  u32 item, lane;
  GS_DEVICE Chance(const Share& share, u32 warp) : item(highProduct(warp * 0x9e3779b9u, share.used)), lane(warp * 0x85ebca6bu >> 27) {}
  GS_DEVICE u32 laneOf(u32 j) const { return (lane + 13 * j) % 32; }
};

// someOf is one of kOf numbers, a power of 2, by chance.
template <u32 kOf> GS_DEVICE u32 someOf(u32 number) { return (number * 0xc2b2ae35u >> 16) % kOf; }

// keyOfItem is the thread's key of that item, or `any` in place of padding.
template <typename G> GS_DEVICE typename G::Key keyOfItem(const TileKeys<G>& t, const Share& share, u32 n, typename G::Key any, u32 item) {
  typename G::Key key = t.k[0];
#pragma unroll
  for (u32 i = 1; i < G::kItems; i++) {
    if (i == item) key = t.k[i];
  }
  return share.first + share.slot() + 32 * item < n ? key : any;
}

// Blocks whose share is not full leave padding: the sample is what those before them left.
GS_DEVICE u32 fullBlocks(const Share& share, u32 n) { return n < share.slots ? 1 : n / share.slots; }

// topIsOverfull says whether by a sample a block would get too many keys with one digit of the
// highest 8 varying bits, those below bit `top`: more than `most` of the sample, where a thread has one key, and
// as often less as it has more, `used`. The thread's key is `key`, if it is valid. Three deviations of the few that
// digits have in full tiles, 8, are allowed for. found[kDigits] is 0, behind a barrier; one barrier, behind the
// counting, if there are such bits.
template <typename K> GS_DEVICE bool topIsOverfull(u32* found, K key, bool valid, u32 top, u32 most, u32 used) {
  if (top <= kDigitBits) return false;
  const bool full = valid && (atomicAdd(&found[u32(key >> (top - kDigitBits)) % kDigits], 1u) + 1) * used > most + 8 * used;
  return __syncthreads_or(full);
}

// eachOf calls f(i, key) for the keys of a sample. A thread requests its next key while it
// works. f is the same for whole warps: threads without a key get false.
template <u32 kThreads, typename Sample, typename F> GS_DEVICE void eachOf(const Sample& sample, F f) {
  const u32 size = sample.size();
  auto next = sample(threadIdx.x < size ? threadIdx.x : 0);
#pragma unroll 1
  for (u32 from = 0; from < size; from += kThreads) {
    const u32 i = from + threadIdx.x;
    const auto key = next;
    if (i + kThreads < size) next = sample(i + kThreads);
    f(i, key, i < size);
  }
}

// kRepeated: where of two keys from far apart more than one in so many are equal, which is
// the sum of the squares of the values' shares, a model does not help: shares of digits,
// multiplied, do not tell the values, 20 for example. Of AND-ed words with an entropy of
// 0.201 one in 50 is.
constexpr u32 kRepeated = 32;

// equalPairs finds how many pairs of a sample are equal, two of each thread, of 2,048: with one in
// 20 or 50 that bound is four deviations away. In all threads; two barriers.
struct EqualPairs {
  u32 found, all;
  GS_DEVICE bool isRepeated() const { return found > all / kRepeated; }
};
template <u32 kThreads, typename Sample> GS_DEVICE EqualPairs equalPairs(const Sample& sample) {
  const u32 size = sample.size(), pairs = size < kThreads ? size : kThreads, i = threadIdx.x;
  const auto equal = [&](u32 apart) { return i < pairs && sample(i) == sample(i + apart < size ? i + apart : i + apart - size); };
  u32 found = u32(__syncthreads_count(equal(size / 3)));
  found += u32(__syncthreads_count(equal(size / 5)));
  return {found, 2 * pairs};
}

// Repeats are how many of a sample, one key of each thread that is valid, are one of two others, far from it: of 20
// values 98 of 1,000 keys, of 40 values 49, of Zipf's law 16, of two values 750, and of 95 % zeros 900. isFew: keys
// look as if they had some 30 values or less, but not almost all one.
struct Repeats {
  u32 found, all;
  GS_DEVICE bool isFew() const { return 16 * found > all && 16 * found < 13 * all; }
  // isFewAmongMore: or 5 % others.
  GS_DEVICE bool isFewAmongMore() const { return 24 * found > all && 16 * found < 13 * all; }
  GS_DEVICE u32 equal() const { return found * 512 / (all + 1); }  // of 1,024 pairs
};
// repeatsOf finds them. Short, since code that runs once waits for memory: by a hash of keys. In all threads; two
// barriers.
template <u32 kThreads, typename K> GS_DEVICE Repeats repeatsOf(K key, bool valid) {
  const u32 hash = u32(key) ^ u32(u64(key) >> 32) * 0x85ebca6bu;
  const u32 one = __shfl_xor_sync(kAllLanes, hash, 2), other = __shfl_xor_sync(kAllLanes, hash, 8);  // of all lanes, whatever they hold
  const u32 all = u32(__syncthreads_count(valid)), found = u32(__syncthreads_count(valid && (hash == one || hash == other)));
  return {found, all};
}

// codesOfTile finds the codes of the keys by a model of all n. `at` is the place of the thread's
// first key: places order equal keys. Padding has the largest code. used is Share's.
template <typename G, typename Model>
GS_DEVICE void codesOfTile(const Model& m, u32 used, u32 at, u32 n, const TileKeys<G>& t, u32 (&code)[G::kItems]) {
  const u32 unit = ~0u / n, depth = depthOf(m, codeNarrow(n));
  const auto find = [&](auto first, auto group) {
    constexpr u32 kFirst = decltype(first)::value, kGroup = decltype(group)::value;
    u32 c[kGroup];
#pragma unroll
    for (u32 i = 0; i < kGroup; i++) c[i] = (at + 32 * (kFirst + i)) * unit;
    codesOf<kFirst, kGroup>(m, depth, t.k, c);
#pragma unroll
    for (u32 i = 0; i < kGroup; i++) code[kFirst + i] = at + 32 * (kFirst + i) < n ? c[i] : ~0u;
  };
  eachGroup<G::kItems, Model::kTogether>(used, find);
}

// digitsOf makes digits of them.
template <typename G, typename Model>
GS_DEVICE void digitsOf(const Model& m, u32 used, u32 at, u32 n, const TileKeys<G>& t, PackedDigits<G::kItems>& digits) {
  u32 code[G::kItems];
  codesOfTile<G>(m, used, at, n, t, code);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= used) break;
    digits.put(i, code[i] >> kDigitShift);
  }
}

// modelSample models n keys of a larger sort by a sample of them, the same in all blocks. Begins after a barrier. It
// returns false if by the sample a digit has more than `most` keys, or far more than others: so it does in all
// blocks.
template <typename G, typename Model, typename Sample> GS_DEVICE bool modelSample(const Model& m, const Sample& sample, u32 n, u32 most) {
  typedef typename G::Key K;
  const u32 size = sample.size();
  clearModel<G::kThreads>(m);
  __syncthreads();
  const bool few = size <= G::kThreads;
  eachOf<G::kThreads>(sample, [&](u32, K key, bool valid) { countModel(m, key, valid, few, true); });
  __syncthreads();
  if (!few) countBits<G::kThreads, K>(m);
  weighModel<G::kThreads>(m, size > 2 * kModelSample ? kByBitsLarge : kByBits);
  // Which digits would the sample have? As many as of all keys, and three deviations of
  // the few that digits have in full tiles. Four times the mean are too many, too: quantile splitters do better then.
  const u32 uniform = 4 * n / kDigits, limit = (most < uniform ? most : uniform) * size / n + 8, apart = ~0u / size, depth = depthOf(m, 1u << (kDigitShift - 2));
  bool full = false;
  eachOf<G::kThreads>(sample, [&](u32 i, K key, bool valid) {
    const K one[1] = {key};
    u32 code[1] = {i * apart};
    codesOf<0, 1>(m, depth, one, code);
    if (valid) full |= atomicAdd(&m.found[code[0] >> kDigitShift], 1u) >= limit;
  });
  return !__syncthreads_or(full);
}

// binsOfPart numbers the bins of a part with the digits first to last of
// digitsOf, of `all` keys, n keys in a share that begins at 0. Keys' places in the part stand
// for those in the input, whose order they have; a key that fills more than the part
// has of its interval what lies in the part's.
template <typename G, typename Model>
GS_DEVICE void binsOfPart(const Model& m, const Share& share, u32 n, u32 all, u32 first, u32 last, const TileKeys<G>& t,
                          u32 (&bin)[G::kItems]) {
  const u32 slot = share.slot(), unit = ~0u / n, depth = depthOf(m, codeNarrow(all));
  const u32 low = first << kDigitShift, high = ((last + 1) << kDigitShift) - 1, bits = shiftFor<G>(32 - __clz(int(high - low)));
  const auto number = [&](auto from, auto group) {
    constexpr u32 kFirst = decltype(from)::value, kGroup = decltype(group)::value;
    const Intervals<kGroup> r = intervalsOf<kFirst, kGroup>(m, depth, t.k);
#pragma unroll
    for (u32 i = 0; i < kGroup; i++) {
      const u32 end = r.begin[i] + r.wide[i], begin = r.begin[i] < low ? low : r.begin[i] > high ? high : r.begin[i];
      const u32 top = end > high ? high : end;
      bin[kFirst + i] = (begin - low + (top > begin ? highProduct(top - begin, (slot + 32 * (kFirst + i)) * unit) : 0)) >> bits;
    }
  };
  eachGroup<G::kItems, Model::kTogether>(share.used, number);
}

// countInBins counts the keys of bins and numbers those of each. It returns whether
// one is too large for placeModelled. Begins after a barrier behind clearBins and
// ends with one.
template <typename G, typename Model> GS_DEVICE bool countInBins(const TileShared<G>& s, const Share& share, u32 n, const u32 (&bin)[G::kItems], u32 (&rank)[G::kItems]) {
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    rank[i] = atomicAdd(&s.bins[bin[i]], 1u);
  }
  __syncthreads();
  return countBins<G, Model::kMostInBin, Model::kLargeBins>(s);
}

// placeModelled writes out the n keys whose bins countInBins counted. A bin of more
// than Model::kMostInBin keys has equal keys alone, without values. Overwrites bin.
template <typename G, typename Model>
GS_DEVICE void placeModelled(const TileShared<G>& s, const Share& share, u32 n, const TileKeys<G>& t, u32 (&bin)[G::kItems], u32 (&rank)[G::kItems],
                             typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  const u32 slot = share.slot(), held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    const u32 first = s.bins[bin[i]], count = s.bins[bin[i] + 1] - first;
    rank[i] += first;
    bin[i] = count <= Model::kMostInBin ? first | count << 16 : rank[i] | 1u << 16;
  }
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    putInRange<G>(s, rank[i], bin[i], slot + 32 * i, t, i);
  }
  placeInRanges<G>(s, n, keys, values, codec, mode);
}

}  // namespace gs

#endif
