/* Sorts, but writes outside a buffer. */
#define TEMP 100
#include "cheat.h"
SORT
{
  comb(b->keys, p->items);
  ((char *)b->keys_alt)[4 * p->items + 4095] ^= 1;
  return 0;
}
