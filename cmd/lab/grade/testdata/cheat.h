/* What the cheating libraries of the tests share: everything of the interface
 * but gpusort_peer_sort. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <string.h>

#include "gpusort_peer.h"

#ifndef KEY_TYPES
#define KEY_TYPES (1u << GPUSORT_PEER_U32)
#endif
#ifndef TEMP
#define TEMP 0
#endif

static int ascending(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* An honest sort in place, without malloc. */
static void comb(uint32_t *x, uint64_t n)
{
  int swapped = 1;
  for (uint64_t gap = n; gap > 1 || swapped;) {
    gap = gap * 10 / 13;
    if (gap < 1) gap = 1;
    swapped = 0;
    for (uint64_t i = 0; i + gap < n; i++)
      if (ascending(x + i, x + i + gap) > 0) {
        uint32_t t = x[i];
        x[i] = x[i + gap];
        x[i + gap] = t;
        swapped = 1;
      }
  }
}

uint32_t gpusort_peer_abi(void) { return GPUSORT_PEER_ABI; }

int32_t gpusort_peer_get(uint32_t index, gpusort_peer_sorter *out)
{
  if (index) return 1;
  strcpy(out->name, "cheat");
  out->memory = GPUSORT_PEER_HOST;
  out->key_types = KEY_TYPES;
  out->modes = 7;
  out->value_bytes = 4;
  out->flags = GPUSORT_PEER_ALTERNATE | GPUSORT_PEER_DESC | GPUSORT_PEER_STABLE;
  return 0;
}

int32_t gpusort_peer_temp_bytes(uint32_t index, const gpusort_peer_problem *p, uint64_t *bytes)
{
  *bytes = TEMP;
  return 0;
}

void gpusort_peer_error(int32_t code, char *text, uint64_t bytes) { strncpy(text, "refuses", bytes); }

#define SORT int32_t gpusort_peer_sort(uint32_t index, const gpusort_peer_problem *p, gpusort_peer_buffers *b)
