// A model of keys by their orders of magnitude, for those that are about uniform within each: floats of most
// distributions, numbers of Zipf's law, exponential and geometric ones, many zeros among others. A sample says how
// often each order comes, and a key's code is where its order begins, and how far into that it is: one probe and two
// products, where a model of digits (block/model.cuh) looks up each digit.
//
//   integers  the highest varying bit, the next one, and how often that one comes again, its run: orders are finer
//             towards the ends and the middle of all that may be, wherever small numbers lie, of either sign or
//             direction. Each run has four orders if hardly any is longer than 15, or one
//   floats    sign and exponent: each exponent has four orders if all are close, or one; if they are far apart, as
//             of integers
//
// Where the sample's keys of an order have few values (of numbers 4 to 7 there are four) each has room for all keys
// that have it, which their places in the input share; keys between such values come behind them.
//
// Codes are fractions of 2^32, as those of block/model.cuh, and serve the same digits and bins. Any sample keeps the
// order of keys: a wrong one costs evenness alone.
#ifndef GS_BLOCK_MAGNITUDES
#define GS_BLOCK_MAGNITUDES

#include "block/modelbins.cuh"

namespace gs {

// Magnitude is a key's order, and how far it is into it, a fraction of 2^64; down: to its begin, from its end.
struct Magnitude {
  u32 number;
  u64 rest;
  bool down;
};

// bitsOf counts the bits of x from the highest to the lowest that is 1.
GS_DEVICE u32 bitsOf(u64 x) { return x == 0 ? 0 : 1 + u32(__clzll((long long)(x & (0 - x)))); }

// Magnitudes are the tables of the model in shared memory.
template <typename K> struct Magnitudes {
  static constexpr u32 kMostInBin = 256, kLargeBins = 32;  // as of Quantiles
  static constexpr u32 kOrders = 256, kWords = 2 + kOrders + kOrders + 1 + kDigits + 32, kBytes = 4 * kWords;
  u32* kind;     // codec | top << 8 | apart << 16: the codec that keys are encoded by, the bit below which they vary, and how far exponents are apart
  u32* largest;  // exponent of the sample's finite floats
  u32* bits;     // [kOrders] of rest that are not 0 in the sample's keys, from the highest
  u32* begins;   // [kOrders + 1] keys of the sample of an order; then where its codes begin
  u32* found;    // [kDigits] of the sample, keys of a digit of the code
  u32* sums;     // [32]

  GS_DEVICE explicit Magnitudes(void* base)
      : kind(static_cast<u32*>(base)), largest(kind + 1), bits(kind + 2), begins(bits + kOrders), found(begins + kOrders + 1), sums(found + kDigits) {}

  // begin prepares the tables, which a barrier must part from what follows.
  template <u32 kThreads> GS_DEVICE void begin(u32 codec, u32 top) const {
    if (threadIdx.x == 0) *kind = codec | top << 8, *largest = 0;
#pragma unroll 1
    for (u32 at = threadIdx.x; at < kWords - 2; at += kThreads) bits[at] = 0;
  }
};

// Scale tells magnitudes of keys.
template <typename K> struct Scale {
  static constexpr u32 kBits = 8 * sizeof(K), kMantissa = sizeof(K) == 8 ? 52 : 23, kExponents = 1u << (kBits - 1 - kMantissa), kOfSign = 128;
  bool floats, taken;
  u32 apart;                // of exponents: within 31, within 126, or farther; of integers 0 or 2
  u32 shift, parts, least;  // bits above those that vary; an exponent or a run has 2^parts orders, and an exponent below the least one none
  GS_DEVICE Scale(u32 codec, u32 top, u32 largest, u32 apart_)
      : floats(isFloat(codec)),
        taken(((codec & 3) == kCodecFloatNaNLast) != ((codec & kCodecDesc) != 0)),
        apart(apart_),
        shift(64 - (floats ? kBits : top)),
        parts(apart == 0 ? 2 : 0),
        least(largest < windowOf(parts) ? 0 : largest - windowOf(parts) + 1) {}
  // windowOf is how many exponents have orders of their own; two of a sign are for what is smaller, and larger.
  GS_DEVICE static u32 windowOf(u32 parts) { return (kOfSign - 2) >> parts; }
  GS_DEVICE explicit Scale(const Magnitudes<K>& m) : Scale(*m.kind & 255, *m.kind >> 8 & 255, *m.largest, *m.kind >> 16) {}

  // natural is an encoded float without the number of NaNs: its bits, or their complement. outside says whether that
  // wraps round, as it does for half of the NaNs; where fromEnds takes the place of the other half, whether it is any
  // NaN. All of these have one code, and places do not count.
  GS_DEVICE K natural(K encoded) const { return taken ? encoded + Float<K>::nans : encoded - Float<K>::nans; }
  GS_DEVICE bool outside(K encoded) const {
    const K x = natural(encoded);
    return floats && ((taken ? x : encoded) < Float<K>::nans || (apart > 1 && (taken ? K(~x) : x) < Float<K>::nans));
  }
  GS_DEVICE static K size(K natural) { return ((natural & Float<K>::sign) != 0 ? natural : K(~natural)) & K(~Float<K>::sign); }
  GS_DEVICE static u64 mantissa(K size) { return u64(size) << (64 - kMantissa); }
  GS_DEVICE u32 exponent(K encoded) const { return u32(size(natural(encoded)) >> kMantissa); }
  // runs is how many runs a half has; the last one's orders are those of longer ones, too.
  GS_DEVICE u32 runs() const { return kOfSign / 2 >> parts; }
  // isFar says that a float, not 0, has no order but that of all that is far smaller than the largest one; that the
  // run of an integer, not at an end or the middle, where 0 is, has none of its own.
  GS_DEVICE bool isFar(K encoded) const {
    if (!floats) {
      const bool ones = (u64(encoded) << shift << 1) >> 63 != 0;
      const u64 x = u64(ones ? K(~encoded) : encoded) << shift << 1;  // 0 at an end or the middle
      return x != 0 && x >> (64 - runs()) == 0;
    }
    return !outside(encoded) && exponent(encoded) < least && size(natural(encoded)) != 0;
  }

  // fromEnds moves natural encoded keys of floats that are no NaNs so that infinities are the ends of all encoded
  // keys, as 0 is the middle.
  GS_DEVICE static K fromEnds(K natural) {
    constexpr K kHalf = K(1) << (kBits - 2);
    return natural < kHalf ? natural - Float<K>::nans : K(~natural) < kHalf ? natural + Float<K>::nans : natural;
  }

  GS_DEVICE Magnitude operator()(K encoded) const {
    Magnitude r = {0, 0, false};
    if (floats && apart < 2) {
      // What is far smaller than any finite float of the sample is an order of its sign, mostly of zeros.
      const K x = natural(encoded), positive = size(x);
      const u32 e = u32(positive >> kMantissa), above = u32(positive >> (kMantissa - parts)) - (least << parts) + 1;
      const u32 number = e < least ? 0 : above < kOfSign ? above : kOfSign - 1;
      r.down = (x & Float<K>::sign) == 0;
      r.rest = number == 0 || number == kOfSign - 1 ? u64(positive) << (65 - kBits) : mantissa(positive) << parts;
      r.number = r.down ? kOfSign - 1 - number : kOfSign + number;
      return r;
    }
    // Orders of a half go up from its middle for runs of ones, and down for runs of zeros: so do those of a run.
    const u64 x = u64(floats ? fromEnds(natural(encoded)) : encoded) << shift, y = x << 1;
    const bool ones = (y >> 63) != 0;
    const u32 run = u32(__clzll((long long)(ones ? ~y : y))), most = runs(), flip = ones ? 0 : ~0u;
    const u64 behind = y << (run < most ? run : most - 1) << 1;
    const u32 part = (u32(behind >> 62) ^ flip) & ((1u << parts) - 1);
    r.rest = behind << parts;
    r.number = u32(x >> 63) * kOfSign + kOfSign / 2 + ((((run < most ? run : most) - 1) << parts | part) ^ flip);
    return r;
  }
  // bitsOfOrder is how many bits of rest may vary.
  GS_DEVICE u32 bitsOfOrder(u32 number) const {
    const u32 half = kOfSign / 2, of = number % kOfSign, run = ((of < half ? half - 1 - of : of - half) >> parts) + 1;
    const u32 told = 1 + shift + (run < runs() ? run + 1 : runs()) + parts;  // the highest, its run, what ends that, and parts
    return floats ? 64 : told < 64 ? 64 - told : 0;
  }

  // isSkewed says that the bits behind those of the order are more ones or zeros than chance gives, as AND-ed words
  // have, which are not uniform within one; or that the key comes again, as `other`, and is no small number.
  GS_DEVICE bool isSkewed(K encoded, K other) const {
    // As operator() has it, without the bits that are told by the order: a one behind zeros, or the complement.
    const bool ones = !floats && (u64(encoded) << shift << 1) >> 63 != 0;
    const u64 x = floats ? u64(size(natural(encoded))) << (63 - kMantissa) | 1ull << 63 : u64(ones ? K(~encoded) : encoded) << shift << 1;
    if (x == 0) return false;
    const int many = 63 - __clzll((long long)x) - (63 - __clzll((long long)(x & (0 - x)))), more = 8 * (__popc(u32(x)) + __popc(u32(x >> 32)) - 1) - 4 * many;
    return ((many >= 16 && (more > many + 8 || -more > many + 8)) || (encoded == other && many > 24)) && !outside(encoded);
  }
};

// noteExponent notes that of a float of the sample, before all others are counted, behind a barrier.
template <typename K> GS_DEVICE void noteExponent(const Magnitudes<K>& m, const Scale<K>& scale, K encoded, bool valid) {
  const u32 e = valid && scale.floats && !scale.outside(encoded) ? scale.exponent(encoded) : 0;
  if (e < scale.kExponents - 1 && e > *(volatile u32*)m.largest) atomicMax(m.largest, e);
}

template <typename K> GS_DEVICE void countMagnitude(const Magnitudes<K>& m, const Scale<K>& scale, K encoded, bool valid) {
  if (!valid || scale.outside(encoded)) return;
  const Magnitude of = scale(encoded);
  const u32 many = bitsOf(of.rest);
  atomicAdd(&m.begins[of.number], 1u);
  if (many > *(volatile u32*)&m.bits[of.number]) atomicMax(&m.bits[of.number], many);
}

// weighMagnitudes turns counts into codes: an order has an eighth of a key more than the sample. Of one that the
// sample has once or not at all no more is known than what all keys of it may vary in. Begins after a barrier, ends
// with one.
template <typename K> GS_DEVICE void weighMagnitudes(const Magnitudes<K>& m, const Scale<K>& scale) {
  constexpr u32 kOrders = Magnitudes<K>::kOrders;
  const u32 order = threadIdx.x;
  u32 weight = 0, inclusive = 0;
  if (order < kOrders) {
    weight = 8 * m.begins[order] + 1, inclusive = inclusiveSum(weight);
    if (weight <= 9) m.bits[order] = scale.bitsOfOrder(order);
    if (laneID() == 31) m.sums[order / 32] = inclusive;
  }
  __syncthreads();
  if (order < kOrders) {
    const u32 sum = laneID() < kOrders / 32 ? m.sums[laneID()] : 0, sums = inclusiveSum(sum);
    const u32 before = __shfl_sync(kAllLanes, sums - sum, int(order / 32)), unit = ~0u / __shfl_sync(kAllLanes, sums, 31);
    m.begins[order] = unit * (before + inclusive - weight);
    if (order == kOrders - 1) m.begins[kOrders] = unit * (before + inclusive);
  }
  __syncthreads();
}

// kKnownBits: an order whose keys of the sample vary in at most so many of the highest bits of rest has room for its
// values.
constexpr u32 kKnownBits = 24;

// magnitudeInterval is the interval of a key's codes, as of Intervals.
template <typename K> GS_DEVICE void magnitudeInterval(const Magnitudes<K>& m, const Scale<K>& scale, K encoded, u32& begin, u32& wide) {
  const Magnitude of = scale(encoded);
  const u32 first = m.begins[of.number], all = m.begins[of.number + 1] - first, many = m.bits[of.number], high = u32(of.rest >> 32);
  u32 at = highProduct(all, high);
  wide = 0;
  if (many <= kKnownBits) {
    // Of the codes from this value on, up to the next one's or more, fifteen of sixteen are for keys that have it.
    const u32 room = all >> many, own = room - room / 16, value = highProduct(all, high & ~(~0u >> many));
    if (of.rest << many == 0) {
      at = value, wide = own;
    } else if (at < value + own) {
      at = value + own;
    }
  }
  begin = first + (of.down ? all - at - wide : at);
  if (scale.outside(encoded)) begin = scale.taken ? ~0u : 0, wide = 0;
}

// kSkewedPart: where more than one key in so many is skewed, keys are AND-ed words, of which 36 % are or more,
// others' 12 % or less, or few values.
constexpr u32 kSkewedPart = 5;

// areSkewed says, in all threads, whether of n keys, one a thread of each of kThreads that is valid, too many are.
// One barrier.
template <u32 kThreads, typename K> GS_DEVICE bool areSkewed(u32 codec, u32 top, u32 n, bool valid, K key) {
  const K other = __shfl_xor_sync(kAllLanes, key, 16);
  return kSkewedPart * u32(__syncthreads_count(valid && Scale<K>(codec, top, 0, 0).isSkewed(key, other))) > (n < kThreads ? n : kThreads);
}

// kFarPart: one key in so many is too many for an order of all that is far.
constexpr u32 kFarPart = 64;

// beginMagnitudes prepares the tables by a sample, of which a thread has a key, and says whether too many are far:
// integers, that is, as of floats noteExponent comes first. One barrier, at the end.
template <u32 kThreads, typename K> GS_DEVICE bool beginMagnitudes(const Magnitudes<K>& m, u32 codec, u32 top, K key, bool valid) {
  m.template begin<kThreads>(codec, top);
  return kFarPart * u32(__syncthreads_count(valid && !isFloat(codec) && Scale<K>(codec, top, 0, 0).isFar(key))) > kThreads;
}

// scaleOf is the scale of keys, of which a thread has one; of floats behind noteExponent of all of the sample.
// Barriers for floats alone; of integers beginMagnitudes says whether they are far.
template <u32 kThreads, typename K> GS_DEVICE Scale<K> scaleOf(const Magnitudes<K>& m, u32 codec, u32 top, K key, bool valid, bool far) {
  u32 largest = 0, apart = far ? 2 : 0;
  if (isFloat(codec)) {
    __syncthreads();
    largest = *m.largest;
#pragma unroll 1
    while (apart < 2 && kFarPart * u32(__syncthreads_count(valid && Scale<K>(codec, top, largest, apart).isFar(key))) > kThreads) apart++;
  }
  if (apart != 0 && threadIdx.x == 0) *m.kind |= apart << 16;  // read behind barriers that follow
  return Scale<K>(codec, top, largest, apart);
}

}  // namespace gs

#endif
