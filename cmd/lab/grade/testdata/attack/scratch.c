/* Takes its scratch memory where nobody counts it. */
#include "../cheat.h"
SORT
{
  uint32_t *x = malloc(16 * p->items * sizeof *x);
  if (!x) return 1;
  memcpy(x, b->keys, p->items * sizeof *x);
  comb(x, p->items);
  memcpy(b->keys, x, p->items * sizeof *x);
  free(x);
  return 0;
}
