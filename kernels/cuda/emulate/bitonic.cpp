// Module bitonic.
#include "emulate/plan.h"

#include "stage/bitonic.cu"

#define GS_NETWORK_OF(bits)                                                                                                      \
  GS_KERNEL(gs_bitonic_naive_##bits##_keys), GS_KERNEL(gs_bitonic_div_##bits##_keys), GS_KERNEL(gs_bitonic_shift_##bits##_keys),      \
      GS_KERNEL(gs_bitonic_shared_##bits##_keys), GS_KERNEL(gs_bitonic_sort_##bits##_keys), GS_KERNEL(gs_bitonic_merge_##bits##_keys), \
      GS_KERNEL(gs_bitonic_columns1_##bits##_keys), GS_KERNEL(gs_bitonic_columns2_##bits##_keys),                                \
      GS_KERNEL(gs_bitonic_columns3_##bits##_keys), GS_KERNEL(gs_bitonic_columns4_##bits##_keys)
#define GS_JOIN_OF(bits, element) GS_KERNEL(gs_bitonic_join##element##_##bits##_keys), GS_KERNEL(gs_bitonic_keys##element##_##bits##_keys)
#define GS_VALUES_OF(element)                                                                                \
  GS_KERNEL(gs_bitonic_fetch_##element##_pairs32), GS_KERNEL(gs_bitonic_fetch_##element##_pairs64),          \
      GS_KERNEL(gs_bitonic_values_##element##_pairs32), GS_KERNEL(gs_bitonic_values_##element##_pairs64)

int main(int, char** argv) {
  return emulated::run(argv, {GS_NETWORK_OF(8), GS_NETWORK_OF(16), GS_NETWORK_OF(32), GS_NETWORK_OF(64), GS_NETWORK_OF(128), GS_JOIN_OF(8, 64),
                              GS_JOIN_OF(16, 64), GS_JOIN_OF(32, 64), GS_JOIN_OF(8, 128), GS_JOIN_OF(16, 128), GS_JOIN_OF(32, 128),
                              GS_JOIN_OF(64, 128), GS_VALUES_OF(64), GS_VALUES_OF(128)});
}
