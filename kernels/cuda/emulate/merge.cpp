// Module merge.
#include "emulate/plan.h"

#include "stage/merge.cu"

#define GS_ROW(bits, valueBytes, suffix, ...)                                                         \
  GS_KERNEL(gs_merge_block_##bits##_##suffix), GS_KERNEL(gs_merge_pass_##bits##_##suffix),            \
      GS_KERNEL(gs_merge_sector_##bits##_##suffix), GS_KERNEL(gs_merge_segments_##bits##_##suffix),
#define GS_WIDTH(bits) GS_KERNEL(gs_merge_partition_##bits##_keys), GS_KERNEL(gs_merge_separators_##bits##_keys)

int main(int, char** argv) {
  return emulated::run(argv, {GS_MERGE_POLICIES(GS_ROW) GS_WIDTH(8), GS_WIDTH(16), GS_WIDTH(32), GS_WIDTH(64)});
}
