// Module radix4, and the prefix sums that can stand in for its own.
#include "emulate/plan.h"

#include "stage/radix4.cu"
#undef GS_INSTANCE
#include "stage/scan.cu"

#define GS_WIDTH(w) GS_KERNEL(gs_radix4_count_##w), GS_KERNEL(gs_radix4_move_##w)

int main(int, char** argv) {
  return emulated::run(argv, {GS_WIDTH(8), GS_WIDTH(16), GS_WIDTH(32), GS_WIDTH(64), GS_KERNEL(gs_radix4_scan), GS_KERNEL(gs_scan_hillis_64),
                              GS_KERNEL(gs_scan_blelloch_tiles_64), GS_KERNEL(gs_scan_blelloch_add_64), GS_KERNEL(gs_scan_lookback_64)});
}
