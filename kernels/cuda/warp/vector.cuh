// Keys in device memory as vectors of 16 bytes.
#ifndef GS_WARP_VECTOR
#define GS_WARP_VECTOR

#include "warp/word.cuh"

namespace gs {

template <typename K> union KeyVector {
  static constexpr u32 kKeys = 16 / sizeof(K);
  uint4 raw;
  K k[kKeys];
};

// WholeVectors are the vectors that lie in keys[0, n) as a whole: `many` of them, behind `head` keys. Before them and
// behind them are fewer keys than one has.
template <typename K, typename N> struct WholeVectors {
  N head, many;
  const uint4* body;
  GS_DEVICE WholeVectors(const K* keys, N n) {
    constexpr u32 kKeys = KeyVector<K>::kKeys;
    const u32 misaligned = u32(reinterpret_cast<u64>(keys) % 16 / sizeof(K));
    head = least(N(misaligned == 0 ? 0 : kKeys - misaligned), n);
    many = (n - head) / kKeys;
    body = reinterpret_cast<const uint4*>(keys + head);
  }
};

}  // namespace gs

#endif
