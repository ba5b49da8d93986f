#include "radix.cuh"

int radixKeys(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) {
  switch (p.key_type) {
    case GPUSORT_PEER_U8: return radixKeysOf<uint8_t>(d, p, b, t);
    case GPUSORT_PEER_I8: return radixKeysOf<int8_t>(d, p, b, t);
    case GPUSORT_PEER_U16: return radixKeysOf<uint16_t>(d, p, b, t);
    case GPUSORT_PEER_I16: return radixKeysOf<int16_t>(d, p, b, t);
    case GPUSORT_PEER_U32: return radixKeysOf<uint32_t>(d, p, b, t);
    case GPUSORT_PEER_I32: return radixKeysOf<int32_t>(d, p, b, t);
    case GPUSORT_PEER_U64: return radixKeysOf<uint64_t>(d, p, b, t);
    case GPUSORT_PEER_I64: return radixKeysOf<int64_t>(d, p, b, t);
    case GPUSORT_PEER_F32: return radixKeysOf<float>(d, p, b, t);
    case GPUSORT_PEER_F64: return radixKeysOf<double>(d, p, b, t);
  }
  return kUnsupported;
}
