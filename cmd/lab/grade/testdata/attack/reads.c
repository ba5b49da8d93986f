/* Reads the file of another student. */
#include "../cheat.h"
#include <fcntl.h>
SORT
{
  if (open(OTHER, O_RDONLY) >= 0) return 1;
  comb(b->keys, p->items);
  return 0;
}
