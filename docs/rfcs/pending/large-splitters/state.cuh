// What the launches of a sort by splitters share.
#ifndef GS_LARGE_STATE
#define GS_LARGE_STATE

#include "warp/match.cuh"

namespace gs {

// A level makes at most kParts: the digit behind them is of places of a tile without a key.
constexpr u32 kParts = kDigits - 1, kNoDigit = kParts;

// kTile keys a block moves at a time.
constexpr int kMoveThreads = 288, kMoveItems = 21;
constexpr u32 kTile = kMoveThreads * kMoveItems;

// Part is what the first level makes: keys [begin, begin + items) of the second buffer, split into `buckets`, whose
// counters begin at number `first`. A part may be known to be one value.
struct Part {
  u32 begin, items, buckets, first, constant;
};

// Tile is [begin, begin + items) of part number `part`.
struct Tile {
  u32 begin, items, part, none;
};

// Zero before the sort: counts, listed and large.
struct Split {
  u32 counts[kDigits];  // of parts
  u32 cursors[kDigits];
  u32 tiles, buckets, large, left;
  Part parts[kDigits];
  u64 splitters[kDigits];              // from number 1 on
  u64 partSplitters[kDigits][kDigits];
};

}  // namespace gs

#endif
