// Module hostscatter.
#include "emulate/plan.h"

#include "stage/hostscatter.cu"

int main(int, char** argv) {
  return emulated::run(argv, {GS_KERNEL(gs_hostscatter_count_8), GS_KERNEL(gs_hostscatter_count_16), GS_KERNEL(gs_hostscatter_count_32),
                              GS_KERNEL(gs_hostscatter_count_64)});
}
