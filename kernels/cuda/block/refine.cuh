// Skew within a tile. Bins with too many keys for placeInBins are split again,
// all of them together, round by round: a bin of c keys in the slots from s on
// gets the c counters from s on, and its keys are split by the bits below those
// that they share. Keys stay in registers until every bin is small.
//
//   narrow   finds for each bin the highest bit in which its keys differ, so
//            that bits that they share cost no round, and bins of equal keys
//            are done
//   round 1  numbers parts like floating-point numbers, counted from one end of
//            the bin: as many parts for keys of 2^i to 2^(i+1) above that end
//            as for those of 2^(i+1) to 2^(i+2). Skewed keys gather about an end
//            at every scale: parts of equal width would leave most in one
//   further  parts of equal width, which take at least ⌊log2 c⌋ bits off a bin
//            whatever its keys are, 6 or more: so at most four rounds for the
//            20 bits that 2^12 bins leave of 32, nine for the 52 left of 64
//
// Equal keys of pairs are split by their place in the input, as if it stood
// behind the key's bits: at most two rounds more. A round is four barriers and
// a scan. Only the end that round 1 counts from depends on the order in which
// atomics arrive: the result is the same every time.
#ifndef GS_BLOCK_REFINE
#define GS_BLOCK_REFINE

#include "block/split.cuh"

