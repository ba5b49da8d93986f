/* Sorts, but writes outside a buffer. */
#define TEMP 100
#include "cheat.h"
SORT
{
  comb(b->keys, p->items);
  ((uint32_t *)b->keys)[p->items] = 7;
  return 0;
}
