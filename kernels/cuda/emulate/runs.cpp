// Sorts in runs: modules onesweep, which sorts these, merge and elements.
#include "emulate/plan.h"

#include "emulate/grid.cuh"
#include "stage/elements.cu"
#include "stage/merge.cu"
#undef GS_INSTANCE
#undef GS_ENTRY
#include "stage/onesweep.cu"

#define GS_VALUES(s)                                                                                                     \
  GS_KERNEL(gs_merge_pass_64_##s), GS_KERNEL(gs_onesweep_small_64_##s), GS_KERNEL(gs_onesweep_pass_64_##s),                \
      GS_KERNEL(gs_onesweep_finish_64_##s)

int main(int, char** argv) {
  return emulated::run(argv, {GS_VALUES(keys), GS_VALUES(pairs32), GS_VALUES(pairs64), GS_KERNEL(gs_onesweep_bounds_64_keys), GS_KERNEL(gs_onesweep_histogram_64_keys), GS_KERNEL(gs_onesweep_clear),
                              GS_KERNEL(gs_merge_partition_64_keys), GS_KERNEL(gs_elements_encode_64_keys),
                              GS_KERNEL(gs_elements_pairs_64_pairs32), GS_KERNEL(gs_elements_pairs_64_pairs64)});
}
