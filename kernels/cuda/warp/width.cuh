// Integers whose width is known at run time: offsets and positions as the caller has them.
#ifndef GS_WARP_WIDTH
#define GS_WARP_WIDTH

#include "warp/word.cuh"

namespace gs {

// widthAt is item i of integers of 64 bits if wide, else of 32. setWidth writes it.
GS_DEVICE u64 widthAt(const void* p, u32 wide, u64 i) {
  return wide ? static_cast<const u64*>(p)[i] : static_cast<const u32*>(p)[i];
}
GS_DEVICE void setWidth(void* p, u32 wide, u64 i, u64 v) {
  if (wide)
    static_cast<u64*>(p)[i] = v;
  else
    static_cast<u32*>(p)[i] = u32(v);
}

}  // namespace gs

#endif
