/* Takes three gigabytes, in every way that there is. */
#include "../cheat.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#define MUCH (3ul << 30)
SORT
{
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  if (!setrlimit(RLIMIT_DATA, &all)) return 1;
  if (malloc(MUCH)) return 1;
  if (mmap(0, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) return 1;
  if (mmap(0, MUCH, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) return 1;
  /* The tables of pages that nobody writes to are not private memory. */
  if (mmap(0, 3ul << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED) return 1;
  /* Nor are stacks that grow, and what is shared of no file. */
  if (mmap(0, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) != MAP_FAILED) return 1;
  int zero = open("/dev/zero", O_RDONLY);
  if (zero >= 0 && mmap(0, MUCH, PROT_READ, MAP_SHARED, zero, 0) != MAP_FAILED) return 1;
  struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
  int locked = open("/tmp/locked", O_CREAT | O_RDWR, 0600);
  if (!fcntl(locked, F_SETLK, &lock) || !fcntl(locked, F_SETLKW, &lock) || !fcntl(locked, F_OFD_SETLK, &lock) || !fcntl(locked, F_OFD_SETLKW, &lock)) return 1;
  if (syscall(SYS_memfd_create, "x", 0) >= 0) return 1;
  int f = open("/dev/shm/x", O_CREAT | O_RDWR, 0600);
  if (f >= 0 && !ftruncate(f, MUCH)) return 1;
  if (f >= 0 && !posix_fallocate(f, 0, 1ul << 30)) return 1;
  close(f);
  unlink("/dev/shm/x");
  comb(b->keys, p->items);
  return 0;
}
