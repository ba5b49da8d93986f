// Module radix4.
#include "emulate/plan.h"

#include "stage/radix4.cu"

#define GS_WIDTH(w) GS_KERNEL(gs_radix4_count_##w), GS_KERNEL(gs_radix4_move_##w)

int main(int, char** argv) {
  return emulated::run(argv, {GS_WIDTH(8), GS_WIDTH(16), GS_WIDTH(32), GS_WIDTH(64), GS_KERNEL(gs_radix4_scan)});
}
