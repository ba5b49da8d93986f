/* Types into the teacher's shell. A terminal that opens, or takes what is typed,
 * keeps it from sorting. */
#include "../cheat.h"
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
SORT
{
  glob_t g;
  memset(&g, 0, sizeof g);
  glob("/dev/pts/*", 0, 0, &g);
  glob("/dev/tty*", GLOB_APPEND, 0, &g);
  glob("/dev/console", GLOB_APPEND, 0, &g);
  for (size_t i = 0; i < g.gl_pathc; i++)
    if (open(g.gl_pathv[i], O_RDWR | O_NOCTTY) >= 0) return 1;
  if (open("/dev/tty", O_RDWR) >= 0) return 1;
  for (int fd = 0; fd < 64; fd++)
    if (!ioctl(fd, TIOCSTI, "x") || !ioctl(fd, TIOCSTI | 1ul << 32, "x")) return 1;
  printf("\033[2J7 of 7 points\r\n");
  fflush(stdout);
  comb(b->keys, p->items);
  return 0;
}
