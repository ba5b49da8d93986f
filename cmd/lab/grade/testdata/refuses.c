#include "cheat.h"
SORT { return 42; }
