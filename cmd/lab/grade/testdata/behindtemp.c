/* Sorts, but writes outside a buffer. */
#define TEMP 100
#include "cheat.h"
SORT
{
  comb(b->keys, p->items);
  ((char *)b->temp)[TEMP] ^= 1;
  return 0;
}
