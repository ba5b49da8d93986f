// Elements of a bitonic network, and its steps in registers and by shuffles.
//
// The network is the form in which every comparator puts the smaller element at
// the lower position: the first step of a merge of 2^k elements compares i with
// its mirror image i ^ (2^k - 1), the others i with i ^ 2^j (Knuth, The Art of
// Computer Programming, volume 3, 5.3.4, exercise 53 turns the classic form
// into it). An infinite element at a position from n on thus never moves, so
// that positions from n on need no memory and n may be any number.
#ifndef GS_WARP_BITONIC
#define GS_WARP_BITONIC

#include "warp/codec.cuh"
#include "warp/match.cuh"
#include "warp/word.cuh"

namespace gs {

// BitonicPair is an element of 128 bits: an encoded key and, behind it in the
// order, the position that it came from.
struct alignas(16) BitonicPair {
  u64 index, key;
};
GS_DEVICE bool operator<(BitonicPair a, BitonicPair b) {
  return a.key < b.key || (a.key == b.key && a.index < b.index);
}

// BitonicWord: how an element of kBits lies in memory (Memory) and in registers
// and shared memory (Register). Bytes and half-words are widened, because
// registers and banks have 32 bits.
template <int kBits> struct BitonicWord {
  typedef WordOf<kBits> Memory;
  typedef u32 Register;
};
template <> struct BitonicWord<64> { typedef u64 Memory, Register; };
template <> struct BitonicWord<128> { typedef BitonicPair Memory, Register; };
template <int kBits> using BitonicMemory = typename BitonicWord<kBits>::Memory;
template <int kBits> using BitonicRegister = typename BitonicWord<kBits>::Register;

// The element that no element is above.
template <typename R> GS_DEVICE R bitonicInfinity() {
  if constexpr (sizeof(R) == 16)
    return R{~0ull, ~0ull};
  else
    return R(~R(0));
}

// A load encodes and a store decodes; codec 0 changes nothing. Pairs are
// encoded when they are made.
template <int kBits> GS_DEVICE BitonicRegister<kBits> bitonicLoad(const BitonicMemory<kBits>* p, u32 codec) {
  if constexpr (kBits == 128)
    return *p;
  else
    return encode(codec, *p);
}
template <int kBits>
GS_DEVICE void bitonicStore(BitonicMemory<kBits>* p, u32 codec, BitonicRegister<kBits> v) {
  if constexpr (kBits == 128)
    *p = v;
  else
    *p = decode(codec, BitonicMemory<kBits>(v));
}

// comparator puts the smaller element into a.
template <typename R> GS_DEVICE void comparator(R& a, R& b) {
  const R x = a, y = b;
  const bool swap = y < x;
  a = swap ? y : x;
  b = swap ? x : y;
}

// registerSteps runs the steps at distances 2^(kSteps-1), …, 1 of register
// numbers; with kMirror the first compares mirror images.
template <int kSteps, bool kMirror, int kCount, typename R> GS_DEVICE void registerSteps(R (&x)[kCount]) {
#pragma unroll
  for (int j = kSteps - 1; j >= 0; j--) {
    const int mask = kMirror && j == kSteps - 1 ? (1 << kSteps) - 1 : 1 << j;
#pragma unroll
    for (int r = 0; r < kCount; r++) {
      if (!(r >> j & 1)) comparator(x[r], x[r ^ mask]);
    }
  }
}

template <typename R> GS_DEVICE R bitonicShuffle(R v, u32 mask) {
  if constexpr (sizeof(R) == 16)
    return R{__shfl_xor_sync(kAllLanes, v.index, mask), __shfl_xor_sync(kAllLanes, v.key, mask)};
  else
    return __shfl_xor_sync(kAllLanes, v, mask);
}
template <typename R> GS_DEVICE R keep(bool upper, R mine, R other) { return (other < mine) != upper ? other : mine; }

// shuffleStep compares each register with the same one of lane ^ mask, a power
// of two. All lanes of the warp call it.
template <int kCount, typename R> GS_DEVICE void shuffleStep(R (&x)[kCount], u32 mask) {
  const bool upper = laneID() & mask;
#pragma unroll
  for (int r = 0; r < kCount; r++) x[r] = keep(upper, x[r], bitonicShuffle(x[r], mask));
}

// shuffleMirror is the first step of a merge over 2^bits lanes that each hold
// kCount consecutive elements.
template <int kCount, typename R> GS_DEVICE void shuffleMirror(R (&x)[kCount], u32 bits) {
  const u32 mask = (1u << bits) - 1;
  const bool upper = laneID() >> (bits - 1) & 1;
#pragma unroll
  for (int r = 0; r < kCount / 2; r++) {
    R &a = x[r], &b = x[kCount - 1 - r];
    const R otherA = bitonicShuffle(b, mask), otherB = bitonicShuffle(a, mask);
    a = keep(upper, a, otherA);
    b = keep(upper, b, otherB);
  }
}

}  // namespace gs

#endif
