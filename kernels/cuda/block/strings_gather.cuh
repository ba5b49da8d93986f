// Strings copied in the order of given places: lengths, new offsets, then the bytes, by those that are written.
#ifndef GS_BLOCK_STRINGS_GATHER
#define GS_BLOCK_STRINGS_GATHER

#include "block/strings_lists.cuh"

namespace gs {

// A block writes a tile of bytes, of kGatherTexts strings at a time.
constexpr u32 kGatherTile = 8192, kGatherTexts = 512;
GS_CONSTANT(StringsGatherTile, kGatherTile)

// TextPlaces are the places, of 32 or, wide, 64 bits. A negative one is a number that no source has.
struct TextPlaces {
  const void* places;
  u32 wide, isSigned;
  GS_DEVICE u64 operator[](u64 i) const {
    if (wide) return static_cast<const u64*>(places)[i];
    const u32 p = static_cast<const u32*>(places)[i];
    return isSigned ? u64((long long)(int)p) : p;
  }
};

// gatherLengths writes the length of each string of the result where its offset will be, and the sums of each block to
// its part. n strings of `many` sources.
// Launch: kStringsThreads threads, any grid. A later launch makes offsets of them.
GS_DEVICE void gatherLengths(const StringsText& text, const TextPlaces& places, u64 n, u64 many, void* result, u32 wide,
                             u64* parts, StringsState* s) {
  __shared__ u64 sums[kStringsThreads / 32];
  const StringsPart part(n);
  u64 mine = 0;
  for (u64 i = part.begin + threadIdx.x; i < part.end; i += kStringsThreads) {
    const u64 p = places[i];
    u64 length = 0;
    if (p < many) {
      const u64 lo = text.offset(p), hi = text.offset(p + 1);
      if (hi < lo) refuseStrings(s, kStringsDescend, p + 1);
      else if (hi > text.size) refuseStrings(s, kStringsBeyond, p + 1);
      else length = hi - lo;
    } else {
      refuseStrings(s, kStringsPlace, p);
    }
    setWidth(result, wide, i, length);
    mine += length;
  }
  const u64 all = blockTotal(mine, sums);
  if (threadIdx.x == 0) parts[blockIdx.x] = all;
}

// gatherOffsets makes offsets of the lengths, and lists which string has the first byte of each tile. It refuses more
// bytes than there is room for.
// Launch: as that of gatherLengths, and of as many blocks.
GS_DEVICE void gatherOffsets(u64 n, void* result, u32 wide, u64 room, const u64* parts, u32* firsts, StringsState* s) {
  __shared__ u64 sums[kStringsThreads / 32];
  const u64 tiles = (room + kGatherTile - 1) / kGatherTile;
  const StringsPart part(n);
  u64 done = sumBefore(parts, sums);
  for (u64 first = part.begin; first < part.end; first += kStringsThreads) {  // whole block
    const u64 i = first + threadIdx.x, length = i < part.end ? widthAt(result, wide, i) : 0;
    const u64 upTo = inclusiveSum(length);
    __syncthreads();
    if (laneID() == 31) sums[threadIdx.x / 32] = upTo;
    __syncthreads();
    u64 at = done + upTo - length;
    for (u32 w = 0; w < kStringsThreads / 32; w++) {
      if (w < threadIdx.x / 32) at += sums[w];
      done += sums[w];
    }
    if (i >= part.end) continue;
    setWidth(result, wide, i, at);
    for (u64 tile = (at + kGatherTile - 1) / kGatherTile; tile * kGatherTile < at + length && tile < tiles; tile++) {
      firsts[tile] = u32(i);
    }
  }
  if (blockIdx.x != gridDim.x - 1 || threadIdx.x != 0) return;
  setWidth(result, wide, n, done);
  if (!wide && done >> 32 != 0)
    refuseStrings(s, kStringsNarrow, done);
  else if (done > room)
    refuseStrings(s, kStringsRoom, done);
  else if (s->code == 0)
    s->number = done;
}

// gatherBytes copies the bytes. Places in a tile count from its beginning.
// Launch: kStringsThreads threads, any grid. Nothing is written after a refusal by an earlier launch.
GS_DEVICE void gatherBytes(const StringsText& text, const TextPlaces& places, u64 n, const void* result, u32 wide,
                           u8* out, const u32* firsts, const StringsState* s) {
  __shared__ u64 sources[kGatherTexts];  // of a string's first byte in the tile
  __shared__ u32 begins[kGatherTexts + 1];
  if (s->code != 0) return;
  const u64 total = s->number;
  for (u64 tile = blockIdx.x; tile * kGatherTile < total; tile += gridDim.x) {
    const u64 start = tile * kGatherTile;
    const u32 length = u32(least(total - start, u64(kGatherTile)));
    const u32 skew = u32(reinterpret_cast<u64>(out) + start) & 7;  // words are those at addresses that 8 divides
    u64* const words = reinterpret_cast<u64*>(out + start - skew);
    u32 from = 0;
    for (u64 string = firsts[tile]; from < length; string += kGatherTexts) {  // whole block
      const u32 many = u32(least(n - string, u64(kGatherTexts)));
      __syncthreads();
      for (u32 i = threadIdx.x; i <= many; i += kStringsThreads) {
        const u64 begin = widthAt(result, wide, string + i);
        begins[i] = begin <= start ? 0 : u32(least(begin - start, u64(length)));
        if (i < many && begins[i] < length) {
          sources[i] = text.offset(places[string + i]) + (begin < start ? start - begin : 0);
        }
      }
      __syncthreads();
      const u32 to = begins[many];
      for (u32 word = (from + skew) / 8 + threadIdx.x; 8 * word < to + skew; word += kStringsThreads) {
        const u32 first = 8 * word < from + skew ? from : 8 * word - skew, behind = least(8 * word + 8 - skew, to);
        u32 string = 0, above = many;  // the last string that begins at `first` or before lies between
        while (above - string > 1) {
          const u32 middle = (string + above) / 2;
          if (begins[middle] <= first)
            string = middle;
          else
            above = middle;
        }
        u64 value = 0;
        for (u32 at = first; at < behind; string++) {
          const u32 end = least(begins[string + 1], behind);
          if (end == at) continue;
          value |= text.some(sources[string] + (at - begins[string]), end - at) << 8 * (at - first);
          at = end;
        }
        if (behind - first == 8) {
          words[word] = value;
        } else {
          for (u32 at = first; at < behind; at++, value >>= 8) out[start + at] = u8(value);
        }
      }
      from = to;
    }
  }
}

}  // namespace gs

#endif
