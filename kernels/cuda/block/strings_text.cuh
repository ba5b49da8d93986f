// Strings as Arrow has them: bytes, and offsets of one more than strings. Nothing outside of both is read.
#ifndef GS_BLOCK_STRINGS_TEXT
#define GS_BLOCK_STRINGS_TEXT

#include "warp/width.cuh"

namespace gs {

// kWordBytes of a string are in its word. The lowest byte is how many are left, kWordMore if more: so that a string
// comes before those that it is a prefix of, and equal words below kWordMore are those of equal strings.
constexpr u32 kWordBytes = 7, kWordMore = 8;

struct StringSpan {
  u64 begin, length;
};

// StringsText are the bytes and, of 32 or, wide, 64 bits, the offsets.
struct StringsText {
  const u8* bytes;
  u64 size;
  const void* offsets;
  u32 wide;

  GS_DEVICE u64 offset(u64 i) const { return widthAt(offsets, wide, i); }

  // span is string i. One whose offsets are refused is empty.
  GS_DEVICE StringSpan span(u64 i) const {
    const u64 lo = offset(i), hi = offset(i + 1);
    return lo <= hi && hi <= size ? StringSpan{lo, hi - lo} : StringSpan{0, 0};
  }

  // aligned is the word at an address that is a multiple of 8, with zeros for what lies outside of the bytes.
  GS_DEVICE u64 aligned(u64 at) const {
    const u64 from = reinterpret_cast<u64>(bytes), to = from + size;
    if (at >= from && at + 8 <= to) return __ldg(reinterpret_cast<const u64*>(at));
    u64 w = 0;
    for (u32 i = 0; i < 8; i++) {
      if (at + i >= from && at + i < to) w |= u64(*reinterpret_cast<const u8*>(at + i)) << 8 * i;
    }
    return w;
  }

  // some are the `many` bytes from place `at` on, 1 to 8, the first one lowest, with zeros above them. All of them
  // lie in the bytes.
  GS_DEVICE u64 some(u64 at, u32 many) const {
    const u64 address = reinterpret_cast<u64>(bytes) + at, low = address & ~u64(7);
    const u32 shift = 8 * u32(address & 7);
    u64 w = aligned(low) >> shift;
    if (shift + 8 * many > 64) w |= aligned(low + 8) << (64 - shift);
    return many < 8 ? w & ((u64(1) << 8 * many) - 1) : w;
  }

  // word is the word of s behind `depth` bytes, which orders strings that share those.
  GS_DEVICE u64 word(StringSpan s, u64 depth) const {
    if (s.length <= depth) return 0;
    const u64 left = s.length - depth, w = some(s.begin + depth, u32(least(left, u64(kWordBytes))));
    const u64 high = u64(__byte_perm(u32(w), 0, 0x0123)) << 32 | __byte_perm(u32(w >> 32), 0, 0x0123);
    return high | least(left, u64(kWordMore));
  }
};

}  // namespace gs

#endif
