// Module small.
#include "emulate/plan.h"

#include "emulate/grid.cuh"
#include "emulate/shared.cuh"
#include "stage/small.cu"

#ifdef GS_TARGET_SM_90
#define GS_GRID_ROW(bits, suffix) GS_KERNEL(gs_small_grid_##bits##_##suffix),
#else
#define GS_GRID_ROW(bits, suffix)
#endif
#define GS_ROW(bits, valueBytes, suffix, ...) \
  GS_KERNEL(gs_small_few_##bits##_##suffix), GS_KERNEL(gs_small_many_##bits##_##suffix), GS_GRID_ROW(bits, suffix)

#ifdef GS_TARGET_SM_90
#define GS_ALONE GS_KERNEL(gs_small_more_32_keys), GS_KERNEL(gs_small_more_32_pairs32), \
  GS_KERNEL(gs_small_more_64_keys), GS_KERNEL(gs_small_more_64_pairs32)
#else
#define GS_ALONE
#endif

int main(int, char** argv) { return emulated::run(argv, {GS_SMALL_POLICIES(GS_ROW) GS_ALONE}); }
