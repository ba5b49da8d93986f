#include "radix.cuh"

int radixKeys(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) { return radixKeysBy<uint32_t>(d, p, b, t); }
