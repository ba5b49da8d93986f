// Further geometries, to find better policy rows.
#include "block/pass.cuh"
#include "sorter.h"

namespace {

// The table's kernels take the fields of PassArgs one by one; this one does too.
template <int kBits, int kValueBytes, int kThreads, int kItems, int kBlocks, int kWindow>
__global__ void __launch_bounds__(kThreads, kBlocks)
    sweepKernel(void* keysIO, void* keysA, void* keysB, void* valuesIO, void* valuesA, gs::Control* control, gs::u32* words, gs::u64 n,
                gs::u32 digit, gs::u32 portion, gs::u32 firstTile, gs::u32 tiles, gs::u32 firstTicket, gs::u32 codec, gs::u32 stall) {
  const gs::PassArgs a = {keysIO, keysA, keysB, valuesIO, valuesA, control, words, n, digit, portion, firstTile, tiles, firstTicket, codec, stall};
  gs::pass<gs::PassGeometry<kBits, kValueBytes, kThreads, kItems, kWindow>>(a);
}

template <int kBits, int kValueBytes, int kThreads, int kItems, int kBlocks, int kWindow> Instance variant() {
  Instance i = tableInstance(kBits, kValueBytes);
  i.threads = kThreads;
  i.items = kItems;
  i.blocks = kBlocks;
  i.window = kWindow;
  i.pass = (const void*)sweepKernel<kBits, kValueBytes, kThreads, kItems, kBlocks, kWindow>;
  return i;
}

}  // namespace

std::vector<Instance> sweepInstances(int bits, int valueBytes) {
  if (bits == 32 && valueBytes == 0)
    return {variant<32, 0, 384, 20, 3, 8>(), variant<32, 0, 512, 20, 2, 4>(), variant<32, 0, 512, 22, 2, 4>(), variant<32, 0, 384, 28, 2, 4>(),
            variant<32, 0, 384, 32, 2, 4>(), variant<32, 0, 768, 20, 1, 4>()};
  if (bits == 64 && valueBytes == 0)
    return {variant<64, 0, 384, 18, 2, 4>(), variant<64, 0, 384, 20, 2, 4>(), variant<64, 0, 512, 16, 2, 4>(), variant<64, 0, 512, 17, 2, 4>(),
            variant<64, 0, 384, 15, 3, 4>()};
  if (bits == 32 && valueBytes == 4)
    return {variant<32, 4, 384, 20, 2, 4>(), variant<32, 4, 384, 22, 2, 4>(), variant<32, 4, 512, 17, 2, 4>(), variant<32, 4, 384, 16, 3, 4>(), variant<32, 4, 512, 16, 2, 4>(), variant<32, 4, 512, 20, 1, 4>()};
  if (bits == 64 && valueBytes == 8)
    return {variant<64, 8, 384, 13, 2, 4>(), variant<64, 8, 512, 16, 1, 4>(), variant<64, 8, 512, 9, 2, 4>(), variant<64, 8, 256, 16, 2, 4>(), variant<64, 8, 384, 12, 2, 4>()};
  return {};
}
