/* Sets the harness's limit of processor time. */
#include "../cheat.h"
#include <sys/resource.h>
#include <unistd.h>
SORT
{
  struct rlimit none = {0, 0};
  if (!prlimit(PARENT, RLIMIT_CPU, &none, 0)) return 1;
  comb(b->keys, p->items);
  return 0;
}
