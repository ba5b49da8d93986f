// Module msd and the kernels of onesweep that it falls back on.
#include "emulate/plan.h"

#include "emulate/grid.cuh"
#include "stage/msd.cu"
#undef GS_INSTANCE
#undef GS_HISTOGRAM_keys
#include "stage/onesweep.cu"

#define GS_WIDTH(w)                                                                                                                  \
  GS_KERNEL(gs_msd_sample_##w##_keys), GS_KERNEL(gs_msd_histogram_##w##_keys), GS_KERNEL(gs_msd_first_##w##_keys), GS_KERNEL(gs_msd_second_##w##_keys),                   \
      GS_KERNEL(gs_msd_runs_##w##_keys), GS_KERNEL(gs_msd_slow_##w##_keys), GS_KERNEL(gs_onesweep_bounds_##w##_keys), GS_KERNEL(gs_onesweep_histogram_##w##_keys),             \
      GS_KERNEL(gs_onesweep_pass_##w##_keys), GS_KERNEL(gs_onesweep_finish_##w##_keys), GS_KERNEL(gs_onesweep_sweep_##w##_keys)

// With indices of 32 and 64 bits.
#define GS_VALUES(v)                                                                                                                 \
  GS_KERNEL(gs_msd_few_32_pairs##v), GS_KERNEL(gs_msd_few_64_pairs##v), GS_KERNEL(gs_msd_indices_32_pairs##v), GS_KERNEL(gs_msd_indices_64_pairs##v), GS_KERNEL(gs_msd_slowindices_32_pairs##v),           \
      GS_KERNEL(gs_msd_slowindices_64_pairs##v), GS_KERNEL(gs_onesweep_upper_64_pairs##v),            \
      GS_KERNEL(gs_onesweep_pass_16_pairs##v), GS_KERNEL(gs_onesweep_upper_32_pairs##v), GS_KERNEL(gs_onesweep_pass_32_pairs##v), GS_KERNEL(gs_onesweep_finish_32_pairs##v), GS_KERNEL(gs_onesweep_finish_64_pairs##v)

int main(int, char** argv) {
  return emulated::run(argv, {GS_WIDTH(32), GS_WIDTH(64), GS_KERNEL(gs_msd_halves_32_keys), GS_KERNEL(gs_msd_few_32_keys), GS_KERNEL(gs_msd_few_64_keys), GS_KERNEL(gs_msd_scan), GS_KERNEL(gs_msd_prepare),
                              GS_KERNEL(gs_onesweep_clear), GS_VALUES(32), GS_VALUES(64), GS_KERNEL(gs_msd_pack_32_keys),
                              GS_KERNEL(gs_msd_pack_64_keys), GS_KERNEL(gs_msd_group), GS_KERNEL(gs_msd_replanupper),
                              GS_KERNEL(gs_msd_replanwide)});
}
