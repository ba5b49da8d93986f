// A whole sort in one cooperative launch: every multiprocessor holds a share of
// the keys, and barriers of the grid take the place of launches. Keys are split by
// their highest varying bits and sorted in blocks, or pass by all digits.
#ifndef GS_BLOCK_GRID
#define GS_BLOCK_GRID

#include "block/grid_split.cuh"

namespace gs {

// passGrid orders the keys by the digits that vary, from the lowest. It begins with
// the keys, encoded, in registers.
//
// Keys are written where other blocks' keys were: between the barrier of the
// totals, before which every block has taken its keys, and that of the exchange.
template <typename G> GS_DEVICE void passGrid(const GridShared<G>& s, const GridArgs& a, const Share& share, u64 varying, TileKeys<G>& t) {
  typedef typename G::Key K;
  for (u32 pass = 0; pass < sizeof(K); pass++) {
    if ((varying >> (kDigitBits * pass)) % kDigits == 0) continue;
    const DigitOf<K> digitOf(pass), digitAgain = digitOf.again();
    countGrid(s, a, share, digitOf, digitAgain, t);
    const bool last = pass + 1 == sizeof(K) || varying >> (kDigitBits * (pass + 1)) == 0;
    writeTile(s, a, share, digitAgain, last);
    if (last) return;
    gridSync();
    reloadTile(t, a, share);
  }
}

// sortGrid sorts 1 <= n <= gridDim · kTile items stably. Cooperative launch of at
// most as many blocks as multiprocessors; dynamic shared memory for GridShared<G>
// and, later, TileShared<G>. Scratch needs no initial contents.
template <typename G> GS_DEVICE void sortGrid(const GridArgs& a) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  __shared__ GridDigits digits;
  const GridShared<G> s(dynamicShared);
  const K* const keys = static_cast<const K*>(a.keysIO);
  const u32 threads = gridDim.x * G::kThreads;
  const Share share(G::kThreads, (a.n + threads - 1) / threads, blockIdx.x);
  TileKeys<G> t;
  K sample = keys[0];
  loadTile<G>(t, share, keys, static_cast<const V*>(a.valuesIO), a.n, a.mode);
  sample = encode(a.codec, sample);
  const u64 own = blockVarying<G>(s.warpVarying, encodeTile<G>(t, share, a.n, a.codec, sample));
  if (threadIdx.x == 0) a.varying[blockIdx.x] = own;
  gridSync();
  K differ = 0;
  for (u32 b = threadIdx.x; b < gridDim.x; b += G::kThreads) differ |= K(__ldcg(a.varying + b));
  const u64 varying = blockVarying<G>(s.warpVarying, differ);
  const u32 top = 64 - __clzll(varying);
  if (varying == 0) {  // all keys equal: in order as they are
    if (a.mode == kModeArgsort) storeTile<G>(t, share, nullptr, static_cast<V*>(a.valuesIO), a.n, a.codec, a.mode);
  } else if (top > kDigitBits && splitGrid<G>(s, a, share, top, t, digits)) {
    sortDigits<G>(a, share, top, sample, digits, t);
  } else {
    passGrid<G>(s, a, share, varying, t);
  }
}

}  // namespace gs

#endif
