// Sorts in runs behind a gate: modules msd and msdpairs, which sort these, merge and
// elements, and onesweep, which sorts all where the gate is open.
#include "emulate/plan.h"

#include "emulate/grid.cuh"
#include "stage/elements.cu"
#include "stage/merge.cu"
#undef GS_INSTANCE
#undef GS_ENTRY
#include "stage/msd.cu"
#undef GS_INSTANCE
#undef GS_HISTOGRAM_keys
#include "stage/msdpairs.cu"
#include "stage/onesweep.cu"

#define GS_KEYS(stage) GS_KERNEL(gs_##stage##_64_keys)
#define GS_KIND(s)                                                                                                    \
  GS_KERNEL(gs_merge_pass_64_##s), GS_KERNEL(gs_onesweep_pass_64_##s), GS_KERNEL(gs_onesweep_sweep_64_##s), GS_KERNEL(gs_onesweep_finish_64_##s)
#define GS_PAIRS_KIND(s)                                                                                                            \
  GS_KIND(s), GS_KERNEL(gs_elements_pairs_64_##s), GS_KERNEL(gs_onesweep_upper_64_##s), GS_KERNEL(gs_onesweep_upper_32_##s),         \
      GS_KERNEL(gs_onesweep_pass_16_##s), GS_KERNEL(gs_msdpairs_few_64_##s), GS_KERNEL(gs_msdpairs_split_64_##s), GS_KERNEL(gs_msdpairs_bucket_64_##s), GS_KERNEL(gs_msdpairs_slow_64_##s)

int main(int, char** argv) {
  return emulated::run(
      argv, {GS_KIND(keys), GS_PAIRS_KIND(pairs32), GS_PAIRS_KIND(pairs64), GS_KEYS(msd_sample), GS_KEYS(msd_histogram),
             GS_KEYS(msd_first), GS_KEYS(msd_second), GS_KEYS(msd_runs), GS_KEYS(msd_slow), GS_KEYS(msd_few), GS_KERNEL(gs_msd_scan),
             GS_KERNEL(gs_msd_prepare), GS_KERNEL(gs_msdpairs_prepare), GS_KEYS(onesweep_bounds), GS_KEYS(onesweep_histogram), GS_KERNEL(gs_onesweep_clear), GS_KEYS(merge_partition),
             GS_KEYS(elements_encode), GS_KERNEL(gs_msd_replanwide)});
}
