#include "radix.cuh"

int radixPairsN64(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) { return radixPairsBy<uint64_t>(d, p, b, t); }
