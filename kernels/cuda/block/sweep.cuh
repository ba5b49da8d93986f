// All passes of a gated sort in one cooperative launch: barriers of the grid take
// the place of two launches per digit. Only code compiled for sm_90 includes this:
// see warp/grid.cuh.
#ifndef GS_BLOCK_SWEEP
#define GS_BLOCK_SWEEP

#include "block/finish.cuh"
#include "block/pass.cuh"
#include "warp/grid.cuh"

namespace gs {

// sweep makes the passes that the control block asks for, if the gate is open, and
// then, in any case, what finish does. Look-back words need no initial contents:
// they are cleared before each pass. A barrier stands between what a step writes
// and the next one reads. Launch: as pass, and all blocks resident.
template <typename G> GS_DEVICE void sweep(PassArgs a, const u32* gate) {
  if (*gate == kGateOpen) {
    for (u32 p = 0; p < sizeof(typename G::Key); p++) {
      if (!a.control->pass[p].active()) continue;
      clearWords(reinterpret_cast<uint4*>(a.words), u64(a.tiles) * kDigits / 4, gate);
      gridSync();
      a.pass = p;
      pass<G>(a);
      gridSync();
    }
  }
  finish<typename G::Key, typename G::Value, G::kPairs>(a.keysIO, a.keysA, a.valuesIO, a.valuesA, a.n, a.control, a.codec);
}

}  // namespace gs

#endif
