// What argsort needs around gated passes of onesweep, for input that the MSD sort
// cannot split evenly. Onesweep would need twice the keys and the indices; here
// scratch is as large as the keys and the indices.
//
// 32-bit keys: the passes by the lower two digits leave the upper half of the keys
// to those by the upper two, in memory for n keys of 16 bits. Where scratch has no
// room for those, each half of the input is sorted with its places, between scratch
// and the indices' memory, so that the result lies in scratch; then merged.
// 64-bit keys: as packed words (block/packed.cuh) if places have 24 bits at most; else
// sorted with their places by the lower 32 bits, then by the upper ones.
#ifndef GS_BLOCK_MSD_STABLE
#define GS_BLOCK_MSD_STABLE

#include "block/msd_state.cuh"
#include "block/packed.cuh"

namespace gs {

// Where an argsort by 32 bits of 64-bit keys finds the order so far.
constexpr u32 kTakeNothing = 0;  // those bits are the same in all keys: no sort
constexpr u32 kTakeInput = 1;    // the keys' own order
constexpr u32 kTakeIO = 2;       // the places in the caller's indices
constexpr u32 kTakeA = 3;        // the places in scratch

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

// planMoves plans the passes over the varying digits. Keys start in IO, places at
// placesAt; both alternate between A and the other place (IO for places; for keys
// other, kPlaceIO or kPlaceB). The places' last place is lastPlace, kPlaceA or
// kPlaceIO; then keys, if they start at kPlaceIO and other is kPlaceB, end where
// the places do. One thread.
GS_DEVICE void planMoves(Control* c, u32 varying, bool encodes, u32 other, u32 placesAt, u32 lastPlace) {
  const u32 total = __popc(varying);
  u32 done = 0, keysAt = kPlaceIO;
  for (int p = 0; p < 4; p++) {
    PassPlan plan = {0};
    if (varying >> p & 1) {
      const bool toA = ((total - 1 - done) % 2 == 0) == (lastPlace == kPlaceA);
      const u32 keysTo = other == kPlaceB ? (toA ? kPlaceA : kPlaceB) : (keysAt == kPlaceA ? kPlaceIO : kPlaceA);
      const u32 placesTo = toA ? kPlaceA : kPlaceIO;
      plan = makePassPlan(encodes && done == 0, false, keysAt, keysTo, placesAt, placesTo);
      keysAt = keysTo;
      placesAt = placesTo;
      done++;
    }
    c->pass[p] = plan;
  }
}

// msdReplan32 plans the passes of both halves behind onesweep's histograms of
// them: from the caller's keys to A, by way of A and B. A half whose keys are all
// the same has one pass. Launch: 2 blocks of 256 threads, one per half.
GS_DEVICE void msdReplan32(Control* controls, const MsdState* state, u32 n, u32 half) {
  if (state->route != kRouteOnesweep) return;
  __shared__ u32 shared;
  Control* const c = controls + blockIdx.x;
  u32 varying = varyingDigits(c, 0, blockIdx.x == 0 ? half : n - half, &shared);
  if (varying == 0) varying = 1;
  if (threadIdx.x == 0) planMoves(c, varying, true, kPlaceB, kPlaceNone, kPlaceA);
}

// msdReplanUpper plans the passes of an argsort of 32-bit keys behind onesweep's
// histogram in controls[0]. Passes 0 and 1 of controls[0] sort whole keys: by the
// lower two digits, or, if these are the same in all keys, pass 0 by the first above
// that is not. The last of them, unless it ends the sort, writes the upper halves of
// the keys, and passes 0 and 1 of controls[1] sort those by the digits that are left.
//
// Whole keys go from IO, the caller's, to A; their halves to B, which is IO of
// controls[1], and from there to A, where the whole keys were: whoever writes halves
// to A reads B, and B was written from A or IO. Places alternate between A and IO,
// so that the last go to IO; with them no keys are written. Launch: a block of 256
// threads.
GS_DEVICE void msdReplanUpper(Control* controls, const MsdState* state, u32 n) {
  if (state->route != kRouteOnesweep) return;
  __shared__ u32 shared;
  const u32 t = threadIdx.x, varying = varyingDigits(controls, 0, n, &shared);
  const u32 lead = varying == 0 ? 0 : __ffs(varying) - 1;  // constant keys: one pass writes their places
  const bool direct = lead >= 2;                           // pass 0 sorts by an upper digit
  // Bit p: pass p runs.
  const u32 whole = lead == 0 || direct ? 1 | (varying & 2) : 2, halves = (direct ? varying & (varying - 1) : varying) >> 2;
  for (u32 p = 0; p < 2; p++) controls[1].start[p][0][t] = controls[0].start[2 + p][0][t];
  if (direct) controls[0].start[0][0][t] = controls[0].start[lead][0][t];
  if (t != 0) return;
  u32 left = __popc(whole) + __popc(halves), keysAt = kPlaceIO, placesAt = kPlaceNone;
  auto next = [&](bool encodes, u32 keysTo) {
    left--;
    if (left == 0) keysTo = kPlaceNone;
    const u32 placesTo = left % 2 == 0 ? kPlaceIO : kPlaceA;
    const PassPlan plan = makePassPlan(encodes, false, keysAt, keysTo, placesAt, placesTo);
    keysAt = keysTo, placesAt = placesTo;
    return plan;
  };
  for (u32 p = 0; p < 2; p++) {
    PassPlan plan = {0};
    if (whole >> p & 1) {
      const bool last = whole >> p == 1;
      plan = next(keysAt == kPlaceIO, last ? kPlaceB : kPlaceA);
      plan.bits |= u32(last) << 3 | (direct ? lead : p) << 12;  // PassPlan.upper and digit
    }
    controls[0].pass[p] = plan;
  }
  keysAt = kPlaceIO;
  for (u32 p = 0; p < 2; p++) controls[1].pass[p] = halves >> p & 1 ? next(false, kPlaceA) : PassPlan{0};
}

// msdReplanPacked plans the passes of an argsort of 64-bit keys over packed words
// (block/packed.cuh) behind onesweep's histogram of all 8 digits in controls[0]. Rows:
//
//   controls[0]  0 pack     1, 2 whole middles by digits 1 and 2
//   controls[1]  0, 1 middles' upper halves by digits 3 and 4     3 words by digit 5
//                4 gather   5 unpack
//
// Pack sorts by the lowest of digits 0 to 4 that varies, whichever it is. Middles, from A,
// alternate between A and B; the last pass over whole ones, or pack if there is none,
// writes halves; the last pass of all writes no middles. Words alternate between A and IO,
// so that they end in A; there middles' A and B are free. Passes over words alone call
// words' A keys' IO, middles' A and B theirs: by digit 5 from IO to A, gather to B. Unpack
// reads what came last, and writes the caller's indices, its A, which hold no words then.
//
// Without digits 6 and 7 there is nothing to gather: unpack sorts by digit 5, which is
// where digit 7 else is. Launch: a block of 256 threads.
GS_DEVICE void msdReplanPacked(Control* controls, const MsdState* state, u32 n) {
  if (state->route != kRouteOnesweep) return;
  __shared__ u32 shared;
  const u32 t = threadIdx.x;
  const u32 varying = varyingDigits(controls, 0, n, &shared) | varyingDigits(controls, 4, n, &shared) << 4;
  const u32 low = varying & 31, lead = low == 0 ? 0 : __ffs(low) - 1, rest = low & (low - 1);
  const bool gathers = varying >> 6 != 0;
  Control *const c = controls, *const d = controls + 1;
  d->start[0][0][t] = c->start[3][0][t];
  d->start[1][0][t] = c->start[4][0][t];
  d->start[3][0][t] = c->start[5][0][t];
  d->start[4][0][t] = c->start[6][0][t];
  d->start[5][0][t] = c->start[gathers ? 7 : 5][0][t];
  c->start[0][0][t] = c->start[lead][0][t];  // row lead is no other pass's
  if (t != 0) return;
  for (int p = 0; p < kMaxPasses; p++) c->pass[p] = d->pass[p] = PassPlan{0};
  u32 keysAt = kPlaceA, wordsAt = __popc(rest) % 2 ? kPlaceIO : kPlaceA;
  PassPlan plan = makePassPlan(true, false, kPlaceIO, rest == 0 ? kPlaceNone : kPlaceA, kPlaceNone, wordsAt);
  plan.bits |= u32((rest & 6) == 0) << 3 | lead << 12 | (gathers ? kPlanTop : 0);
  c->pass[0] = plan;
  for (u32 p = 1; p < 5; p++) {
    if ((rest >> p & 1) == 0) continue;
    const u32 keysTo = rest >> p == 1 ? kPlaceNone : keysAt == kPlaceA ? kPlaceB : kPlaceA;
    const u32 wordsTo = wordsAt == kPlaceA ? kPlaceIO : kPlaceA;
    plan = makePassPlan(false, false, keysAt, keysTo, wordsAt, wordsTo);
    if (p < 3) plan.bits |= u32((rest & 6) >> p == 1) << 3 | (p - 1) << 12;  // the last of whole middles
    (p < 3 ? c->pass[p] : d->pass[p - 3]) = plan;
    keysAt = keysTo, wordsAt = wordsTo;
  }
  u32 at = kPlaceIO;
  if (gathers) {
    if (varying >> 5 & 1) {
      d->pass[3] = makePassPlan(false, false, at, kPlaceA, kPlaceNone, kPlaceNone);
      at = kPlaceA;
    }
    d->pass[4] = makePassPlan(false, false, at, kPlaceNone, kPlaceNone, kPlaceA);
    at = kPlaceB;
  }
  plan = makePassPlan(false, false, at, kPlaceA, kPlaceNone, kPlaceNone);
  plan.bits |= 3 << 12;
  d->pass[5] = plan;
}

// msdReplan64 plans the passes by the lower 32 bits in controls[0], which has
// onesweep's histogram of all 8 digits, and those by the upper ones in
// controls[1]; and what msdTake does before each. The last places go to IO.
// Launch: a block of 256 threads.
GS_DEVICE void msdReplan64(Control* controls, MsdState* state, u32 n) {
  if (state->route != kRouteOnesweep) return;
  __shared__ u32 shared;
  const u32 low = varyingDigits(controls, 0, n, &shared), high = varyingDigits(controls, 4, n, &shared);
  for (u32 p = 0; p < 4; p++) controls[1].start[p][0][threadIdx.x] = controls[0].start[4 + p][0][threadIdx.x];
  if (threadIdx.x != 0) return;
  const u32 middle = __popc(high) % 2 ? kPlaceA : kPlaceIO;  // after the lower bits
  planMoves(controls, low, false, kPlaceIO, kPlaceNone, middle);
  planMoves(controls + 1, high, false, kPlaceIO, low == 0 ? kPlaceNone : middle, kPlaceIO);
  for (int p = 4; p < kMaxPasses; p++) controls[0].pass[p] = PassPlan{0};
  state->take[0] = low == 0 ? kTakeNothing : kTakeInput;
  state->take[1] = high == 0 ? kTakeNothing : low == 0 ? kTakeInput : middle == kPlaceA ? kTakeA : kTakeIO;
}

// msdTake writes the lower (half 0) or upper 32 bits of the keys' images, in the
// order so far. Any grid and block.
template <typename V> GS_DEVICE void msdTake(const u64* keys, const V* placesIO, const V* placesA, u32* out, u32 n, const MsdState* state, u32 half, u32 codec) {
  const u32 take = state->take[half];
  if (state->route != kRouteOnesweep || take == kTakeNothing) return;
  const V* const places = take == kTakeIO ? placesIO : placesA;
  const u32 step = gridDim.x * blockDim.x;
  constexpr u32 kAhead = 4;  // independent reads per thread
  // n is below 2^31 and a step below 2^22: no sum wraps.
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += kAhead * step) {
    u64 at[kAhead], key[kAhead];
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      const u32 x = i + j * step;
      at[j] = x >= n ? 0 : take == kTakeInput ? x : u64(places[x]);
    }
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) key[j] = keys[at[j]];
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) {
      if (i + j * step < n) out[i + j * step] = u32(encode(codec, key[j]) >> 32 * half);
    }
  }
}

}  // namespace gs

#endif
