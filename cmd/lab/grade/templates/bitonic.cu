/* Bitonic sort for any n: a submission to start from.
 *
 *   gpusort grade mysort.cu --rubric lab2.toml
 *
 * gpusort_plan says which kernels run, in what order and with what numbers. It
 * sees n and not the keys. It runs on the device, once for each n, before the
 * clock starts. Kernels are GPUSORT_KERNEL(0) to GPUSORT_KERNEL(15); each gets
 * GPUSORT_KEYS, GPUSORT_KEYS_ALT (room for n keys), GPUSORT_TEMP, n and the
 * step's a, b, c, d.
 *
 * One step of the network that sorts any n: in blocks of 2^(a+1) keys, the
 * first step (b == a) compares mirror images, the later ones keys 2^b apart.
 * Then every comparison puts the smaller key first, and keys past n, thought
 * to be the greatest, never move.
 */
typedef unsigned long long u64;

GPUSORT_KERNEL(0)
{
  gpusort_key *keys = GPUSORT_KEYS;
  u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  u64 width = (u64)1 << b;
  u64 low = (t >> b << (b + 1)) + (t & (width - 1));
  u64 high = a == b ? (low | (2 * width - 1)) - (t & (width - 1)) : low + width;
  if (high < n && GPUSORT_BEFORE(keys[high], keys[low])) {
    gpusort_key x = keys[low];
    keys[low] = keys[high];
    keys[high] = x;
  }
}

__device__ void gpusort_plan(gpusort_plan_t *plan, u64 n)
{
  unsigned s = 0;
  unsigned items = min(256u, plan->max_local);
  for (unsigned a = 0; ((u64)1 << a) < n; a++) {
    for (int b = (int)a; b >= 0; b--) {
      /* One thread per pair of keys, the last block of pairs whole. */
      u64 pairs = (n + ((u64)2 << a) - 1) >> (a + 1) << a;
      plan->step[s].number = 0;
      plan->step[s].groups = (unsigned)((pairs + items - 1) / items);
      plan->step[s].local_items = items;
      plan->step[s].shared = 0;
      plan->step[s].a = a;
      plan->step[s].b = (unsigned)b;
      s++;
    }
  }
  plan->steps = s;
  plan->result = 0;
  plan->temp = 0;
}
