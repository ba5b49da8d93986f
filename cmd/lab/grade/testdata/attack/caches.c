/* Leaves files for its next grading, which would find them. */
#include "../cheat.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static void leave(const char *dir, int *found)
{
  char name[300];
  snprintf(name, sizeof name, "%s/gpusort-answers", dir);
  int f = open(name, O_RDONLY);
  *found |= f >= 0;
  close(f);
  close(open(name, O_CREAT | O_WRONLY, 0600));
}
static int found;
__attribute__((constructor)) static void start(void)
{
  const char *dirs[] = {"/dev/shm", "/tmp", "/var/tmp", "/run", "/usr/lib", "/"};
  for (int i = 0; i < 6; i++) leave(dirs[i], &found);
}
SORT
{
  if (found) return 1;
  comb(b->keys, p->items);
  return 0;
}
