// Module gather: item i of the result is the source's item at place i. internal/algo/gather plans it.
//
// In: places[n], unsigned or signed, and source[length]. Out: out[n], which overlaps neither. Items have `width` bytes.
// A place outside the source is not read: it goes to the status record, with code 1, and its item stays as it is.
// Launch: kGatherThreads threads, any grid; the blocks take tiles one after the other. No block reads what another
// one writes; of several wrong places any is told.
#include "warp/word.cuh"

namespace gs {

// A thread has kGatherEach units on their way, which are where the memory's latency meets every one of them: eight
// blocks of 256 threads are all that a multiprocessor holds.
constexpr u32 kGatherThreads = 256, kGatherEach = 4, kGatherTile = kGatherThreads * kGatherEach;
GS_CONSTANT(GatherThreads, kGatherThreads)
GS_CONSTANT(GatherTile, kGatherTile)

struct GatherStatus {
  u32 code, unused;
  u64 place;
};

// Places reads places; a negative one becomes a number that no source has.
template <typename P> struct Places {
  const P* places;
  bool isSigned;
  GS_DEVICE u64 operator[](u64 i) const {
    constexpr int kAbove = 64 - 8 * int(sizeof(P));
    const u64 p = places[i];
    return isSigned ? u64((long long)(p << kAbove) >> kAbove) : p;
  }
};

// gatherUnits moves items of `units` units each, by consecutive threads.
template <typename U, typename P>
GS_DEVICE void gatherUnits(Places<P> places, const U* source, U* out, u64 n, u64 length, u32 units, GatherStatus* status) {
  const u64 all = n * units;
  for (u64 first = u64(blockIdx.x) * kGatherTile; first < all; first += u64(gridDim.x) * kGatherTile) {
    u64 place[kGatherEach];
    u32 part[kGatherEach];
    U unit[kGatherEach];
    const u64 item0 = units == 1 ? first : first / units;
    const u32 skip = u32(first - item0 * units);
#pragma unroll
    for (u32 j = 0; j < kGatherEach; j++) {
      const u32 at = skip + j * kGatherThreads + threadIdx.x, item = units == 1 ? at : at / units;
      part[j] = at - item * units;
      place[j] = item0 + item < n ? places[item0 + item] : length;
    }
#pragma unroll
    for (u32 j = 0; j < kGatherEach; j++) {
      if (place[j] < length) unit[j] = source[place[j] * units + part[j]];
    }
#pragma unroll
    for (u32 j = 0; j < kGatherEach; j++) {
      const u64 at = first + j * kGatherThreads + threadIdx.x;
      if (at >= all) continue;
      if (place[j] < length)
        out[at] = unit[j];
      else
        status->code = 1, status->place = place[j];
    }
  }
}

// gatherItems takes the widest unit that divides items and that both sides are aligned to.
template <typename P>
GS_DEVICE void gatherItems(Places<P> places, const char* source, char* out, u64 n, u64 length, u32 width, GatherStatus* status) {
  const u64 aligned = u64(source) | u64(out) | width;
  if (aligned % 16 == 0)
    gatherUnits(places, reinterpret_cast<const uint4*>(source), reinterpret_cast<uint4*>(out), n, length, width / 16, status);
  else if (aligned % 8 == 0)
    gatherUnits(places, reinterpret_cast<const u64*>(source), reinterpret_cast<u64*>(out), n, length, width / 8, status);
  else if (aligned % 4 == 0)
    gatherUnits(places, reinterpret_cast<const u32*>(source), reinterpret_cast<u32*>(out), n, length, width / 4, status);
  else if (aligned % 2 == 0)
    gatherUnits(places, reinterpret_cast<const u16*>(source), reinterpret_cast<u16*>(out), n, length, width / 2, status);
  else
    gatherUnits(places, source, out, n, length, width, status);
}

}  // namespace gs

using namespace gs;

#define GS_GATHER(bits) \
  GS_GLOBAL __launch_bounds__(kGatherThreads) \
      gs_gather_items_##bits##_keys(const Word<bits / 8>::type* places, const char* source, char* out, u64 n, u64 length, u32 width, \
                                    u32 isSigned, GatherStatus* status) { \
    gatherItems(Places<Word<bits / 8>::type>{places, isSigned != 0}, source, out, n, length, width, status); \
  }

GS_GATHER(8)
GS_GATHER(16)
GS_GATHER(32)
GS_GATHER(64)
