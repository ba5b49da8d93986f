#include "cheat.h"
#include <unistd.h>
SORT
{
  if (p->items > 1) _exit(0);
  return 0;
}
