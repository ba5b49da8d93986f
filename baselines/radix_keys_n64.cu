#include "radix.cuh"

int radixKeysN64(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) { return radixKeysBy<uint64_t>(d, p, b, t); }
