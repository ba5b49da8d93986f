/* Climbs out of a folder that the grader was started with, as shells leave them
 * open. */
#include "../cheat.h"
#include <fcntl.h>
SORT
{
  for (int fd = 0; fd < 1024; fd++)
    if (openat(fd, "..", O_RDONLY | O_DIRECTORY) >= 0) return 1;
  comb(b->keys, p->items);
  return 0;
}
