// The state of an MSD sort in device memory, zeroed before the histogram, and
// what all its stages share. Keys are sorted as their encoded keys: the
// histogram and the first split encode what they load, the last store decodes.
//
// The top `bits` bits (10 to 16) of a key are its bucket. n is below 2^31, so
// that places are 32-bit numbers.
#ifndef GS_BLOCK_MSD_STATE
#define GS_BLOCK_MSD_STATE

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"
#include "warp/vector.cuh"

namespace gs {

// What the data asks for. prepare decides, unless the sample has chosen
// kRouteOnesweep, kRouteFew or kRouteNone; the later launches obey.
constexpr u32 kRouteSplit = 1;            // split into buckets, sort those
constexpr u32 kRouteOnesweep = kGateOpen;  // a bucket is too large: onesweep sorts the untouched input
constexpr u32 kRouteNone = 3;             // in order, turned round by onesweep's last launch, or another sort's work
constexpr u32 kRouteFew = 4;              // few different keys: one counting sort (msd_few_sort.cuh)

struct MsdState {
  u32 route;
  u32 seen;     // kSeen bits over all neighbours
  u32 largest;  // keys of the largest bucket; too small if a counter wrapped
  u32 tiles;    // of the second split; 0 unless the route is kRouteSplit
  u32 slow;     // buckets in the slow list
  u32 tickets[2];  // pairs: tiles that the splits have drawn
  u32 differ;   // of encoded keys: bits of the top word in which any two differ, if skip is not 0
  u32 sampled;  // not 0: the sample chose the route; no other launch writes it
  u32 skip;     // upper bits in which no keys of the sample differ; 0 to 31
  u32 prefix;   // those bits, in place, of the top word
  u32 unused;
};
GS_CONSTANT(MsdStateBytes, sizeof(MsdState))

// sampleChooses makes the sample's route that of all later launches. One thread.
GS_DEVICE void sampleChooses(MsdState* state, u32 route) { state->sampled = 1, state->route = route; }

// Argsort sorts words of 64 bits: see PackSource. They need two places of 8n
// bytes, but scratch may have less: so the second split and the bucket sorts
// take one group of parts (a part is a value of the first split's digit) after
// the other, from the last part to the first. The first group's words go to a
// place of their own, those of every other to where its predecessor's lay before.
// Group g holds items [begin[g+1], begin[g]), parts [part[g+1], part[g]) and tiles
// [tile[g+1], tile[g]) of msdPrepare's list.
struct MsdGroups {
  u32 begin[4], part[4], tile[4];
};
GS_CONSTANT(MsdGroupsBytes, sizeof(MsdGroups))

// kPad words lie between two cursors: each has its own 32-byte sector, so that
// atomics of different digits never meet in one.
constexpr u32 kPad = 8;
GS_CONSTANT(MsdCursorBytes, kPad * sizeof(u32))

// topWord returns the high 32 bits: they hold every digit that is split by.
GS_DEVICE u32 topWord(u32 k) { return k; }
GS_DEVICE u32 topWord(u64 k) { return u32(k >> 32); }

// forget keeps the compiler from holding values derived from x in registers
// across this point.
GS_DEVICE void forget(u32& x) { asm volatile("" : "+r"(x)); }
GS_DEVICE void forget(u64& x) { asm volatile("" : "+l"(x)); }

// msdMisled reports, behind the histogram, that the sample was wrong: not all keys
// have the prefix. Then counts and the order of neighbours, both of shifted encoded keys,
// say nothing of the keys.
GS_DEVICE bool msdMisled(const MsdState* state) {
  const u32 skip = state->skip;
  return skip != 0 && state->differ >> (32 - skip) != 0;
}

// MsdEncoded undoes what the first split does to keys: it encodes them and shifts out
// the upper bits that all have in common, so that buckets by the top bits tell keys
// apart.
template <typename K> struct MsdEncoded {
  u32 codec, skip;
  K prefix;
  GS_DEVICE MsdEncoded(u32 codec_, const MsdState* state) : codec(codec_), skip(state->skip),
      prefix(K(state->prefix) << (8 * sizeof(K) - 32)) {}
  GS_DEVICE bool plain() const { return (codec | skip) == 0; }
  GS_DEVICE K key(K encoded) const { return decode(codec, skip != 0 ? encoded >> skip | prefix : encoded); }
};

}  // namespace gs

#endif
