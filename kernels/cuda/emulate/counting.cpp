// Module counting, the prefix sums inside it, and the onesweep sort of keys that
// it falls back on.
#include "emulate/plan.h"

#include "emulate/grid.cuh"

#include "stage/counting.cu"
#undef GS_INSTANCE
#include "stage/scan.cu"
#undef GS_INSTANCE
#include "stage/onesweep.cu"

#define GS_WIDTH(w)                                                                                                         \
  GS_KERNEL(gs_counting_count_##w##_keys), GS_KERNEL(gs_counting_fill_##w##_keys), GS_KERNEL(gs_counting_range_##w##_keys), \
      GS_KERNEL(gs_counting_tally_##w##_keys), GS_KERNEL(gs_counting_gather_##w##_keys),                                    \
      GS_KERNEL(gs_onesweep_histogram_##w##_keys), GS_KERNEL(gs_onesweep_pass_##w##_keys), GS_KERNEL(gs_onesweep_finish_##w##_keys)

int main(int, char** argv) {
  return emulated::run(argv, {GS_WIDTH(8), GS_WIDTH(16), GS_WIDTH(32), GS_WIDTH(64), GS_KERNEL(gs_counting_route), GS_KERNEL(gs_counting_clear),
                              GS_KERNEL(gs_counting_rank), GS_KERNEL(gs_onesweep_bounds_32_keys), GS_KERNEL(gs_onesweep_bounds_64_keys), GS_KERNEL(gs_onesweep_clear), GS_KERNEL(gs_scan_hillis_32),
                              GS_KERNEL(gs_scan_blelloch_tiles_32), GS_KERNEL(gs_scan_blelloch_add_32), GS_KERNEL(gs_scan_lookback_32)});
}
