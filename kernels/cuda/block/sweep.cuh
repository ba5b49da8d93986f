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
  for (u32 p = 0; p < sizeof(typename G::Key); p++) {
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

// FixUpInSweep is what fixing up in a sweep needs, in shared memory.
template <typename K, typename V> struct FixUpInSweep {
  FixUpArgs<K, V> fixUp;
  PassArgs passes;
  u32 sets;
};

// fixUpByGrid sorts the run listed by the tile, by all blocks: a sort of its own, of which the
// digits left out alone vary. Begins and ends with a barrier of the grid.
template <typename G> GS_COLD void fixUpByGrid(const FixUpInSweep<typename G::Key, typename G::Value>* args, u32 tile) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  const FixUpInSweep<K, V>& m = *args;
  __shared__ u64 ends[2];
  const u64 stride = u64(gridDim.x) * G::kThreads;
  u32* const control = reinterpret_cast<u32*>(m.passes.control);
  for (u64 i = u64(blockIdx.x) * G::kThreads + threadIdx.x; i < sizeof(Control) / 4; i += stride) control[i] = 0;
  if (threadIdx.x == 0) fixUpFind<K, V, G::kThreads>(m.fixUp, tile, ends[0], ends[1]);
  __syncthreads();
  const u64 begin = ends[0];
  PassArgs a = m.passes;
  a.n = ends[1] - begin;
  a.tiles = u32((a.n + G::kTile - 1) / G::kTile);
  a.keysIO = m.fixUp.keys + begin, a.keysA = a.keysB = m.fixUp.keysA + begin;
  if (G::kPairs) a.valuesIO = m.fixUp.values + begin, a.valuesA = m.fixUp.valuesA + begin;
  gridSync();
  histogram<K, G::kThreads>(static_cast<const K*>(a.keysIO), a.n, a.control, a.codec, G::kPairs ? kModePairs : kModeKeys, nullptr);
  gridSync();
  sweepPasses<G>(a, m.sets);
  finish<K, V, G::kPairs>(a.keysIO, a.keysA, a.valuesIO, a.valuesA, a.n, a.control, a.codec);
  gridSync();
}

// fixUpInSweep fixes up what the passes left. Begins with a barrier of the grid.
template <typename G> GS_COLD void fixUpInSweep(const FixUpInSweep<typename G::Key, typename G::Value>* args) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  typedef FixUpShared<K, G::kThreads> S;
  extern __shared__ uint4 dynamicShared[];
  S& s = *reinterpret_cast<S*>(dynamicShared);
  static_assert(sizeof(S) <= PassShared<G>::kBytes, "fits where passes do");
  const FixUpArgs<K, V>& a = args->fixUp;
  for (u64 i = u64(blockIdx.x) * G::kThreads + threadIdx.x; i < a.words(); i += u64(gridDim.x) * G::kThreads) a.listed[i] = 0;
  gridSync();
  fixUpTiles<K, V, G::kPairs, G::kThreads>(a, s);
  gridSync();
  fixUpListed<K, V, G::kPairs, G::kThreads>(a, s);
  gridSync();
  const u32 many = __ldcg(a.listed + 1);
  for (u32 i = 0; i < many; i++) fixUpByGrid<G>(args, __ldcg(a.forGrid() + i));
}

// sweep makes the passes if the gate is open, unless launches before have made them, then
// a.tiles is 0; and in any case what finish does.
// Of 64-bit keys it fixes up, if the histogram wrote to *low how many digits are left out, and not
// 0. low is null if it did not; FixUpArgs::listed is behind it.
template <typename G> GS_DEVICE void sweep(const PassArgs& a, const u32* gate, u32 sets, u32* low) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  const bool open = *gate == kGateOpen;
  if (open && a.tiles != 0) sweepPasses<G>(a, sets);
  finish<K, V, G::kPairs>(a.keysIO, a.keysA, a.valuesIO, a.valuesA, a.n, a.control, a.codec);
  if constexpr (sizeof(K) == 8) {
    if (!open || low == nullptr || *low == 0) return;
    typedef FixUpShared<K, G::kThreads> S;
    __shared__ FixUpInSweep<K, V> m;
    if (threadIdx.x == 0) {
      m = {{static_cast<K*>(a.keysIO), static_cast<K*>(a.keysA), static_cast<V*>(a.valuesIO), static_cast<V*>(a.valuesA), a.n, a.codec, *low,
            low + 1, (a.n + S::kTile - 1) / S::kTile},
           a, sets};
    }
    __syncthreads();
    fixUpInSweep<G>(&m);
  }
}

}  // namespace gs

#endif
