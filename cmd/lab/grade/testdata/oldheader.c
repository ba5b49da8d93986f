#include "cheat.h"
/* Without gpusort_peer_sort the library cannot be used. */
