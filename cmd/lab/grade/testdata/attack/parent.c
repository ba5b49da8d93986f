/* Changes the limits, the priority or the processors of other processes. A call
 * that succeeds keeps it from sorting. */
#include "../cheat.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
SORT
{
  pid_t others[] = {getppid(), PARENT};
  for (int i = 0; i < 2; i++) {
    pid_t other = others[i];
    struct sched_param s = {0};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (other && !setpriority(PRIO_PROCESS, other, 19)) return 1;
    if (other && !sched_setscheduler(other, SCHED_IDLE, &s)) return 1;
    if (other && !sched_setaffinity(other, sizeof one, &one)) return 1;
    if (other && !syscall(SYS_ioprio_set, 1, other, 3 << 13)) return 1;
  }
  if (!setpriority(PRIO_USER, 0, 19) || !setpriority(PRIO_PGRP, 0, 19)) return 1;
  comb(b->keys, p->items);
  return 0;
}
