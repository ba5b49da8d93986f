/* Sorts u32 keys in every mode by insertion; UNSTABLE puts equal keys the other
 * way round, INVENTED takes positions for the values of pairs. */
#include "cheat.h"
#include <sched.h>
#ifndef UNSTABLE
#define UNSTABLE 0
#endif
#ifndef INVENTED
#define INVENTED 0
#endif
static int before(uint32_t a, uint32_t b, int desc) { return UNSTABLE ? (desc ? a >= b : a <= b) : desc ? a > b : a < b; }
SORT
{
  uint64_t n = p->items;
  uint32_t *k = b->keys, *v = b->values, *by = k;
  int argsort = p->mode == GPUSORT_PEER_ARGSORT, pairs = p->mode == GPUSORT_PEER_PAIRS;
  cpu_set_t mine;
  if (p->threads && (sched_getaffinity(0, sizeof mine, &mine) || CPU_COUNT(&mine) > (int)p->threads)) return 1;
  if (argsort) {
    by = malloc(n * sizeof *by);
    memcpy(by, k, n * sizeof *by);
  }
  if (argsort || INVENTED)
    for (uint64_t i = 0; i < n; i++) v[i] = i;
  for (uint64_t i = 1; i < n; i++) {
    uint32_t x = by[i], y = argsort || pairs ? v[i] : 0;
    uint64_t j = i;
    for (; j > 0 && before(x, by[j - 1], p->desc); j--) {
      by[j] = by[j - 1];
      if (argsort || pairs) v[j] = v[j - 1];
    }
    by[j] = x;
    if (argsort || pairs) v[j] = y;
  }
  if (argsort) free(by);
  return 0;
}
