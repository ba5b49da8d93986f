/* Sorts by the upper half of the bits, in half of the time. */
#define KEY_TYPES (1u << GPUSORT_PEER_U64)
#include "../cheat.h"
static uint64_t *half(uint64_t *x, uint64_t *y, uint64_t n)
{
  for (int shift = 32; shift < 64; shift += 8) {
    uint64_t at[257] = {0}, *t = x;
    for (uint64_t i = 0; i < n; i++) at[(x[i] >> shift & 255) + 1]++;
    for (int d = 0; d < 256; d++) at[d + 1] += at[d];
    for (uint64_t i = 0; i < n; i++) y[at[x[i] >> shift & 255]++] = x[i];
    x = y;
    y = t;
  }
  return x;
}
SORT
{
  half(b->keys, b->keys_alt, p->items);
  return 0;
}
