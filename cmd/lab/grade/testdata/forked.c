/* Lets another process sort. */
#include "cheat.h"
#include <unistd.h>
SORT
{
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    usleep(1000);
    comb(b->keys, p->items);
    _exit(0);
  }
  return 0;
}
