// Module msdpairs, with the kernels of msd and onesweep that its plans use.
#include "emulate/plan.h"

#include "emulate/grid.cuh"
#include "stage/msd.cu"
#undef GS_INSTANCE
#undef GS_HISTOGRAM_keys
#include "stage/msdpairs.cu"
#include "stage/onesweep.cu"

#define GS_WIDTH(w)                                                                                                                  \
  GS_KERNEL(gs_msd_sample_##w##_keys), GS_KERNEL(gs_msd_histogram_##w##_keys), GS_KERNEL(gs_onesweep_bounds_##w##_keys), GS_KERNEL(gs_onesweep_histogram_##w##_keys), GS_KIND(w, 32), GS_KIND(w, 64)

#define GS_KIND(w, v)                                                                                                                \
  GS_KERNEL(gs_msdpairs_few_##w##_pairs##v), GS_KERNEL(gs_msdpairs_split_##w##_pairs##v), GS_KERNEL(gs_msdpairs_bucket_##w##_pairs##v), GS_KERNEL(gs_msdpairs_slow_##w##_pairs##v), \
      GS_KERNEL(gs_onesweep_pass_##w##_pairs##v), GS_KERNEL(gs_onesweep_finish_##w##_pairs##v), GS_KERNEL(gs_onesweep_sweep_##w##_pairs##v)

int main(int, char** argv) {
  return emulated::run(argv, {GS_WIDTH(32), GS_WIDTH(64), GS_KERNEL(gs_msd_scan), GS_KERNEL(gs_msdpairs_prepare), GS_KERNEL(gs_onesweep_clear)});
}
