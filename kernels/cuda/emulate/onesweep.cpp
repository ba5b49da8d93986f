// Module onesweep.
#include "emulate/plan.h"

#include "emulate/grid.cuh"

#include "stage/onesweep.cu"

#define GS_ROW(bits, valueBytes, suffix, ...) \
  GS_KERNEL(gs_onesweep_pass_##bits##_##suffix), GS_KERNEL(gs_onesweep_finish_##bits##_##suffix), GS_KERNEL(gs_onesweep_small_##bits##_##suffix),

#if defined(GS_TARGET_SM_90)
#define GS_WIDES , GS_KERNEL(gs_onesweep_histogramwide_32_keys), GS_KERNEL(gs_onesweep_histogramwide_64_keys)
// Of sorts that may leave out digits.
#define GS_SWEEPS(suffix) , GS_KERNEL(gs_onesweep_sweep_64_##suffix)
#else
#define GS_WIDES
#define GS_SWEEPS(suffix)
#endif

int main(int, char** argv) {
  return emulated::run(argv, {GS_ONESWEEP_POLICIES(GS_ROW) GS_KERNEL(gs_onesweep_histogram_8_keys), GS_KERNEL(gs_onesweep_histogram_16_keys),
                              GS_KERNEL(gs_onesweep_bounds_32_keys), GS_KERNEL(gs_onesweep_bounds_64_keys), GS_KERNEL(gs_onesweep_histogram_32_keys), GS_KERNEL(gs_onesweep_histogram_64_keys),
                              GS_KERNEL(gs_onesweep_clear) GS_WIDES GS_SWEEPS(keys) GS_SWEEPS(pairs32) GS_SWEEPS(pairs64)});
}
