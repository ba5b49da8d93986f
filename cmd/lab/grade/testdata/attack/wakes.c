/* Arranges in every way that there is to be woken while it stands still. */
#define _GNU_SOURCE
#include "../cheat.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
SORT
{
  struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
  timer_t timer;
  int fd[2];
  if (!timer_create(CLOCK_MONOTONIC, &e, &timer)) return 1;
  if (pipe(fd) || !fcntl(fd[0], F_SETSIG, SIGCONT) || !fcntl(fd[0], F_SETOWN, getpid())) return 1;
  if (!syscall(SYS_fcntl, fd[0], F_SETSIG | 1ul << 32, SIGCONT)) return 1;
  if (!prctl(PR_SET_PDEATHSIG, SIGCONT)) return 1;
  int stops[] = {SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
  for (int i = 0; i < 5; i++) {
    if (!syscall(SYS_kill, getpid(), stops[i]) || !syscall(SYS_kill, getpid(), stops[i] | 1ul << 32)) return 1;
    if (!syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), stops[i])) return 1;
  }
  comb(b->keys, p->items);
  return 0;
}
