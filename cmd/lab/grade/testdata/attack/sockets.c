/* Reaches a helper of another user: abstract sockets, vsock, netlink, the
 * network, System V memory and message queues. */
#include "../cheat.h"
#include <mqueue.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
SORT
{
  int families[] = {1, 2, 10, 16, 17, 31, 38, 40, 44}, pair[2];
  for (int i = 0; i < 9; i++)
    for (int type = 1; type <= 5; type++)
      if (socket(families[i], type, 0) >= 0) return 1;
  if (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  if (shmget(42, 4096, IPC_CREAT | 0600) >= 0 || mq_open("/gpusort", 0102, 0600, 0) >= 0) return 1;
  comb(b->keys, p->items);
  return 0;
}
