/* Starts three thousand threads. */
#include "../cheat.h"
#include <pthread.h>
#include <unistd.h>
static void *wait_for_ever(void *x)
{
  for (;;) pause();
  return x;
}
SORT
{
  static int started;
  pthread_attr_t small;
  pthread_t t;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  while (started < 3000 && !pthread_create(&t, &small, wait_for_ever, 0)) started++;
  if (started >= 3000) return 1;
  comb(b->keys, p->items);
  return 0;
}
