#include "radix.cuh"

int radixPairs(bool d, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &t) { return radixPairsBy<uint32_t>(d, p, b, t); }
