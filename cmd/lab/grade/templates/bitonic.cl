/* Bitonic sort for any n: a submission to start from.
 *
 *   gpusort grade mysort.cl --rubric lab2.toml
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
GPUSORT_KERNEL(0)
{
  GPUSORT_GLOBAL gpusort_key *keys = GPUSORT_KEYS;
  ulong t = get_global_id(0);
  ulong width = (ulong)1 << b;
  ulong low = (t >> b << (b + 1)) + (t & (width - 1));
  ulong high = a == b ? (low | (2 * width - 1)) - (t & (width - 1)) : low + width;
  if (high < n && GPUSORT_BEFORE(keys[high], keys[low])) {
    gpusort_key x = keys[low];
    keys[low] = keys[high];
    keys[high] = x;
  }
}

GPUSORT_DEVICE void gpusort_plan(GPUSORT_GLOBAL gpusort_plan_t *plan, ulong n)
{
  uint s = 0;
  uint items = min((uint)256, plan->max_local);
  for (uint a = 0; ((ulong)1 << a) < n; a++) {
    for (int b = (int)a; b >= 0; b--) {
      /* One work-item per pair of keys, the last block of pairs whole. */
      ulong pairs = (n + ((ulong)2 << a) - 1) >> (a + 1) << a;
      plan->step[s].number = 0;
      plan->step[s].groups = (uint)((pairs + items - 1) / items);
      plan->step[s].local_items = items;
      plan->step[s].shared = 0;
      plan->step[s].a = a;
      plan->step[s].b = (uint)b;
      s++;
    }
  }
  plan->steps = s;
  plan->result = 0;
  plan->temp = 0;
}
