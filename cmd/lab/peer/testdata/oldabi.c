/* A peer library of another interface version. */
#include "gpusort_peer.h"

uint32_t gpusort_peer_abi(void) { return 99; }
int32_t gpusort_peer_get(uint32_t index, gpusort_peer_sorter *out) { return 1; }
int32_t gpusort_peer_temp_bytes(uint32_t index, const gpusort_peer_problem *p, uint64_t *bytes) { return 1; }
int32_t gpusort_peer_sort(uint32_t index, const gpusort_peer_problem *p, gpusort_peer_buffers *b) { return 1; }
void gpusort_peer_error(int32_t code, char *text, uint64_t bytes) {}
