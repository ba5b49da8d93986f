// Bins by a model of the keys, where those of the highest varying bits would be
// crowded: as block/split.cuh, but that a bin is known in registers alone, until the
// keys lie in order.
#ifndef GS_BLOCK_MODELBINS
#define GS_BLOCK_MODELBINS

#include "block/crowds.cuh"
#include "block/model.cuh"

namespace gs {

// Keys of 8 and 16 bits have at most four bits below those of 2^12 bins: nothing
// is gained. Of up to 2^10 keys a model costs more than refining, or all digits
// (measured: docs/rfcs/0005).
template <typename G> constexpr bool kModels = sizeof(typename G::Key) >= 4 && G::kTile > 1024;

// kModelSample keys make a model, one a thread of the largest block: their shares are
// known to some per cent. More were not tried.
constexpr u32 kModelSample = 1024;

// kByBits is what bits say of a model, three eighths; the rest is said by digits met.
// Bins of up to 64 keys do no harm, so that a model may follow its sample closely.
constexpr u32 kByBits = 3u << 29;

// isAlike says whether a thread's first two keys differ, but not from bit number
// `bits` up: of many pairs, the part that is the sum of the squares of the bins'
// shares, equal keys not counted. The two lie 32 places apart: of sorted keys they
// are alike only where a bin has more keys than that.
template <typename G> GS_DEVICE bool isAlike(const TileKeys<G>& t, const Share& share, u32 n, u32 bits) {
  typedef typename G::Key K;
  const K differ = K(t.k[0] ^ t.k[1]);
  return share.used > 1 && share.slot() + 32 < n && differ != 0 && (bits >= 8 * sizeof(K) || differ >> bits == 0);
}

// kCrowdedPairs: a tile with more alike pairs among its 1,024 is crowded. Of uniform
// keys in 2^12 bins a quarter of a pair is alike on average; where one bin has an
// eighth of all keys, sixteen are.
constexpr u32 kCrowdedPairs = 8;

// kMostModelled bounds the keys that one is compared with in a model's bins, of which
// few are large: by count, 128 comparisons take a warp as long as a pass by a digit.
constexpr u32 kMostModelled = 128;

// A float's image is its bits, or their complement, and the number of NaNs of a sign, a
// word of ones behind the exponent, added or taken off: from a mantissa of few ones it
// makes one of many, which no model of single digits follows. modelShift is 1 or -1, which
// makes that number a power of 2: a shifted image differs from the bits above the mantissa
// alone. 0: keys are no floats.
template <typename K> GS_DEVICE K modelShift(u32 codec) {
  if ((codec & 3) < kCodecFloatNaNFirst) return 0;
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
    if (i < share.used) countModel(m, t.k[i], share.slot() + 32 * i < n, (kTimes > 1 ? i : threadIdx.x / 32) % 2 == 0);
  }
  __syncthreads();
  weighModel<G::kThreads>(m, kByBits);
}

// binsOfTile numbers the bins of a tile that modelTile modelled, of keys that are shifted.
// The largest image wraps round if it is, or the smallest one: it goes to the last bin, or
// the first.
template <typename G>
GS_DEVICE void binsOfTile(const ModelShared<typename G::Key>& m, const Share& share, u32 n, const TileKeys<G>& t, typename G::Key shift,
                          u32 (&bin)[G::kItems]) {
  typedef typename G::Key K;
  constexpr u32 kShift = 32 - Log2<G::kTile>::value;
  const u32 slot = share.slot(), unit = ~0u / n;
  const Intervals<G::kItems> r = intervalsOf(m, 1u << (kShift - 2), t.k);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) bin[i] = (r.begin[i] + highProduct(r.wide[i], (slot + 32 * i) * unit)) >> kShift;
  if (shift == 0) return;
  const bool up = shift == 1;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (t.k[i] == (up ? K(0) : K(~K(0)))) bin[i] = up ? ~0u >> kShift : 0;
  }
}

// countInBins counts the keys of bins and numbers those of each. It returns whether
// one is too large for placeModelled. Begins after a barrier behind clearBins and
// ends with one.
template <typename G> GS_DEVICE bool countInBins(const TileShared<G>& s, const Share& share, u32 n, const u32 (&bin)[G::kItems], u32 (&rank)[G::kItems]) {
  const u32 slot = share.slot();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < share.used && slot + 32 * i < n) rank[i] = atomicAdd(&s.bins[bin[i]], 1u);
  }
  __syncthreads();
  return countBins<G, kMostModelled>(s);
}

// placeModelled writes out the n keys whose bins countInBins counted. A bin of more
// than kMostModelled keys has equal keys alone, without values. Overwrites bin.
template <typename G>
GS_DEVICE void placeModelled(const TileShared<G>& s, const Share& share, u32 n, const TileKeys<G>& t, u32 (&bin)[G::kItems], u32 (&rank)[G::kItems],
                             typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  const u32 slot = share.slot();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < share.used && slot + 32 * i < n) {
      const u32 first = s.bins[bin[i]], count = s.bins[bin[i] + 1] - first;
      rank[i] += first;
      bin[i] = count <= kMostModelled ? first | count << 16 : rank[i] | 1u << 16;
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < share.used && slot + 32 * i < n) {
      const u32 at = rank[i];
      s.bins[at] = bin[i];
      s.keys[at] = t.k[i];
      if constexpr (G::kPairs) {
        s.from[at] = u16(slot + 32 * i);
        s.values[at] = t.v[i];
      }
    }
  }
  placeInRanges<G>(s, n, keys, values, codec, mode);
}

}  // namespace gs

#endif
