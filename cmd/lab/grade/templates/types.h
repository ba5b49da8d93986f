/* What the grader puts before every submission, of CUDA and of OpenCL C.
 * GPUSORT_KEY and GPUSORT_VALUE are the rubric's types, GPUSORT_DESCENDING its
 * order. docs/grading.md explains each name. */
typedef GPUSORT_KEY gpusort_key;
typedef GPUSORT_VALUE gpusort_value;

/* Whether key a belongs before key b. */
#if GPUSORT_DESCENDING
#define GPUSORT_BEFORE(a, b) ((a) > (b))
#else
#define GPUSORT_BEFORE(a, b) ((a) < (b))
#endif
