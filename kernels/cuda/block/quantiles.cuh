// A model of keys by quantiles, for those whose digits hang together, such as floats. Keys
// of a sample, in order, are quantile splitters, and part all keys into pieces of about as many. A key's
// code is the number of its piece, above, and below how far into the piece it is: half of that by the
// distance itself, which is right where keys are uniform, and half by its logarithm from the
// nearer quantile splitter, which follows keys that gather at either end, such as small floats about 0. Keys that
// are a quantile splitter have codes of their own, at the begin of a piece, and all of the pieces between
// equal quantile splitters, which their places in the input share: so equal keys spread.
//
// Codes are fractions of 2^32, as those of block/model.cuh, and serve the same bins.
#ifndef GS_BLOCK_QUANTILES
#define GS_BLOCK_QUANTILES

#include "block/modelbins.cuh"

namespace gs {

// kQuantileDigits: with so many digits that vary quantile splitters are the faster path, with fewer passes by
// each (measured).
constexpr u32 kQuantileDigits = 5;

// Quantiles lie in a model's place. There are 2^log pieces and one quantile splitter less. Every 16 quantile splitters
// leave a place free: a search reads at distances of powers of 2, which would be of one bank.
template <typename K> struct Quantiles {
  // As of ModelShared, but that bins of more than 64 keys may be kLargeBins or so. One of 256 takes a warp 6 µs, and
  // what it saves 20 or more; all keys in such bins would take 120 (by count).
  static constexpr u32 kTogether = 2, kMostInBin = 256, kLargeBins = 32;
  static constexpr u32 kMostLog = 10, kBytes = ((1 << kMostLog) + (1 << (kMostLog - 4))) * sizeof(K) + 8;
  static_assert(sizeof(K) < 8 || kBytes <= FoldedModel<K>::kAllBytes, "fits in a model's place");
  K* keys;
  u32* log;

  GS_DEVICE explicit Quantiles(void* base) : keys(static_cast<K*>(base) + 1), log(static_cast<u32*>(base)) {}
  // begin says that these are quantile splitters of `size` keys; one thread.
  GS_DEVICE void begin(u32 size) const { *log = logOf(size); }
  // logOf is that of the pieces that `size` keys make.
  GS_DEVICE static u32 logOf(u32 size) { return size >> kMostLog != 0 ? kMostLog : 31 - __clz(int(size)); }
  GS_DEVICE static u32 at(u32 number) { return number + number / 16; }
  GS_DEVICE K operator[](u32 number) const { return keys[at(number)]; }
  GS_DEVICE u32 all() const { return (1u << *log) - 1; }

  // upTo returns how many quantile splitters are `key` or less.
  GS_DEVICE u32 upTo(K key) const {
    u32 many = 0;
#pragma unroll 1
    for (u32 step = 1u << *log >> 1; step > 0; step >>= 1) {
      if ((*this)[many + step - 1] <= key) many += step;
    }
    return many;
  }

  // code finds the codes of a key with `below` quantile splitters less than it. All that leads from the key to the
  // code grows with the key, rounded or not.
  GS_DEVICE void code(K key, u32 below, u32& begin, u32& wide) const {
    const u32 many = all(), shift = 32 - *log;
    begin = below << shift, wide = 0;
    if (below < many && (*this)[below] == key) {
      u32 end = below + 1;
      if (end < many && (*this)[end] == key) end = upTo(key);
      begin = (below + 1) << shift, wide = ((end - below - 1) << shift) + (1u << (shift - 3));
      return;
    }
    begin += within(key, below, shift);
  }

 private:
  // within is how far the code of a key is into its piece, behind the quantile splitter's own codes.
  GS_DEVICE u32 within(K key, u32 below, u32 shift) const {
    const bool first = below == 0, end = below == all();
    const K next = end ? K(~K(0)) : (*this)[below], last = first ? K(0) : (*this)[below - 1];
    const u64 from = key - last, to = next - key;
    const float whole = float(u64(next - last)), uniform = __fdividef(float(from), whole);
    // Before the first quantile splitter and behind the last keys gather towards it.
    const bool left = end || (!first && from <= to);
    const float share = first || end ? 1.0f : 0.5f, part = share * __fdividef(scale(float(left ? from : to)), scale(whole * share));
    const float near = part < share ? part : share;
    const u32 own = 1u << (shift - 3), room = 7 * own, found = u32((uniform + (left ? near : 1.0f - near)) * 0.5f * float(room));
    return own + (found < room ? found : room - 1);
  }

  // scale is about the logarithm of x, above 0 but for x = 0: a float's exponent, and the
  // mantissa as a fraction.
  GS_DEVICE static float scale(float x) { return x < 1.0f ? 0.0f : float(__float_as_uint(x) - 0x3f000000u); }
};

// intervalsOf and codesOf are those of models, whatever the depth.
template <u32 kFirst, u32 kItems, typename K, u32 kAll> GS_DEVICE Intervals<kItems> intervalsOf(const Quantiles<K>& m, u32, const K (&key)[kAll]) {
  u32 below[kItems] = {};
#pragma unroll 1
  for (u32 step = 1u << *m.log >> 1; step > 0; step >>= 1) {
#pragma unroll
    for (u32 i = 0; i < kItems; i++) {
      if (m[below[i] + step - 1] < key[kFirst + i]) below[i] += step;
    }
  }
  Intervals<kItems> r;
#pragma unroll
  for (u32 i = 0; i < kItems; i++) m.code(key[kFirst + i], below[i], r.begin[i], r.wide[i]);
  return r;
}
template <u32 kFirst, u32 kItems, typename K, u32 kAll> GS_DEVICE void codesOf(const Quantiles<K>& m, u32, const K (&key)[kAll], u32 (&code)[kItems]) {
  const Intervals<kItems> r = intervalsOf<kFirst, kItems>(m, 0, key);
#pragma unroll
  for (u32 i = 0; i < kItems; i++) code[i] = r.begin[i] + highProduct(r.wide[i], code[i]);
}
template <typename K> GS_DEVICE u32 depthOf(const Quantiles<K>&, u32) { return 0; }

// countLess adds to `less` how many of the keys from number `low` up to `high` are less than
// each bound, or one more than the largest key: then it is less than the key.
template <u32 kKeys, typename K>
GS_DEVICE void countLess(const K* sample, u32 low, u32 high, const K (&key)[kKeys], bool more, u32 (&less)[kKeys]) {
  if (low >= high) return;
  K bound[kKeys];
#pragma unroll
  for (u32 r = 0; r < kKeys; r++) bound[r] = key[r] + K(more), less[r] += bound[r] < key[r] ? high - low : 0;
#pragma unroll 4
  for (u32 j = low; j < high; j++) {
    const K other = sample[j];
#pragma unroll
    for (u32 r = 0; r < kKeys; r++) less[r] += other < bound[r];
  }
}

// rankSample ranks the keys from number `first` up to `end` of a sample in shared memory,
// equal ones by number, and calls put(k, key) for the one that is quantile splitter number k of
// those between `pieces`, at most as many as keys. A lane of
// all warps has the same kKeys keys; a warp counts in its part of the sample. Begins after a barrier.
template <u32 kThreads, u32 kKeys, typename K, typename Put> GS_DEVICE void rankSample(const K* sample, u32 size, u32 first, u32 end, u32 pieces, Put put) {
  constexpr u32 kWarps = kThreads / 32, kRound = 32 * kKeys;
  static_assert(kRound <= kThreads, "a thread for each key of a round");
  __shared__ u32 ranks[kRound];
  const u32 lane = laneID(), warp = threadIdx.x / 32, each = (size + kWarps - 1) / kWarps;
  const u32 low = warp * each < size ? warp * each : size, high = low + each < size ? low + each : size;
#pragma unroll 1
  for (u32 from = first; from < end; from += kRound) {
    const u32 to = from + kRound < end ? from + kRound : end;
    if (threadIdx.x < kRound) ranks[threadIdx.x] = 0;
    __syncthreads();
    K key[kKeys];
    u32 before[kKeys] = {};
#pragma unroll
    for (u32 r = 0; r < kKeys; r++) key[r] = sample[from + 32 * r + lane < to ? from + 32 * r + lane : from];
    // Of those that come before, equal ones count, too.
    countLess(sample, low, high < from ? high : from, key, true, before);
    countLess(sample, low > to ? low : to, high, key, false, before);
#pragma unroll 1
    for (u32 j = from + warp; j < to; j += kWarps) {
      const K other = sample[j];
#pragma unroll
      for (u32 r = 0; r < kKeys; r++) before[r] += other < key[r] || (other == key[r] && j < from + 32 * r + lane);
    }
#pragma unroll
    for (u32 r = 0; r < kKeys; r++) atomicAdd(&ranks[32 * r + lane], before[r]);
    __syncthreads();
    const u32 i = from + threadIdx.x;
    if (threadIdx.x < kRound && i < to) {
      const u32 rank = ranks[threadIdx.x], k = (rank * pieces + size - 1) / size;
      if (k != 0 && k < pieces && k * size / pieces == rank) put(k - 1, sample[i]);
    }
  }
}

}  // namespace gs

#endif
