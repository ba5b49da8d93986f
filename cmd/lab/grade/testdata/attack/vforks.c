/* Waits in the kernel for a thread that never ends, so that it cannot be
 * stopped; in other ways it would start processes. */
#include "../cheat.h"
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
static int forever(void *x)
{
  for (;;) pause();
  return 0;
}
SORT
{
  static char stack[9][65536];
  int f[] = {CLONE_VM | CLONE_VFORK, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK, CLONE_VFORK, 0, CLONE_PARENT,
             CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWUTS, CLONE_NEWUSER};
  for (int i = 0; i < 7; i++)
    if (clone(forever, stack[i] + 65536, f[i], 0) >= 0) return 1;
  if (fork() >= 0 || vfork() >= 0 || !unshare(CLONE_NEWUSER)) return 1;
  uint64_t args[11] = {CLONE_VFORK | CLONE_VM, [7] = 0};
  if (syscall(SYS_clone3, args, sizeof args) >= 0) return 1;
  comb(b->keys, p->items);
  return 0;
}
