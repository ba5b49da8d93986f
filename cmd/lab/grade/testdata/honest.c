#include "cheat.h"
SORT
{
  comb(b->keys, p->items);
  return 0;
}
