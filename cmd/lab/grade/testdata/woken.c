/* Lets a timer send the signal that continues a stopped process, and a thread
 * finish the work then. */
#include "cheat.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>
static void *keys;
static uint64_t n;
static void *later(void *unused)
{
  for (volatile long i = 0; i < 300000000; i++);
  comb(keys, n);
  return unused;
}
SORT
{
  struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
  struct itimerspec when = {.it_value = {0, 1000}, .it_interval = {0, 20000}};
  timer_t timer;
  pthread_t t;
  if (timer_create(CLOCK_MONOTONIC, &e, &timer)) return 1;
  timer_settime(timer, 0, &when, 0);
  keys = b->keys;
  n = p->items;
  pthread_create(&t, 0, later, 0);
  return 0;
}