namespace gs {

// Bins of more keys than kFewInBin are split in a round that runs because of
// others: 8 comparisons a key cost less than a counter's turn.
constexpr u32 kFewInBin = 8;
// Of so many keys the majority says near which end of their bin most are: of keys
// that are near it with probability 7/8 (31/32), in 96 (99.7) of 100 bins.
constexpr u32 kSamples = 3;

// RefineShared is what refining adds to the counters, in place of the totals
// and keys of TileShared. Bins of more than kFewInBin keys begin in different
// groups of kFewInBin slots: their tables are indexed by group. The first slots
// of the parts overwrite the tables after the last look at them.
template <typename G> struct RefineShared {
  typedef typename G::Key K;
  struct alignas(sizeof(K) == 8 ? 16 : 4 * sizeof(K)) Samples { K k[4]; };  // kSamples, and as many as fill vectors
  static constexpr u32 kGroups = G::kTile / kFewInBin;
  static constexpr u32 kTableBytes = (4 + sizeof(Samples)) * kGroups, kStartBytes = 2 * (G::kCounters + 1);
  // Keys of 8 bits alone have bins of one value each, and are never refined.
  static_assert((sizeof(K) == 1 && !G::kPairs) ||
                    TileShared<G>::kTotals + (kTableBytes > kStartBytes ? kTableBytes : kStartBytes) <= TileShared<G>::kBytes, "fits");
  static_assert(TileShared<G>::kTotals % 16 == 0, "aligned vectors");
  Samples* samples;  // [kGroups] keys of the bin
  u32* high;         // [kGroups] number of the highest bit in which keys of the bin differ, plus 1; 0: all equal. Then its splitPlan
  u16* start;        // [kCounters + 1] a part's first slot

  GS_DEVICE explicit RefineShared(const TileShared<G>& s)
      : samples(reinterpret_cast<Samples*>(s.totals)), high(reinterpret_cast<u32*>(samples + kGroups)), start(s.totals) {}
};

// splitPlan packs how a bin is split next: the number of bits in which its keys may
// differ, and for floating parts the bits of the fraction (0: parts of equal
// width) and whether they are counted from the bin's end.
GS_DEVICE u32 splitPlan(u32 left, u32 fraction, u32 fromEnd) { return left | fraction << 7 | fromEnd << 11; }

// Member is what a thread knows of an item and its bin.
struct Member {
  u32 bin;   // the bin's first slot, and in the upper half its number of keys
  u32 mine;  // the item's number in it, in no certain order, and in the upper half the bin's splitPlan
  GS_DEVICE u32 first() const { return bin & 0xffff; }
  GS_DEVICE u32 keys() const { return bin >> 16; }
  GS_DEVICE u32 number() const { return mine & 0xffff; }
  GS_DEVICE u32 slot() const { return first() + number(); }
  GS_DEVICE u32 left() const { return mine >> 16 & 127; }
  GS_DEVICE u32 fraction() const { return mine >> 23 & 15; }
  GS_DEVICE bool fromEnd() const { return mine >> 27 != 0; }
  GS_DEVICE bool splits() const { return keys() > kFewInBin && left() != 0; }
  GS_DEVICE bool large() const { return keys() > kMostInBin && left() != 0; }
};
constexpr u32 kSplit = 0xffff;  // instead of the number of keys: the first slot is a part's counter

// bitLength is the number of the highest set bit plus 1.
template <typename K> GS_DEVICE u32 bitLength(K x) {
  if constexpr (sizeof(K) == 8) {
    return 64 - __clzll(x);
  } else {
    return 32 - __clz(int(x));
  }
}

// Part is a key's part of its bin, and the bits in which keys of it may differ.
struct Part {
  u32 number, left;
};

// evenPart splits a bin of some keys by the lowest `bits` bits of x into at most
// as many parts as keys, all of the same width.
template <typename K> GS_DEVICE Part evenPart(K x, u32 bits, u32 keys) {
  const u32 most = bitLength(keys) - 1;
  const u32 left = bits > most ? bits - most : 0;
  return {u32(x >> left) & ~(~0u << (bits - left)), left};
}

// fractionBits is the f of floatingPart for a bin of some keys that differ in the
// lowest `bits` bits: floating parts are (bits − f + 1)·2^f, and the first guess
// is at most two less than what `keys` allow. 0: equal parts do as well.
GS_DEVICE u32 fractionBits(u32 bits, u32 keys) {
  const u32 most = bitLength(keys) - 1, range = bitLength(bits);
  if (bits <= most) return 0;
  u32 f = most > range ? most - range : 0;
  if ((bits - f) << (f + 1) <= keys) f++;
  if ((bits - f) << (f + 1) <= keys) f++;
  return f;
}

// floatingPart splits by x itself below 2^f, above that by the number of its
// highest bit and the f bits below it.
template <typename K> GS_DEVICE Part floatingPart(K x, u32 f) {
  const u32 length = bitLength(x);
  const u32 left = length > f ? length - 1 - f : 0;
  return {(left << f) + u32(x >> left), left};
}

// Order says which bits order the items of a bin: a key's from number `bottom`
// up, and below them `placeBits` of its place.
struct Order {
  u32 bottom, placeBits;
};

// partOf is the part of its bin that an item goes to.
template <typename G> GS_DEVICE Part partOf(const Order& order, const Member& m, typename G::Key key, u32 place) {
  typedef typename G::Key K;
  if (G::kPairs && m.left() <= order.placeBits) return evenPart(place, m.left(), m.keys());
  const u32 bits = m.left() - order.placeBits;
  K x = K(key >> order.bottom);
  Part p;
  if (m.fraction() == 0) {
    p = evenPart(x, bits, m.keys());
  } else {
    if (m.fromEnd()) x = K(~x);
    p = floatingPart(K(x & (K(~K(0)) >> (8 * sizeof(K) - bits))), m.fraction());
    if (m.fromEnd()) p.number = m.keys() - 1 - p.number;
  }
  p.left += order.placeBits;
  return p;
}

// findHighest fills in the members of the bins that splitTile counted, puts
// samples and the highest varying bit of each bin into the tables, and clears
// the counters. Ends with a barrier.
template <typename G>
GS_DEVICE void findHighest(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, const TileKeys<G>& t,
                           const u32 (&rank)[G::kItems], Member (&m)[G::kItems]) {
  typedef typename G::Key K;
  const RefineShared<G> r(s);
  const u32 slot = share.slot();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    m[i] = {0, 0};
    if (i < share.used && slot + 32 * i < n) {
      const u32 bin = bins(t.k[i]), first = s.bins[bin], keys = s.bins[bin + 1] - first;
      m[i] = {first | keys << 16, rank[i] | splitPlan(1, 0, 0) << 16};
      if (keys > kFewInBin && rank[i] < kSamples) {
        r.samples[first / kFewInBin].k[rank[i]] = t.k[i];
        if (rank[i] == 0) r.high[first / kFewInBin] = 0;
      }
    }
  }
  __syncthreads();
  clearBins<G>(s);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (m[i].keys() > kFewInBin) {
      const u32 group = m[i].first() / kFewInBin, high = bitLength(K(t.k[i] ^ r.samples[group].k[0]));
      // The look ahead spares most keys the atomic: the largest is soon there.
      if (high > r.high[group]) atomicMax(&r.high[group], high);
    }
  }
  __syncthreads();
}

