/* Changes the modes of files of the grader's user that it still reaches: of the grader's
 * program, which each of its processes was started from, and of what it was handed. */
#define _GNU_SOURCE
#include "../cheat.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
SORT
{
  int program = open("/proc/self/exe", O_RDONLY);
  if (program < 0) return 2;
  if (!fchmod(program, 04777) || !chmod("/proc/self/exe", 04777)) return 1;
  if (!syscall(SYS_fchmodat, AT_FDCWD, "/proc/self/exe", 04777)) return 1;
  if (!futimens(program, 0) || !fchown(program, -1, getgid())) return 1;
  if (open("/proc/self/exe", O_WRONLY) >= 0 || !truncate("/proc/self/exe", 0)) return 1;
  if (!fchmod(0, 0)) return 1;
  close(program);
  comb(b->keys, p->items);
  return 0;
}
