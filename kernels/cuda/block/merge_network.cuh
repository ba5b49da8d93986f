// A sorting network in registers: Batcher's odd-even merge sort (1968) for any
// number of items, with all indices known to the compiler.
#ifndef GS_BLOCK_MERGE_NETWORK
#define GS_BLOCK_MERGE_NETWORK

#include "warp/word.cuh"

namespace gs {

// compareExchange puts the items in order. Items of pairs carry their position
// x in the tile, all different, as the less significant part of the key, which
// makes the network, in itself unstable, stable. Equal keys alone are equal
// bits.
template <bool kPairs, typename K> GS_DEVICE void compareExchange(K& a, K& b, u32& xa, u32& xb) {
  if constexpr (kPairs) {
    const bool swap = b < a || (a == b && xb < xa);
    const K k = swap ? a : b;
    a = swap ? b : a, b = k;
    const u32 x = swap ? xa : xb;
    xa = swap ? xb : xa, xb = x;
  } else {
    const K smaller = b < a ? b : a, larger = b < a ? a : b;
    a = smaller, b = larger;
  }
}

// One step of the network: items kStep apart, in runs of kRun that are merged.
template <int kRun, int kStep, bool kPairs, int kItems, typename K>
GS_DEVICE void networkStep(K (&k)[kItems], u32 (&x)[kPairs ? kItems : 1]) {
  constexpr int kFirst = kStep % kRun;
#pragma unroll
  for (int i = 0; i + kStep < kItems; i++) {
    if (i >= kFirst && (i - kFirst) / kStep % 2 == 0 && i / (2 * kRun) == (i + kStep) / (2 * kRun))
      compareExchange<kPairs>(k[i], k[i + kStep], x[kPairs ? i : 0], x[kPairs ? i + kStep : 0]);
  }
  if constexpr (kStep > 1) networkStep<kRun, kStep / 2, kPairs>(k, x);
}

// networkSort sorts kItems keys with their positions x (pairs only).
template <bool kPairs, int kRun = 1, int kItems, typename K>
GS_DEVICE void networkSort(K (&k)[kItems], u32 (&x)[kPairs ? kItems : 1]) {
  if constexpr (kRun < kItems) {
    networkStep<kRun, kRun, kPairs>(k, x);
    networkSort<kPairs, 2 * kRun>(k, x);
  }
}

}  // namespace gs

#endif
