/* Fills the grader's pipe to its process, so that the grader would wait for ever
 * to be heard. */
#include "../cheat.h"
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *fill(void *pipe)
{
  static char junk[4096];
  while (write(*(int *)pipe, junk, sizeof junk) > 0) continue;
  return 0;
}
SORT
{
  static int pipe = -1;
  pthread_t t;
  comb(b->keys, p->items);
  if (pipe >= 0) return 0;
  fcntl(3, F_SETPIPE_SZ, 4096);
  pipe = open("/proc/self/fd/3", O_WRONLY);
  if (pipe < 0) return 1; /* another user's */
  for (int i = 0; i < 2; i++)
    if (pthread_create(&t, 0, fill, &pipe)) return 1;
  return usleep(100000);
}
