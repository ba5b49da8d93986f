// Segments: buckets of an MSD sort that are too large for one block. All blocks of
// a cooperative grid split them together, level by level, until every part fits a
// block; see msd_large.cuh. Here is what the levels share.
#ifndef GS_BLOCK_MSD_SEGMENTS
#define GS_BLOCK_MSD_SEGMENTS

#include "block/msd_state.cuh"

namespace gs {

// What becomes of a segment at its level.
constexpr u32 kSegmentSplit = 0;  // its keys move to the other buffer, by a digit
constexpr u32 kSegmentEqual = 1;  // its keys are all the same: they go to their end
constexpr u32 kSegmentAgain = 2;  // the sample misled: it is listed again, untouched

// A segment's keys agree in all bits from `rest` up.
struct MsdSegment {
  u32 begin, items;
  u32 entry;                  // its first entry of the pool, a multiple of 8
  u32 tile;                   // its first tile
  unsigned char rest;         // bits in which its keys may differ, from the lowest up
  unsigned char shift, bits;  // its digit: (key >> shift) % (1 << bits)
  unsigned char room;         // 1 << room entries
  unsigned char what;         // kSegment…
  unsigned char place;        // 0: in the caller's buffer, 1: in scratch
  unsigned char raw;          // not encoded yet: the whole input
  unsigned char exact;        // rest is the highest bit that differs, and one
  u64 differ;                 // bits in which any of its keys differs from the first
};
GS_CONSTANT(MsdSegmentBytes, sizeof(MsdSegment))

// A level lists at most n/capacity segments. Every split takes kDeepBits bits or
// all that are left, the first kFirstBits, and once between two splits a segment may
// be listed again: (64-10-3)/5 splits and as many repeats at most.
constexpr u32 kFirstBits = 3, kDeepBits = 5, kMaxLevels = 32;
GS_CONSTANT(MsdDeepEntries, 1 << kDeepBits)

// MsdLarge counts what each level has listed. Zero before the launch.
struct MsdLarge {
  u32 segments[kMaxLevels], entries[kMaxLevels], tiles[kMaxLevels];
};
GS_CONSTANT(MsdLargeBytes, sizeof(MsdLarge))

// Scratch of a launch. Two levels' segments at most are in use.
struct MsdLargeRoom {
  MsdLarge* large;
  MsdSegment* segments;  // [2][most]
  u32* tiles;            // [] segment of each tile
  u32* units;            // [] segment of each eight entries
  u32* pool;             // [] keys with each digit, then the next place, in the end the place behind
  u32 most;
  GS_DEVICE MsdSegment* of(u32 level) const { return segments + (level & 1) * most; }
};

// highestBit returns the number of the highest bit that is set; x is not 0.
GS_DEVICE u32 highestBit(u32 x) { return 31 - u32(__clz(int(x))); }
GS_DEVICE u32 highestBit(u64 x) { return 63 - u32(__clzll((long long)x)); }

// segmentBits is how many bits a segment is split by: as many as bring uniform
// keys to some 2,048 per part, which a block sorts at nearly its best rate, but 8
// at most and so many at least that levels are few.
GS_DEVICE u32 segmentBits(u32 items, u32 level) {
  const u32 least = level == 0 ? kFirstBits : kDeepBits, parts = (items - 1) >> 11;
  const u32 want = parts == 0 ? 0 : highestBit(parts) + 1;
  return want < least ? least : smaller(want, 8);
}

// Tiles of a segment start at multiples of 32 keys, so that loads are aligned.
GS_DEVICE u32 segmentTiles(u32 begin, u32 items, u32 tile) { return (begin + items - (begin & ~31u) + tile - 1) / tile; }

// addSegment lists s at a level: entry, tile and room are filled in.
GS_DEVICE void addSegment(const MsdLargeRoom& r, u32 level, MsdSegment s, u32 tile) {
  if (level >= kMaxLevels) return;  // never: see kMaxLevels
  s.room = (unsigned char)segmentBits(s.items, level);
  const u32 at = atomicAdd(&r.large->segments[level], 1u);
  s.entry = atomicAdd(&r.large->entries[level], 1u << s.room);
  s.tile = atomicAdd(&r.large->tiles[level], segmentTiles(s.begin, s.items, tile));
  r.of(level)[at] = s;
}

// SegmentSource reads a segment's keys for msdSplit.
template <typename K> struct SegmentSource {
  typedef K Raw;
  static constexpr u32 kStride = 1;
  const K* in;
  u32 codec;  // applied to what is read
  GS_DEVICE K pack(K k, u32) const { return k; }
  GS_DEVICE u32 digit(K k, u32 shift, u32 mask) const { return u32(k >> shift) & mask; }
};

}  // namespace gs

#endif
