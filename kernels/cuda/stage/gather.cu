// Module gather: item i of the result is the source's item at place i. internal/algo/gather plans it.
//
// In: places[n], unsigned or signed, and source[length]. Out: out[n], which overlaps neither. Items have `width` bytes.
// A place outside the source is not read: it goes to the status record, with code 1, and its item stays as it is.
// Launch: kGatherThreads threads, any grid; a thread for each unit is fastest. No block reads what another one writes;
// of several wrong places any is told.
#include "warp/word.cuh"

namespace gs {

constexpr u32 kGatherThreads = 256;
GS_CONSTANT(GatherThreads, kGatherThreads)

struct GatherStatus {
  u32 code, unused;
  u64 place;
};

// Places reads places, each of them once; a negative one becomes a number that no source has.
template <typename P> struct Places {
  const P* places;
  bool isSigned;
  GS_DEVICE u64 operator[](u64 i) const {
    constexpr int kAbove = 64 - 8 * int(sizeof(P));
    const u64 p = __ldcs(places + i);
    return isSigned ? u64((long long)(p << kAbove) >> kAbove) : p;
  }
};

// gatherUnits moves items of `units` units each, by consecutive threads.
template <typename U, typename P>
GS_DEVICE void gatherUnits(Places<P> places, const void* source, void* out, u64 n, u64 length, u32 units,
                           GatherStatus* status) {
  const U* const from = static_cast<const U*>(source);
  U* const to = static_cast<U*>(out);
  const u64 all = n * units;
  for (u64 at = u64(blockIdx.x) * kGatherThreads + threadIdx.x; at < all; at += u64(gridDim.x) * kGatherThreads) {
    const u64 item = units == 1 ? at : at >> 32 == 0 ? u32(at) / units : at / units, place = places[item];
    if (place < length)
      __stcs(to + at, __ldg(from + (place * units + (at - item * units))));
    else
      status->code = 1, status->place = place;
  }
}

// gatherItems takes the widest unit that divides items and that both sides are aligned to.
template <typename P>
GS_DEVICE void gatherItems(Places<P> places, const void* source, void* out, u64 n, u64 length, u32 width,
                           GatherStatus* status) {
  const u64 aligned = u64(source) | u64(out) | width;
  if (aligned % 16 == 0)
    gatherUnits<uint4>(places, source, out, n, length, width / 16, status);
  else if (aligned % 8 == 0)
    gatherUnits<u64>(places, source, out, n, length, width / 8, status);
  else if (aligned % 4 == 0)
    gatherUnits<u32>(places, source, out, n, length, width / 4, status);
  else if (aligned % 2 == 0)
    gatherUnits<u16>(places, source, out, n, length, width / 2, status);
  else
    gatherUnits<u8>(places, source, out, n, length, width, status);
}

}  // namespace gs

using namespace gs;

#define GS_GATHER(bits) \
  GS_GLOBAL __launch_bounds__(kGatherThreads) \
      gs_gather_items_##bits##_keys(const WordOf<bits>* places, const void* source, void* out, u64 n, u64 length, \
                                    u32 width, u32 isSigned, GatherStatus* status) { \
    gatherItems(Places<WordOf<bits>>{places, isSigned != 0}, source, out, n, length, width, status); \
  }

GS_GATHER(8)
GS_GATHER(16)
GS_GATHER(32)
GS_GATHER(64)
