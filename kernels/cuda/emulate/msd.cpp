// Module msd and the onesweep sort of keys that it falls back on.
#include "emulate/plan.h"

#include "stage/msd.cu"
#undef GS_INSTANCE
#undef GS_HISTOGRAM_keys
#include "stage/onesweep.cu"

#define GS_WIDTH(w)                                                                                                                  \
  GS_KERNEL(gs_msd_histogram_##w##_keys), GS_KERNEL(gs_msd_first_##w##_keys), GS_KERNEL(gs_msd_second_##w##_keys),                   \
      GS_KERNEL(gs_msd_runs_##w##_keys), GS_KERNEL(gs_msd_slow_##w##_keys), GS_KERNEL(gs_onesweep_histogram_##w##_keys),             \
      GS_KERNEL(gs_onesweep_pass_##w##_keys), GS_KERNEL(gs_onesweep_finish_##w##_keys)

int main(int, char** argv) {
  return emulated::run(argv, {GS_WIDTH(32), GS_WIDTH(64), GS_KERNEL(gs_msd_halves_32_keys), GS_KERNEL(gs_msd_scan), GS_KERNEL(gs_msd_prepare),
                              GS_KERNEL(gs_onesweep_clear)});
}
