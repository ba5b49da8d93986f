// The order codec of internal/key/codec.go: bit patterns to unsigned integers
// whose natural order is the wanted one, and back. codec is key.Codec's number.
#ifndef GS_WARP_CODEC
#define GS_WARP_CODEC

#include "warp/word.cuh"

namespace gs {

constexpr u32 kCodecSigned = 1;
constexpr u32 kCodecFloatNaNFirst = 2;
constexpr u32 kCodecFloatNaNLast = 3;
constexpr u32 kCodecDesc = 4;

// Sign bit, bits of +Inf and number of NaN patterns of one sign, for a float
// of U's width.
template <typename U> struct Float;
template <> struct Float<u32> {
  typedef int Signed;
  static constexpr u32 sign = 0x80000000u, inf = 0x7f800000u, nans = 0x007fffffu;
};
template <> struct Float<u64> {
  typedef long long Signed;
  static constexpr u64 sign = 0x8000000000000000ull, inf = 0x7ff0000000000000ull, nans = 0x000fffffffffffffull;
};

// signOf is all ones if the sign bit is set, and 0 if not.
template <typename U> GS_HOST_DEVICE U signOf(U u) { return U(typename Float<U>::Signed(u) >> (8 * sizeof(U) - 1)); }

// Negative NaNs, whose complements are below the number of NaNs of a sign, are turned round: they come behind
// positive ones, ascending, and those, by the addition's wrapping, before or behind all others.
template <typename U> GS_HOST_DEVICE U encodeFloat(bool last, U u) {
  typedef Float<U> F;
  U y = u ^ (signOf(u) | F::sign);
  if (y < F::nans) y = F::nans - 1 - y;
  return last ? y - F::nans : y + F::nans;
}

template <typename U> GS_HOST_DEVICE U decodeFloat(bool last, U u) {
  typedef Float<U> F;
  U y = last ? u + F::nans : u - F::nans;
  if (y < F::nans) y = F::nans - 1 - y;
  return y ^ (~signOf(y) | F::sign);
}

// encode returns the unsigned encoded key of the one with bit pattern u. The float
// codecs exist for 32 and 64 bits only.
template <typename U> GS_HOST_DEVICE U encode(u32 codec, U u) {
  u32 map = codec & 3;
  if (map == kCodecSigned) u = U(u ^ (U(1) << (8 * sizeof(U) - 1)));
  if constexpr (sizeof(U) >= 4) {
    if (map >= kCodecFloatNaNFirst) u = encodeFloat(map == kCodecFloatNaNLast, u);
  }
  return (codec & kCodecDesc) ? U(~u) : u;
}

// decode undoes encode.
template <typename U> GS_HOST_DEVICE U decode(u32 codec, U u) {
  if (codec & kCodecDesc) u = U(~u);
  u32 map = codec & 3;
  if (map == kCodecSigned) u = U(u ^ (U(1) << (8 * sizeof(U) - 1)));
  if constexpr (sizeof(U) >= 4) {
    if (map >= kCodecFloatNaNFirst) u = decodeFloat(map == kCodecFloatNaNLast, u);
  }
  return u;
}

// encodeAll and decodeAll apply the codec to a thread's keys: one uniform branch for all where there is nothing to do.
template <int kItems, typename K> GS_HOST_DEVICE void encodeAll(u32 codec, K (&k)[kItems]) {
  if (codec == 0) return;
#pragma unroll
  for (int i = 0; i < kItems; i++) k[i] = encode(codec, k[i]);
}
template <int kItems, typename K> GS_HOST_DEVICE void decodeAll(u32 codec, K (&k)[kItems]) {
  if (codec == 0) return;
#pragma unroll
  for (int i = 0; i < kItems; i++) k[i] = decode(codec, k[i]);
}

}  // namespace gs

#endif