// narrow fills in members, with the splitPlan of their bins. One thread of a bin finds
// them: finding leading zeros runs at a quarter of the rate of other
// instructions. Three barriers; the tables are read until the next.
template <typename G>
GS_DEVICE void narrow(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Order& order, const Share& share, u32 n, const TileKeys<G>& t,
                      const u32 (&rank)[G::kItems], Member (&m)[G::kItems]) {
  typedef typename G::Key K;
  const RefineShared<G> r(s);
  findHighest<G>(s, bins, share, n, t, rank, m);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (m[i].keys() > kFewInBin && m[i].number() == 0) {
      const u32 group = m[i].first() / kFewInBin, high = r.high[group];
      u32 w = splitPlan(order.placeBits, 0, 0);
      if (high != 0) {
        const typename RefineShared<G>::Samples x = r.samples[group];
        const K majority = K((x.k[0] & x.k[1]) | (x.k[1] & x.k[2]) | (x.k[2] & x.k[0]));  // each bit by majority
        w = splitPlan(high - order.bottom + order.placeBits, fractionBits(high - order.bottom, m[i].keys()), u32(majority >> (high - 1)) & 1);
      }
      r.high[group] = w;
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (m[i].keys() > kFewInBin) m[i].mine = m[i].number() | r.high[m[i].first() / kFewInBin] << 16;
  }
}

// startParts turns the parts' counts into their first slots, and clears the
// counters for the next round. Begins after a barrier and ends with one.
template <typename G> GS_DEVICE void startParts(const TileShared<G>& s) {
  const RefineShared<G> r(s);
  constexpr int kVectors = G::kVectors;
  uint4* const mine = reinterpret_cast<uint4*>(s.bins) + threadIdx.x * kVectors;
  uint4 c[kVectors];
  u32 sum = 0;
#pragma unroll
  for (int i = 0; i < kVectors; i++) {
    c[i] = mine[i];
    mine[i] = make_uint4(0, 0, 0, 0);
    sum += c[i].x + c[i].y + c[i].z + c[i].w;
  }
  const u32 inclusive = inclusiveSum(sum);
  if (laneID() == 31) s.warpSums[threadIdx.x / 32] = inclusive;
  __syncthreads();
  u32 run = sumOfWarpsBefore(s.warpSums) + inclusive - sum;
  u32* const start = reinterpret_cast<u32*>(r.start) + threadIdx.x * 2 * kVectors;  // two to a word
#pragma unroll
  for (int i = 0; i < kVectors; i++) {
    const u32 x = run, y = x + c[i].x, z = y + c[i].y, w = z + c[i].z;
    start[2 * i] = x | y << 16;
    start[2 * i + 1] = z | w << 16;
    run = w + c[i].w;
  }
  if (threadIdx.x == G::kThreads - 1) r.start[G::kCounters] = u16(run);
  __syncthreads();
}

// splitBins is one round: it replaces the bins of more than kFewInBin keys by
// their parts. A key of another bin is counted in its own slot, so that the
// counts of all slots before a bin add up to its first slot. Begins after a
// barrier; what it leaves in shared memory is read.
template <typename G>
GS_DEVICE void splitBins(const TileShared<G>& s, const Order& order, const Share& share, const TileKeys<G>& t, Member (&m)[G::kItems]) {
  static_assert(G::kTile < kSplit, "a number of keys is not taken for the mark");
  const RefineShared<G> r(s);
  const u32 slot = share.slot();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (m[i].splits()) {
      const Part p = partOf<G>(order, m[i], t.k[i], slot + 32 * i);
      const u32 counter = m[i].first() + p.number;
      m[i] = {counter | kSplit << 16, atomicAdd(&s.bins[counter], 1u) | splitPlan(p.left, 0, 0) << 16};
    } else if (m[i].keys() != 0) {
      s.bins[m[i].slot()] = 1;
    }
  }
  __syncthreads();
  startParts<G>(s);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (m[i].keys() == kSplit) {
      const u32 counter = m[i].first(), first = r.start[counter];
      m[i].bin = first | (r.start[counter + 1] - first) << 16;
    }
  }
}

// refine ends what splitTile began and gave up, and writes the tile out. varying
// are the bits in which any keys differ.
template <typename G>
GS_DEVICE void refine(const TileShared<G>& s, const Bins<typename G::Key>& bins, u64 varying, const Share& share, u32 n, const TileKeys<G>& t,
                      const u32 (&rank)[G::kItems], typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  typedef typename G::Key K;
  const Order order = {u32(63 - __clzll(varying & (0 - varying))), G::kPairs ? bitLength(n - 1) : 0};
  const u32 slot = share.slot();
  Member m[G::kItems];
  narrow<G>(s, bins, order, share, n, t, rank, m);
  for (;;) {
    bool large = false;
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) large |= m[i].large();
    if (!__syncthreads_or(large)) break;
    splitBins<G>(s, order, share, t, m);
  }
  // The counters' place is free now: each slot gets its key's bin, or a bin of
  // its own where there is nothing left to compare.
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (m[i].keys() != 0) {
      const u32 at = m[i].slot();
      putInRange<G>(s, at, m[i].left() == 0 ? at | 1u << 16 : m[i].bin, slot + 32 * i, t, i);
    }
  }
  placeInRanges<G>(s, n, keys, values, codec, mode);
}

}  // namespace gs

#endif
