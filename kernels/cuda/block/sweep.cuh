// All passes of a gated sort in one cooperative launch: barriers of the grid take
// the place of two launches per digit. Only code compiled for sm_90 includes this:
// see warp/grid.cuh.
#ifndef GS_BLOCK_SWEEP
#define GS_BLOCK_SWEEP

#include "block/finish.cuh"
#include "block/histogram.cuh"
#include "block/fixup.cuh"
#include "block/pass.cuh"
#include "warp/grid.cuh"

namespace gs {

// sweepPasses makes the passes that the control block asks for. Look-back words, sets
// times a row for each
// tile, need no initial contents: those of a pass are cleared before it. With two sets
// passes use them in turn, and each clears that of the next: nobody has read it since
// the barrier that ended the pass before, and the barrier that ends this one stands
// between the clearing and its use. With one set a second barrier per pass does.
// Between what a step writes and the next one reads stands a barrier, and one at the end
// if there is a pass.
// Launch: as pass, and all blocks resident.
template <typename G> GS_DEVICE void sweepPasses(PassArgs a, u32 sets) {
  const u64 set = u64(a.tiles) * kDigits;
  u32* const words = a.words;
  u32 made = 0;  // passes
  for (u32 p = 0; p < sizeof(KeyOf<G>); p++) {
    if (!a.control->pass[p].active()) continue;
    const u32 mine = sets == 2 ? made & 1 : 0;
    a.words = words + mine * set;
    if (made == 0 || sets == 1) {
      clearWords(reinterpret_cast<uint4*>(a.words), set / 4, nullptr);
      gridSync();
    }
    if (sets == 2) clearWords(reinterpret_cast<uint4*>(words + (mine ^ 1) * set), set / 4, nullptr);
    a.pass = p;
    pass<G>(a);
    gridSync();
    made++;
  }
}

// replanAll plans passes by all digits that vary, behind a barrier of the grid.
template <typename G> GS_DEVICE void replanAll(Control* c) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    c->low = 0;
    for (u32 p = 0; p < kMaxPasses; p++) c->ticket[p] = 0;
    planPasses<sizeof(KeyOf<G>)>(c, G::kPairs ? kModePairs : kModeKeys, kSeenDescent | kSeenAscent, c->varying);
  }
  gridSync();
}

// sweep makes the passes if the gate is open, and in any case what finish does. If the passes left out low digits, it
// fixes up, or makes the passes again by all digits.
template <typename G> GS_DEVICE void sweep(const PassArgs& a, const u32* gate, u32 sets) {
  __shared__ PassArgs shared;
  const bool open = *gate == kGateOpen;
#pragma unroll 1
  for (bool again = false;; again = true) {
    if (open) sweepPasses<G>(a, sets);
    finish<KeyOf<G>, ValueOf<G>, G::kPairs>(a.keysIO, a.keysA, a.valuesIO, a.valuesA, a.n, a.control, a.codec);
    if constexpr (sizeof(KeyOf<G>) < 8) return;
    if (again || !open || a.control->low == 0) return;
    if (threadIdx.x == 0) shared = a;
    gridSync();
    if constexpr (sizeof(KeyOf<G>) == 8) fixUp<G>(&shared);
    gridSync();
    if (__ldcg(&a.control->disorder) == 0) return;
    replanAll<G>(a.control);
  }
}

}  // namespace gs

#endif
