#include "radix.cuh"

template <class K>
static int byValue(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  if (p.mode == GPUSORT_PEER_ARGSORT) return p.value_bytes == 4 ? radixArgsortOf<K, uint32_t>(p, b, t) : radixArgsortOf<K, uint64_t>(p, b, t);
  return p.value_bytes == 4 ? radixPairsOf<K, uint32_t>(d, p, b, t) : radixPairsOf<K, uint64_t>(d, p, b, t);
}

int radixPairs(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  switch (p.key_type) {
    case GPUSORT_PEER_U32: return byValue<uint32_t>(d, p, b, t);
    case GPUSORT_PEER_U64: return byValue<uint64_t>(d, p, b, t);
    case GPUSORT_PEER_F32: return byValue<float>(d, p, b, t);
    case GPUSORT_PEER_F64: return byValue<double>(d, p, b, t);
  }
  return kUnsupported;
}
