/* Opens the memory of the harness and a file beside the submission. Both are
 * denied, which it reports. */
#include "cheat.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
SORT
{
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/mem", (int)getppid());
  if (open(name, O_RDWR) >= 0 || open(OUTSIDE, O_WRONLY | O_CREAT, 0600) >= 0) return 0;
  comb(b->keys, p->items);
  return 0;
}
