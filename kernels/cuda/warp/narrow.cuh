// Narrowed keys: encoded keys without the bits that say nothing, in the same order.
//
// A key's bits lie in up to three fields; what is between them is the same in all keys. The uppermost
// field is counted from its least value, so that numbers of both signs, or times of one day, keep few
// bits; the fields then move together. One field is "subtract the minimum", three are what identifiers
// of time, machine and number need.
#ifndef GS_WARP_NARROW
#define GS_WARP_NARROW

#include "warp/word.cuh"

namespace gs {

// Narrow says how. All zero, it leaves keys as they are.
struct Narrow {
  u64 base;            // subtracted: the least upper field, and what all keys have in common below it
  u64 above1, above2;  // once gap 1 (then 2) is closed: the bits that were above it; 0: there is none
  u32 shift;           // low bits that are dropped, all the same
  u32 gap1, gap2;      // bits that are dropped between two fields
  u32 bits;            // what is left of a key
};

// Narrower is Narrow for keys of type K, in registers.
template <typename K> struct Narrower {
  K base, above1, above2;
  u32 shift, gap1, gap2;
  GS_HOST_DEVICE explicit Narrower(const Narrow& n)
      : base(K(n.base)), above1(K(n.above1)), above2(K(n.above2)), shift(n.shift), gap1(n.gap1), gap2(n.gap2) {}
  GS_HOST_DEVICE static K close(K x, K above, u32 gap) { return (x & ~above) | ((x >> gap) & above); }
  GS_HOST_DEVICE static K open(K x, K above, u32 gap) { return (x & ~above) | ((x & above) << gap); }
  GS_HOST_DEVICE K narrow(K encoded) const {
    return close(close(K(encoded - base) >> shift, above1, gap1), above2, gap2);
  }
  GS_HOST_DEVICE K widen(K narrowed) const {
    return K((open(open(narrowed, above2, gap2), above1, gap1) << shift) + base);
  }
};

// lowBits is x's lowest `bits` bits, 0 to 64.
GS_HOST_DEVICE u64 lowBits(u32 bits) { return bits >= 64 ? ~u64(0) : (u64(1) << bits) - 1; }

// KeyBounds is what all keys say together: one of them, the bits in which any other differs from it, the least and the
// largest.
struct KeyBounds {
  u64 sample, differ, least, most;
};

GS_DEVICE u32 lowestBit(u64 x) { return 63 - u32(__clzll((long long)(x & (~x + 1)))); }
GS_DEVICE u32 bitsOf(u64 x) { return 64 - u32(__clzll((long long)x)); }

// digitsOf is how many of x's lowest kMost digits are not 0.
template <u32 kMost = 8> GS_DEVICE u32 digitsOf(u64 x) {
  u32 many = 0;
#pragma unroll
  for (u32 d = 0; d < kMost; d++) many += (x >> (kDigitBits * d)) % kDigits != 0;
  return many;
}

// narrowWith leaves out the bits below the lowest varying one, and gaps of `gap` bits at `at` and `gap2` at
// `at2` above it; 0: no gap.
GS_DEVICE Narrow narrowWith(const KeyBounds& b, u32 at, u32 gap, u32 at2, u32 gap2) {
  Narrow n = {};
  n.shift = lowestBit(b.differ);
  const u32 top = gap2 != 0 ? at2 + gap2 : gap != 0 ? at + gap : n.shift;  // where the uppermost field begins
  const u64 lowest = b.least >> top << top;
  n.base = lowest | (b.sample & ~b.differ & lowBits(top));
  if (gap != 0) n.above1 = ~lowBits(at - n.shift), n.gap1 = gap;
  if (gap2 != 0) n.above2 = ~lowBits(at2 - n.shift - gap), n.gap2 = gap2;
  n.bits = top - n.shift - gap - gap2 + bitsOf((b.most >> top) - (b.least >> top));
  return n;
}

// narrowestOf is the way that leaves the fewest bits: no gap, or the widest, or the two widest. Some bit varies.
GS_DEVICE Narrow narrowestOf(const KeyBounds& b) {
  const u64 varying = b.differ;
  u32 at[2] = {0, 0}, gap[2] = {0, 0};  // the widest first
  u64 left = varying >> lowestBit(varying);
  for (u32 place = lowestBit(varying); left != 0;) {
    const u32 run = ~left == 0 ? 64 : lowestBit(~left);
    place += run;
    left = run == 64 ? 0 : left >> run;
    if (left == 0) break;
    const u32 hole = lowestBit(left);
    if (hole > gap[0]) {
      at[1] = at[0], gap[1] = gap[0];
      at[0] = place, gap[0] = hole;
    } else if (hole > gap[1]) {
      at[1] = place, gap[1] = hole;
    }
    place += hole;
    left >>= hole;
  }
  Narrow best = narrowWith(b, 0, 0, 0, 0);
  const Narrow one = narrowWith(b, at[0], gap[0], 0, 0);
  if (one.bits < best.bits) best = one;
  const u32 low = at[0] < at[1] || gap[1] == 0 ? 0 : 1;
  const Narrow two = narrowWith(b, at[low], gap[low], at[1 - low], gap[1 - low]);
  if (two.bits < best.bits) best = two;
  return best;
}

}  // namespace gs

#endif
