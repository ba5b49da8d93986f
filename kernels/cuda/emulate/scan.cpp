// Module scan.
#include "emulate/plan.h"

#include "stage/scan.cu"

#define GS_WIDTH(w)                                                                                                     \
  GS_KERNEL(gs_scan_hillis_##w), GS_KERNEL(gs_scan_blelloch_tiles_##w), GS_KERNEL(gs_scan_blelloch_add_##w), \
      GS_KERNEL(gs_scan_lookback_##w)

int main(int, char** argv) { return emulated::run(argv, {GS_WIDTH(32), GS_WIDTH(64)}); }
