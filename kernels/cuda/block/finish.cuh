// The last launch of a sort: whatever the passes left to do.
#ifndef GS_BLOCK_FINISH
#define GS_BLOCK_FINISH

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/vector.cuh"

namespace gs {

// Grid-stride range of this thread.
struct Stride {
  u64 first, step;
  GS_DEVICE Stride() : first(u64(blockIdx.x) * blockDim.x + threadIdx.x), step(u64(gridDim.x) * blockDim.x) {}
};

template <typename T> GS_DEVICE void copyItems(T* dst, const T* src, u64 n) {
  const Stride s;
  constexpr u64 kVector = 16 / sizeof(T);
  u64 done = 0;
  if ((reinterpret_cast<u64>(dst) | reinterpret_cast<u64>(src)) % 16 == 0) {
    for (u64 i = s.first; i < n / kVector; i += s.step)
      reinterpret_cast<uint4*>(dst)[i] = reinterpret_cast<const uint4*>(src)[i];
    done = n / kVector * kVector;
  }
  for (u64 i = done + s.first; i < n; i += s.step) dst[i] = src[i];
}

template <typename T> GS_DEVICE void reverseItems(T* x, u64 n) {
  const Stride s;
  for (u64 i = s.first; i < n / 2; i += s.step) {
    const T a = x[i], b = x[n - 1 - i];
    x[i] = b;
    x[n - 1 - i] = a;
  }
}

// fillDigits writes x[0, n): keyOf(d) from place starts[d] on, for every digit d; starts[kDigits] is n. A thread writes
// one vector: it finds the digit of the first key by bisection and walks on from there.
template <typename K, typename N, typename KeyOfDigit>
GS_DEVICE void fillDigits(K* x, N n, const N* starts, KeyOfDigit keyOf) {
  constexpr u32 kVector = KeyVector<K>::kKeys;
  const N misaligned = N(reinterpret_cast<u64>(x) % 16 / sizeof(K));
  // Vector 0 starts at or before x: its first `misaligned` keys do not exist.
  const N vectors = (n + misaligned + kVector - 1) / kVector, step = N(gridDim.x) * blockDim.x;
  for (N i = N(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors; i += step) {
    const N begin = i == 0 ? 0 : i * kVector - misaligned, end = least((i + 1) * kVector - misaligned, n);
    u32 d = 0;  // the last digit that starts at or before begin
#pragma unroll
    for (u32 half = kDigits / 2; half > 0; half /= 2) {
      if (starts[d + half] <= begin) d += half;
    }
    K key = keyOf(d);
    if (end - begin == kVector) {
      KeyVector<K> v;
#pragma unroll
      for (u32 j = 0; j < kVector; j++) {
        if (begin + j >= starts[d + 1]) {
          while (begin + j >= starts[d + 1]) d++;
          key = keyOf(d);
        }
        v.k[j] = key;
      }
      *reinterpret_cast<uint4*>(x + begin) = v.raw;
    } else {
      for (N at = begin; at < end; at++) {
        while (at >= starts[d + 1]) d++;
        x[at] = keyOf(d);
      }
    }
  }
}

// fillItems writes the sorted keys from the counts of the one digit that varies.
template <typename K> GS_DEVICE void fillItems(K* x, u64 n, const Control* c, u32 codec, u64* starts) {
  const u32 p = c->fillPass;
  const u64 bits = c->fillBits;
  const Narrower<K> narrower(c->narrow);
  for (u32 d = threadIdx.x; d < kDigits; d += blockDim.x) starts[d] = c->start[p][0][d];
  if (threadIdx.x == 0) starts[kDigits] = n;
  __syncthreads();
  const auto keyOf = [&](u32 digit) { return decode(codec, narrower.widen(K(bits | u64(digit) << (kDigitBits * p)))); };
  fillDigits<K, u64>(x, n, starts, keyOf);
}

template <typename K, typename V, bool kPairs>
GS_DEVICE void finish(void* keysIO, void* keysA, void* valuesIO, void* valuesA, u64 n, const Control* c, u32 codec) {
  __shared__ u64 starts[kPairs ? 1 : kDigits + 1];
  K* keys = static_cast<K*>(keysIO);
  V* values = static_cast<V*>(valuesIO);
  switch (c->finish) {
    case kFinishCopy:
      copyItems(keys, static_cast<const K*>(keysA), n);
      if (kPairs) copyItems(values, static_cast<const V*>(valuesA), n);
      break;
    case kFinishReverse:
      reverseItems(keys, n);
      if (kPairs) reverseItems(values, n);
      break;
    case kFinishFill:
      if constexpr (!kPairs) fillItems(keys, n, c, codec, starts);
      break;
    case kFinishIota:
    case kFinishIotaReverse:
      if (kPairs) {
        const bool reverse = c->finish == kFinishIotaReverse;
        const Stride s;
        for (u64 i = s.first; i < n; i += s.step) values[i] = V(reverse ? n - 1 - i : i);
      }
      break;
  }
}

}  // namespace gs

#endif
