// Module equalzeros.
#include "emulate/plan.h"

#include "stage/equalzeros.cu"

int main(int, char** argv) {
  return emulated::run(argv, {GS_KERNEL(gs_equalzeros_canonicalise_32_keys), GS_KERNEL(gs_equalzeros_canonicalise_64_keys),
                              GS_KERNEL(gs_equalzeros_gather_32_pairs32), GS_KERNEL(gs_equalzeros_gather_64_pairs32),
                              GS_KERNEL(gs_equalzeros_gather_32_pairs64), GS_KERNEL(gs_equalzeros_gather_64_pairs64)});
}
