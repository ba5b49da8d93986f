/* Heap sort as a shared library: a submission to start from.
 *
 *   cc -O2 -shared -fPIC -I include -o heapsort.so heapsort.c
 *   gpusort grade heapsort.so --rubric lab2.toml
 *
 * include/gpusort_peer.h explains the functions. This one sorts u32 and i32
 * keys in host memory.
 */
#include <string.h>

#include "gpusort_peer.h"

/* bias makes signed keys compare as unsigned ones. */
static void sift(uint32_t *x, uint64_t root, uint64_t n, uint32_t bias)
{
  uint32_t v = x[root];
  for (;;) {
    uint64_t child = 2 * root + 1;
    if (child >= n) break;
    if (child + 1 < n && (x[child] ^ bias) < (x[child + 1] ^ bias)) child++;
    if ((x[child] ^ bias) <= (v ^ bias)) break;
    x[root] = x[child];
    root = child;
  }
  x[root] = v;
}

uint32_t gpusort_peer_abi(void) { return GPUSORT_PEER_ABI; }

int32_t gpusort_peer_get(uint32_t index, gpusort_peer_sorter *out)
{
  if (index != 0) return 1;
  strcpy(out->name, "my-heapsort");
  strcpy(out->doc, "heap sort, one thread");
  out->memory = GPUSORT_PEER_HOST;
  out->key_types = 1u << GPUSORT_PEER_U32 | 1u << GPUSORT_PEER_I32;
  out->modes = 1u << GPUSORT_PEER_KEYS;
  return 0;
}

int32_t gpusort_peer_temp_bytes(uint32_t index, const gpusort_peer_problem *p, uint64_t *bytes)
{
  (void)index;
  (void)p;
  *bytes = 0;
  return 0;
}

int32_t gpusort_peer_sort(uint32_t index, const gpusort_peer_problem *p, gpusort_peer_buffers *b)
{
  uint32_t *x = b->keys, bias = p->key_type == GPUSORT_PEER_I32 ? 0x80000000u : 0;
  (void)index;
  for (uint64_t i = p->items / 2; i-- > 0;) sift(x, i, p->items, bias);
  for (uint64_t end = p->items; end-- > 1;) {
    uint32_t top = x[0];
    x[0] = x[end];
    x[end] = top;
    sift(x, 0, end, bias);
  }
  b->result = 0;
  return 0;
}

void gpusort_peer_error(int32_t code, char *text, uint64_t bytes)
{
  (void)code;
  if (bytes > 0) text[0] = 0;
}
