/* What the grader puts before a CUDA submission, behind types.h. */
typedef struct {
  unsigned number; /* of the kernel: GPUSORT_KERNEL(number) */
  unsigned groups; /* blocks */
  unsigned local_items; /* threads per block */
  unsigned shared; /* bytes of dynamic shared memory */
  unsigned a, b, c, d; /* whatever the kernel needs */
} gpusort_step;

typedef struct {
  unsigned steps;     /* out: how many of step are to run, in order */
  unsigned result;    /* out: 0 if the result lies in keys, 1 if in keys_alt */
  unsigned long long temp; /* out: bytes of temporary storage */
  unsigned max_local; /* in: most threads per block */
  unsigned units;     /* in: multiprocessors of the device */
  unsigned long long max_steps; /* in: how many step can hold */
  gpusort_step step[1];
} gpusort_plan_t;

#define GPUSORT_GLOBAL
#define GPUSORT_DEVICE __device__
#define GPUSORT_PARAMS                                                        \
  unsigned char *gpusort_keys_, unsigned char *gpusort_alt_,                  \
  unsigned char *gpusort_values_, unsigned char *gpusort_values_alt_,         \
  unsigned char *gpusort_temp_, unsigned long long n,                         \
  unsigned a, unsigned b, unsigned c, unsigned d
#define GPUSORT_KEYS ((gpusort_key *)gpusort_keys_)
#define GPUSORT_KEYS_ALT ((gpusort_key *)gpusort_alt_)
#define GPUSORT_VALUES ((gpusort_value *)gpusort_values_)
#define GPUSORT_VALUES_ALT ((gpusort_value *)gpusort_values_alt_)
#define GPUSORT_TEMP ((void *)gpusort_temp_)
#define GPUSORT_KERNEL(number) extern "C" __global__ void gpusort_##number(GPUSORT_PARAMS)
#define GPUSORT_KERNEL_SHARED(number) GPUSORT_KERNEL(number)

__device__ void gpusort_plan(gpusort_plan_t *plan, unsigned long long n);
