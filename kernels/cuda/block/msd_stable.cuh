// What argsort needs around gated passes of onesweep, for input that the MSD sort
// cannot split evenly. Onesweep would need twice the keys and the indices.
//
// 32-bit keys: the passes by the lower two digits leave the upper half of the keys
// to those by the upper two, in memory for n keys of 16 bits.
// 64-bit keys: whole, with their places, by the lower four digits, and their upper halves by
// the others. That takes two copies of the keys.
#ifndef GS_BLOCK_MSD_STABLE
#define GS_BLOCK_MSD_STABLE

#include "block/msd_state.cuh"

namespace gs {

// varyingDigits has bit p set if digit first+p of 4 differs between the n keys
// that c has counted. 256 threads; *shared is theirs; the same in all.
GS_DEVICE u32 varyingDigits(const Control* c, u32 first, u64 n, u32* shared) {
  if (threadIdx.x == 0) *shared = 0;
  __syncthreads();
  for (u32 p = 0; p < 4; p++) {
    const u64 count = c->counts[first + p][threadIdx.x];
    if (count != 0 && count != n) atomicOr(shared, 1u << p);
  }
  __syncthreads();
  const u32 varying = *shared;
  __syncthreads();
  return varying;
}

// UpperMoves is where the passes of planUpper find things and leave them.
struct UpperMoves {
  bool encodes;   // whole keys come as the caller gave them
  bool apart;     // halves have a memory of their own: B of the passes over whole keys
  u32 placesAt;   // where places come from
  u32 lastPlace;  // kPlaceA or kPlaceIO: where the last pass writes them
};

// planUpper plans the passes of a sort of 32-bit keys with places, whose digits start
// as `from` has it, rows first to first + 3. Passes 0 and 1 of c[0] sort whole keys: by
// the lower two digits, or, if these are the same in all keys, pass 0 by the first above
// that is not. The last of them, unless it ends the sort, writes the upper halves of the
// keys, and passes 0 and 1 of c[1] sort those by the digits that are left. varying: a bit
// per digit, see varyingDigits; 0: one pass writes the places.
//
// Whole keys go from IO to A. If their halves are apart, they go to B, which is IO of
// c[1], and from there to A, where the whole keys were: whoever writes halves to A reads
// B, and B was written from A or IO. If not, IO of both is one memory, which the first
// pass has read when another one writes there: all alternate between IO and A. Places
// alternate between A and IO; with the last of them no keys are written. 256 threads.
GS_DEVICE void planUpper(Control* c, const Control* from, u32 first, u32 varying, const UpperMoves& moves) {
  const u32 t = threadIdx.x, lead = varying == 0 ? 0 : __ffs(varying) - 1;
  const bool direct = lead >= 2;  // pass 0 sorts by an upper digit
  // Bit p: pass p runs.
  const u32 whole = lead == 0 || direct ? 1 | (varying & 2) : 2,
      halves = (direct ? varying & (varying - 1) : varying) >> 2;
  const u64 start0 = from->start[first + (direct ? lead : 0)][0][t], start1 = from->start[first + 1][0][t];
  for (u32 p = 0; p < 2; p++) c[1].start[p][0][t] = from->start[first + 2 + p][0][t];
  c[0].start[0][0][t] = start0;
  c[0].start[1][0][t] = start1;
  if (t != 0) return;
  u32 left = __popc(whole) + __popc(halves), keysAt = kPlaceIO, placesAt = moves.placesAt;
  const u32 otherPlace = moves.lastPlace == kPlaceIO ? kPlaceA : kPlaceIO;
  auto next = [&](bool encodes, u32 keysTo) {
    left--;
    if (!moves.apart) keysTo = keysAt == kPlaceIO ? kPlaceA : kPlaceIO;
    if (left == 0) keysTo = kPlaceNone;
    const u32 placesTo = left % 2 == 0 ? moves.lastPlace : otherPlace;
    const PassPlan plan =
        makePassPlan(encodes, false, encodes && from->narrowed != 0, keysAt, keysTo, placesAt, placesTo);
    keysAt = keysTo, placesAt = placesTo;
    return plan;
  };
  for (u32 p = 0; p < 2; p++) {
    PassPlan plan = {0};
    if (whole >> p & 1) {
      const bool last = whole >> p == 1;
      plan = next(moves.encodes && keysAt == kPlaceIO, last ? kPlaceB : kPlaceA);
      plan.bits |= u32(last) << 3 | (direct ? lead : p) << 12;  // PassPlan.upper and digit
    }
    c[0].pass[p] = plan;
  }
  if (moves.apart) keysAt = kPlaceIO;
  for (u32 p = 0; p < 2; p++) c[1].pass[p] = halves >> p & 1 ? next(false, kPlaceA) : PassPlan{0};
  for (u32 p = 2; p < kMaxPasses; p++) c[0].pass[p] = c[1].pass[p] = PassPlan{0};
}

// msdReplanUpper plans the passes of an argsort of 32-bit keys, the caller's, behind
// onesweep's histogram in controls[0]. Places are made by the first pass and end in IO.
// Launch: a block of 256 threads.
GS_DEVICE void msdReplanUpper(Control* controls, const MsdState* state, u32 n) {
  if (state->route != kRouteOnesweep) return;
  __shared__ u32 shared;
  planUpper(controls, controls, 0, varyingDigits(controls, 0, n, &shared), {true, true, kPlaceNone, kPlaceIO});
}

// msdReplanWide plans the passes of an argsort of 64-bit keys, the caller's, behind
// onesweep's histogram of all 8 digits in controls[0]; none if the histogram has found an
// order that its last launch makes. The passes over whole keys, by digits 0 to 3, are the
// rows 0 to 3 of controls[0]; if none of those digits varies, row 0 sorts by the first
// above. The last of them, unless it ends the sort, writes upper halves, which controls[1]
// and [2] sort by the digits that are left: see planUpper.
//
// Whole keys go from the caller's (IO) by way of A and B, so that halves are written to A,
// where nothing is that their pass reads. Places alternate between A and IO and end in IO.
// Launch: a block of 256 threads.
GS_DEVICE void msdReplanWide(Control* controls, const u32* gate, u64 n) {
  if (!gateIsOpen(gate) || controls->finish != kFinishNone) return;
  __shared__ u32 shared;
  const u32 t = threadIdx.x;
  const u32 varying = varyingDigits(controls, 0, n, &shared) | varyingDigits(controls, 4, n, &shared) << 4;
  const u32 lead = __ffs(varying) - 1;  // without an order, keys vary
  const bool direct = lead >= 4;
  const u32 whole = direct ? 1 : varying & 15, high = (direct ? varying & (varying - 1) : varying) >> 4;
  if (high != 0)
    planUpper(controls + 1, controls, 4, high, {false, false, __popc(high) % 2 == 0 ? kPlaceIO : kPlaceA, kPlaceIO});
  if (direct) controls->start[0][0][t] = controls->start[lead][0][t];  // no other pass's
  if (t != 0) return;
  u32 more = __popc(whole), keysAt = kPlaceIO, placesAt = kPlaceNone;
  for (u32 p = 0; p < kMaxPasses; p++) {
    PassPlan plan = {0};
    if (p < 4 && (whole >> p & 1) != 0) {
      more--;
      const bool last = more == 0;
      const u32 keysTo = last && high == 0 ? kPlaceNone : more % 2 == 0 ? kPlaceA : kPlaceB;
      const u32 placesTo = (more + __popc(high)) % 2 == 0 ? kPlaceIO : kPlaceA;
      plan = makePassPlan(keysAt == kPlaceIO, false, keysAt == kPlaceIO && controls->narrowed != 0, keysAt, keysTo,
                          placesAt, placesTo);
      plan.bits |= u32(last && high != 0) << 3 | (direct ? lead : p) << 12;  // PassPlan.upper and digit
      keysAt = keysTo, placesAt = placesTo;
    }
    controls->pass[p] = plan;
  }
}

}  // namespace gs

#endif
