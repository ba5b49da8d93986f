// Pairs and argsort by a network: elements of an encoded key and the position
// that it came from, of 64 bits (32 for each) or 128. The order of positions
// makes the sort stable. Launch of all: any blocks × threads; positions are
// below n.
//
//   join    elements[i] = (encoded key of keys[i], i)
//   then the network sorts the elements, and for an argsort
//   values  values[i] = low part of elements[i]
//   or for pairs
//   keys    keys[i] = key of elements[i]
//   fetch   low part of elements[i] (all of an element of 64 bits)
//           = values[position in elements[i]]
//   values  as above
#ifndef GS_BLOCK_BITONIC_PAIRS
#define GS_BLOCK_BITONIC_PAIRS

#include "block/bitonic_step.cuh"

namespace gs {

GS_DEVICE void bitonicJoin(u64* element, u64 encoded, u64 i) { *element = encoded << 32 | i; }
GS_DEVICE void bitonicJoin(BitonicPair* element, u64 encoded, u64 i) { *element = BitonicPair{i, encoded}; }
GS_DEVICE u64 bitonicKey(u64 element) { return element >> 32; }
GS_DEVICE u64 bitonicKey(const BitonicPair& element) { return element.key; }
GS_DEVICE u64 bitonicIndex(u64 element) { return u32(element); }
GS_DEVICE u64 bitonicIndex(const BitonicPair& element) { return element.index; }
GS_DEVICE u64* bitonicLow(u64* element) { return element; }
GS_DEVICE u64* bitonicLow(BitonicPair* element) { return &element->index; }

template <typename K, typename E> GS_DEVICE void bitonicJoinAll(const K* keys, E* elements, u64 n, u32 codec) {
  for (u64 i = bitonicThread(); i < n; i += bitonicThreads()) bitonicJoin(elements + i, encode(codec, keys[i]), i);
}
template <typename K, typename E> GS_DEVICE void bitonicKeysAll(K* keys, const E* elements, u64 n, u32 codec) {
  for (u64 i = bitonicThread(); i < n; i += bitonicThreads()) keys[i] = decode(codec, K(bitonicKey(elements[i])));
}
template <typename V, typename E> GS_DEVICE void bitonicFetchAll(E* elements, const V* values, u64 n) {
  for (u64 i = bitonicThread(); i < n; i += bitonicThreads())
    *bitonicLow(elements + i) = values[bitonicIndex(elements[i])];
}
// An argsort wants the position without the key above it.
template <typename V, typename E> GS_DEVICE void bitonicValuesAll(E* elements, V* values, u64 n, u32 argsort) {
  for (u64 i = bitonicThread(); i < n; i += bitonicThreads())
    values[i] = V(argsort ? bitonicIndex(elements[i]) : *bitonicLow(elements + i));
}

}  // namespace gs

#endif
