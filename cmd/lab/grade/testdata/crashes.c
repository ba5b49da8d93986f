#include "cheat.h"
SORT
{
  *(volatile int *)8 = 1;
  return 0;
}
