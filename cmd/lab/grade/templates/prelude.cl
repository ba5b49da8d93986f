/* What the grader puts before an OpenCL C submission, behind types.h. */
typedef struct {
  uint number; /* of the kernel: GPUSORT_KERNEL(number) */
  uint groups; /* work-groups */
  uint local_items; /* work-items per group */
  uint shared; /* bytes of dynamic local memory, for GPUSORT_KERNEL_SHARED */
  uint a, b, c, d; /* whatever the kernel needs */
} gpusort_step;

typedef struct {
  uint steps;      /* out: how many of step are to run, in order */
  uint result;     /* out: 0 if the result lies in keys, 1 if in keys_alt */
  ulong temp;      /* out: bytes of temporary storage */
  uint max_local;  /* in: most work-items per group */
  uint units;      /* in: compute units of the device */
  ulong max_steps; /* in: how many step can hold */
  gpusort_step step[1];
} gpusort_plan_t;

#define GPUSORT_GLOBAL __global
#define GPUSORT_DEVICE
#define GPUSORT_PARAMS                                                        \
  __global uchar *gpusort_keys_, ulong gpusort_keys_off_,                     \
  __global uchar *gpusort_alt_, ulong gpusort_alt_off_,                       \
  __global uchar *gpusort_values_, ulong gpusort_values_off_,                 \
  __global uchar *gpusort_values_alt_, ulong gpusort_values_alt_off_,         \
  __global uchar *gpusort_temp_, ulong gpusort_temp_off_,                     \
  ulong n, uint a, uint b, uint c, uint d
#define GPUSORT_KEYS ((__global gpusort_key *)(gpusort_keys_ + gpusort_keys_off_))
#define GPUSORT_KEYS_ALT ((__global gpusort_key *)(gpusort_alt_ + gpusort_alt_off_))
#define GPUSORT_VALUES ((__global gpusort_value *)(gpusort_values_ + gpusort_values_off_))
#define GPUSORT_VALUES_ALT ((__global gpusort_value *)(gpusort_values_alt_ + gpusort_values_alt_off_))
#define GPUSORT_TEMP ((__global void *)(gpusort_temp_ + gpusort_temp_off_))
#define GPUSORT_KERNEL(number) __kernel void gpusort_##number(GPUSORT_PARAMS)
#define GPUSORT_KERNEL_SHARED(number) \
  __kernel void gpusort_##number(GPUSORT_PARAMS, __local ulong *shared)

void gpusort_plan(__global gpusort_plan_t *plan, ulong n);
