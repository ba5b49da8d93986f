/* A peer library for tests: a stable insertion sort of u32 pairs into the
 * alternate buffers, and a sorter that always fails. */
#include "gpusort_peer.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(gpusort_peer_sorter) == 288, "internal/peer/abi.go");
_Static_assert(offsetof(gpusort_peer_sorter, max_items) == 280, "internal/peer/abi.go");
_Static_assert(sizeof(gpusort_peer_problem) == 32, "internal/peer/abi.go");
_Static_assert(sizeof(gpusort_peer_buffers) == 64, "internal/peer/abi.go");
_Static_assert(offsetof(gpusort_peer_buffers, result) == 56, "internal/peer/abi.go");

uint32_t gpusort_peer_abi(void) { return GPUSORT_PEER_ABI; }

int32_t gpusort_peer_get(uint32_t index, gpusort_peer_sorter *out) {
  if (index > 1) return 1;
  strcpy(out->name, index ? "c-fails" : "c-insertion");
  strcpy(out->version, "1");
  out->memory = GPUSORT_PEER_HOST;
  out->key_types = 1u << GPUSORT_PEER_U32;
  out->modes = 1u << GPUSORT_PEER_KEYS | 1u << GPUSORT_PEER_PAIRS;
  out->value_bytes = 4;
  out->flags = GPUSORT_PEER_STABLE | GPUSORT_PEER_ALTERNATE;
  return 0;
}

int32_t gpusort_peer_temp_bytes(uint32_t index, const gpusort_peer_problem *p, uint64_t *bytes) {
  *bytes = 4 * p->items;
  return 0;
}

int32_t gpusort_peer_sort(uint32_t index, const gpusort_peer_problem *p, gpusort_peer_buffers *b) {
  if (index == 1) return p->items == 1 ? 8 : 7;
  const uint32_t *k = b->keys, *v = b->values;
  uint32_t *ka = b->keys_alt, *va = b->values_alt;
  for (uint64_t i = 0; i < p->items; i++) {
    uint64_t j = i;
    for (; j > 0 && ka[j - 1] > k[i]; j--) {
      ka[j] = ka[j - 1];
      if (va) va[j] = va[j - 1];
    }
    ka[j] = k[i];
    if (va) va[j] = v[i];
  }
  b->result = 1;
  return 0;
}

void gpusort_peer_error(int32_t code, char *text, uint64_t bytes) {
  snprintf(text, bytes, "%s", code == 7 ? "out of coffee" : code == 8 ? "" : "unknown");
}
