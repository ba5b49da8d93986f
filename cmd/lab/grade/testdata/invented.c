/* Writes some sorted keys instead of the given ones. */
#include "cheat.h"
SORT
{
  uint32_t *x = b->keys;
  for (uint64_t i = 0; i < p->items; i++) x[i] = i;
  return 0;
}
