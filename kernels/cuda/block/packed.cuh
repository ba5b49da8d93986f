// Words of 32 bits for the passes of an argsort of at most 2^24 keys of 64 bits: a place
// below, and above it, where a place needs no bits, a digit of the key at that place.
// A sort of places that will need one more digit so moves no key for it.
//
// Digits of a key are numbered from the least significant, 0 to 7. Passes, each stable:
//
//   kPackKeys      sorts the caller's keys by digit 0 and writes keys of 32 bits, digits 1
//                  to 4, with words of place and digit 5; apart, in the input's order,
//                  digits 6 and 7 of all keys (PassArgs.top)
//   usual ones     by digits 1 to 4; the words are their values
//   a usual one    of the words alone, by digit 5, which is the words' digit 3
//   kGatherKeys    reads digits 6 and 7 at the words' places, sorts by digit 6, and writes
//                  words of place and digit 7
//   kUnpackWords   sorts words by their upper digit and writes places as indices
//
// What kGatherKeys reads at random is 2 bytes per key, 34 MB at most: a cache of 50 MB
// holds the most of it, while the keys' own 134 MB it would not.
#ifndef GS_BLOCK_PACKED
#define GS_BLOCK_PACKED

#include "block/control.cuh"

namespace gs {

// What a pass reads and writes.
enum PassFormat { kWholeKeys, kUpperKeys, kPackKeys, kGatherKeys, kUnpackWords };

// kPlaceBits is known to internal/algo/onesweep.
constexpr u32 kPlaceBits = 24;

// packWord uses the lower 8 bits of digit, since the others leave the word.
GS_DEVICE u32 packWord(u32 place, u32 digit) { return place | digit << kPlaceBits; }
GS_DEVICE u32 placeOfWord(u32 word) { return word & ((1u << kPlaceBits) - 1); }

// kPlanTop is a bit of PassPlan: kPackKeys writes digits 6 and 7 apart.
constexpr u32 kPlanTop = 1u << 15;

// middleOf returns digits 1 to 4.
GS_DEVICE u32 middleOf(u64 key) { return u32(key >> 8); }

}  // namespace gs

#endif
