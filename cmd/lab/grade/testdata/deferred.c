/* Returns at once and lets a thread sort. */
#include "cheat.h"
#include <pthread.h>
static void *keys;
static uint64_t n;
static void *later(void *unused)
{
  for (volatile int i = 0; i < 300000000; i++);
  comb(keys, n);
  return unused;
}
SORT
{
  pthread_t t;
  keys = b->keys;
  n = p->items;
  pthread_create(&t, 0, later, 0);
  return 0;
}
