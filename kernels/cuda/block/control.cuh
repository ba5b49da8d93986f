// The control block of a onesweep sort, in device memory. It is zero before the first launch, the histogram, which
// fills it. The later launches read from it what to do, so that the host need not wait for a choice. Modes, gates and
// places are numbers that other sorts share.
#ifndef GS_BLOCK_CONTROL
#define GS_BLOCK_CONTROL

#include "warp/narrow.cuh"

namespace gs {

// Modes, as plan.Mode.
constexpr u32 kModeKeys = 0;
constexpr u32 kModePairs = 1;
constexpr u32 kModeArgsort = 2;

// A gated sort runs if its gate, a word that an earlier launch wrote, holds
// kGateOpen. Closed, it leaves the control block at zero: then the passes and
// the finish find nothing to do.
constexpr u32 kGateOpen = 2;
GS_CONSTANT(GateOpen, kGateOpen)

// gateIsOpen tells the launches whose work a gated sort takes over. Null: there is no gate.
GS_DEVICE bool gateIsOpen(const u32* gate) { return gate != nullptr && *gate == kGateOpen; }

// Places of keys and values.
constexpr u32 kPlaceIO = 0;    // the caller's buffer
constexpr u32 kPlaceA = 1;     // scratch
constexpr u32 kPlaceB = 2;     // second scratch of keys, argsort only
constexpr u32 kPlaceNone = 3;  // source: values are the items' indices; destination: not written

// What the last launch does.
constexpr u32 kFinishNone = 0;
constexpr u32 kFinishCopy = 1;         // an odd number of passes: scratch to caller
constexpr u32 kFinishReverse = 2;      // the input was in reverse order
constexpr u32 kFinishIota = 3;         // argsort of sorted keys
constexpr u32 kFinishIotaReverse = 4;  // argsort of strictly reversed keys
constexpr u32 kFinishFill = 5;         // keys alone, one varying digit: its counts say all

// Order relations between neighbours, seen anywhere.
constexpr u32 kSeenDescent = 1;
constexpr u32 kSeenAscent = 2;
constexpr u32 kSeenEqual = 4;
template <typename K>
GS_DEVICE u32 relation(K a, K b) { return a > b ? kSeenDescent : a < b ? kSeenAscent : kSeenEqual; }

constexpr int kMaxPasses = 8;

// PassPlan says what a pass does, packed because every thread of the pass keeps
// it in a register. 0: nothing.
struct PassPlan {
  u32 bits;
  GS_DEVICE bool active() const { return bits & 1; }
  GS_DEVICE bool encode() const { return bits & 2; }  // apply the codec to the keys read
  GS_DEVICE bool decode() const { return bits & 4; }  // undo it on the keys written
  GS_DEVICE bool upper() const { return bits & 8; }   // write the keys' upper halves: see UpperGeometry
  GS_DEVICE u32 srcKeys() const { return bits >> 4 & 3; }
  GS_DEVICE u32 dstKeys() const { return bits >> 6 & 3; }
  GS_DEVICE u32 srcValues() const { return bits >> 8 & 3; }
  GS_DEVICE u32 dstValues() const { return bits >> 10 & 3; }
  GS_DEVICE u32 digit() const { return bits >> 12 & 7; }  // of a pass with UpperGeometry; of others the pass's number
  GS_DEVICE bool narrow() const { return bits & 1 << 15; }  // encoded keys are narrowed, those decoded widened before
};

GS_DEVICE PassPlan makePassPlan(bool encode, bool decode, bool narrow, u32 srcKeys, u32 dstKeys, u32 srcValues,
                                u32 dstValues) {
  return PassPlan{1u | u32(encode) << 1 | u32(decode) << 2 | u32(narrow) << 15 |
                  srcKeys << 4 | dstKeys << 6 | srcValues << 8 | dstValues << 10};
}

struct Control {
  u64 counts[kMaxPasses][kDigits];
  // start[p][k&1][d]: where portion k of pass p puts its first key with digit
  // d. The last tile of portion k writes the entries of portion k+1: another
  // row than the one that portion k reads.
  u64 start[kMaxPasses][2][kDigits];
  PassPlan pass[kMaxPasses];
  u32 ticket[kMaxPasses];  // next tile of each pass, over all portions
  u32 done;                // histogram blocks that have added their counts
  u32 seen;                // kSeen bits
  u32 finish;
  u32 fillPass;
  u64 fillBits;  // the constant digits of the encoded keys, narrowed if the passes' are
  u32 varying;   // bit p: digit p differs between keys that are neither sorted nor reversed
  u32 low;       // lowest digits that have no pass, since fixing up takes less: see block/low.cuh
  u32 disorder;  // not 0: fixing up was not enough
  u32 narrowed;   // not 0: passes sort narrowed keys
  u32 bounded;    // blocks that have added their bounds
  u64 bounds[3];  // of the encoded keys: see BoundsSoFar
  Narrow narrow;
};
GS_CONSTANT(ControlBytes, sizeof(Control))

}  // namespace gs

#endif
