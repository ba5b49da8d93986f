#include "cheat.h"
SORT
{
  for (volatile int i = 0;;) i++;
}
