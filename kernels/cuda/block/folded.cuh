// A model of floats. An encoded float is its bits, or the complement of a negative
// one's, and the number of NaNs of a sign, added or taken off: it makes mantissas of few ones dense, and what is
// likely in digits of positive keys is unlikely in those of negative ones. So the model sees a key
//
//   natural   without that number: sign, exponent and mantissa
//   folded    negative ones complemented again. Keys of like magnitudes have like digits, whatever their
//             sign; codes of negative ones are counted down from where positive ones begin
//   raised    with the largest exponent of a sample at the end of 16: of uniform mantissas, what is within
//             2^16 of the largest agrees in all digits above, where exponents about a carry, 1,023 and 1,024, agree
//             in none
//
// NaNs of the sign whose encoded keys are at the wrong end, seen as numbers, all have the first or the last code.
#ifndef GS_BLOCK_FOLDED
#define GS_BLOCK_FOLDED

#include "block/model.cuh"
#include "warp/codec.cuh"

namespace gs {

GS_DEVICE bool isFloat(u32 codec) { return (codec & 3) >= kCodecFloatNaNFirst; }

// kEqualNarrow: of floats of 32 bits with more equal pairs of a thousand passes take less than what is tried in vain
// for eighth powers, whose values no model tells apart, and AND-ed words with an entropy of 0.337 have as many.
constexpr u32 kEqualNarrow = 8;

// kExponents: so many exponents share the digits above.
constexpr u32 kExponents = 16;

template <typename K> struct FoldedModel : ModelShared<K> {
  static constexpr u32 kAllBytes = ModelShared<K>::kAllBytes + 4 * 4;
  u32* taken;     // whether the number of NaNs has been taken off encoded keys, not added
  u32* raised;    // by how much exponents are; before, the largest of the sample
  u32* negative;  // how many of the sample are; then the share of their codes

  GS_DEVICE explicit FoldedModel(void* base) : ModelShared<K>(base), taken(ModelShared<K>::found + kDigits), raised(taken + 1), negative(taken + 2) {}

  // begin says what keys are; one thread.
  GS_DEVICE void begin(u32 codec) const {
    *taken = ((codec & 3) == kCodecFloatNaNLast) != ((codec & kCodecDesc) != 0);
    *raised = 0, *negative = 0;
  }
};

// Folding is what a model in shared memory says of its keys.
template <typename K> struct Folding {
  u32 taken, raised;
  GS_DEVICE explicit Folding(const FoldedModel<K>& m) : taken(*m.taken), raised(*m.raised) {}
  GS_DEVICE K natural(K encoded) const { return taken != 0 ? encoded + Float<K>::nans : encoded - Float<K>::nans; }
  GS_DEVICE bool negative(K encoded) const { return (natural(encoded) & Float<K>::sign) == 0; }
  GS_DEVICE K folded(K encoded) const {
    const K x = natural(encoded);
    return ((x & Float<K>::sign ? x : ~x) ^ Float<K>::sign) + K(raised) * (Float<K>::nans + 1);
  }
  // outside says whether natural wraps round.
  GS_DEVICE bool outside(K encoded) const { return (taken != 0 ? natural(encoded) : encoded) < Float<K>::nans; }
};

// isFolded begins such a model, by a key of the sample a thread, and says, in all threads, whether it is worth it,
// where `equal` of a thousand pairs are. Of AND-ed words it is, whose lower halves have more or fewer ones than
// chance gives; these are not raised, as a carry would mix what is likely in their exponents' bits. Of uniform lower
// halves it is if no value comes back, and the first bits of mantissas are uniform, too: of others quantile splitters
// are the faster path. Begins after a barrier and ends without one.
template <u32 kThreads, typename K, typename Sample> GS_DEVICE bool isFolded(const FoldedModel<K>& m, u32 codec, const Sample& sample, u32 equal) {
  if (equal > (sizeof(K) == 8 ? 23 : kEqualNarrow)) return false;  // of words with an entropy of 0.201 19 are
  const u32 size = sample.size(), i = threadIdx.x;
  if (i == 0) m.begin(codec);
  __syncthreads();
  const Folding<K> folding(m);
  const K encoded = sample(i < size ? i : 0), key = folding.folded(encoded), mantissa = key & Float<K>::nans;
  // Of floats of 32 bits the mantissa, and four ones and five zeros.
  const u32 low = sizeof(K) == 8 ? u32(key) : u32(mantissa) == 0 ? 0 : u32(mantissa) | 0x55u << 24, ones = u32(__popc(low)), first = u32(mantissa / ((Float<K>::nans + 1) / 256)), exponent = u32(key / (Float<K>::nans + 1));
  const bool valid = i < size && !folding.outside(encoded);
  // Of 32 random bits 12 to 20 are ones in eight of nine cases.
  const u32 told = u32(__syncthreads_count(valid && low != 0)), skewed = u32(__syncthreads_count(valid && low != 0 && (ones < 12 || ones > 20)));
  if (2 * skewed > told) return true;
  if (equal > 0) return false;
  if (valid && exponent > *(volatile u32*)m.raised) atomicMax(m.raised, exponent);
  // Eight random bits are all or none in one of 128 cases.
  const u32 overfull = u32(__syncthreads_count(valid && (first == 0 || first == 255)));
  const u32 largest = *m.raised;
  __syncthreads();
  if (i == 0) *m.raised = (kExponents - 1 - largest) % kExponents;
  return 40 * overfull < (size < kThreads ? size : kThreads);
}

template <typename K> GS_DEVICE void countModel(const FoldedModel<K>& m, K encoded, bool valid, bool bits, bool digits) {
  const Folding<K> folding(m);
  const u32 negative = u32(__popc(__ballot_sync(kAllLanes, valid && folding.negative(encoded))));
  if (laneID() == 0 && negative != 0) atomicAdd(m.negative, negative);
  countModel(static_cast<const ModelShared<K>&>(m), folding.folded(encoded), valid, bits, digits);
}

template <u32 kThreads, typename K> GS_DEVICE void weighModel(const FoldedModel<K>& m, u32 byBits) {
  if (threadIdx.x == 0) *m.negative = u32((float(*m.negative) + 0.5f) / (float(m.met[0]) + 1.0f) * 4294967040.0f);
  weighModel<kThreads>(static_cast<const ModelShared<K>&>(m), byBits);
}

// codesOf is that of models. Codes of negative keys are counted down, so that places are, too.
template <u32 kFirst, u32 kItems, typename K, u32 kAll>
GS_DEVICE void codesOf(const FoldedModel<K>& m, u32 depth, const K (&encoded)[kAll], u32 (&code)[kItems]) {
  const Folding<K> folding(m);
  K key[kItems];
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    key[i] = folding.folded(encoded[kFirst + i]);
    if (folding.negative(encoded[kFirst + i])) code[i] = ~code[i];
  }
  codesOf<0, kItems>(static_cast<const ModelShared<K>&>(m), depth, key, code);
  const u32 below = *m.negative, above = ~below;
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    code[i] = folding.negative(encoded[kFirst + i]) ? below - highProduct(code[i], below) : below + highProduct(code[i], above);
    if (folding.outside(encoded[kFirst + i])) code[i] = folding.taken != 0 ? ~0u : 0;
  }
}

// Neighbours' intervals do not overlap when they have been mapped, either, as their ends are rounded alike.
template <u32 kFirst, u32 kItems, typename K, u32 kAll>
GS_DEVICE Intervals<kItems> intervalsOf(const FoldedModel<K>& m, u32 depth, const K (&encoded)[kAll]) {
  const Folding<K> folding(m);
  K key[kItems];
#pragma unroll
  for (u32 i = 0; i < kItems; i++) key[i] = folding.folded(encoded[kFirst + i]);
  Intervals<kItems> r = intervalsOf<0, kItems>(static_cast<const ModelShared<K>&>(m), depth, key);
  const u32 below = *m.negative, above = ~below;
#pragma unroll
  for (u32 i = 0; i < kItems; i++) {
    const bool negative = folding.negative(encoded[kFirst + i]);
    const u32 share = negative ? below : above, begin = highProduct(r.begin[i], share), end = highProduct(r.begin[i] + r.wide[i], share);
    r.begin[i] = negative ? below - end : below + begin, r.wide[i] = end - begin;
    if (folding.outside(encoded[kFirst + i])) r.begin[i] = folding.taken != 0 ? ~0u : 0, r.wide[i] = 0;
  }
  return r;
}

}  // namespace gs

#endif
