// The end of a sort whose passes left out the lowest digits (block/low.cuh). Keys that agree in all digits above those
// stand together, in order of the input: a run. What tells two keys apart lies in the upper digits as a rule, so that
// most runs have one key, and most threads find nothing to do. A thread sorts a run of up to kFixUpMost keys, stably.
// If a longer one is in disorder, nobody sorts it: all digits have their passes then (block/sweep.cuh).
//
// A tile is of 8 keys a thread, and owns the runs that begin in it. Its block looks at so many keys more on both sides
// as a run may have. Keys are written where they lay, while other blocks read them. Of runs that are not its own a
// block uses the upper digits alone, which are the same wherever in the run a key goes; longer runs are not written to.
// Words of 8 bytes are read and written whole, past the L1, which other multiprocessors' writes do not reach.
#ifndef GS_BLOCK_FIXUP
#define GS_BLOCK_FIXUP

#include "block/pass.cuh"

namespace gs {

constexpr u32 kFixUpMost = 32;
GS_CONSTANT(FixUpMost, kFixUpMost)

template <typename G> struct FixUpShared {
  static constexpr u32 kTile = 8 * G::kThreads, kWindow = kTile + 2 * kFixUpMost;
  KeyOf<G> key[kWindow];  // encoded
  u32 runs[kWindow / 2];         // in disorder: where they begin, and how many keys they have << 16
  u32 count;
};

// fixUpFind lists the runs of the tile that are in disorder. lead keys of the window are before the tile, `have` in
// all. low: digits left out. It returns whether the thread saw a longer run in disorder.
template <typename G> GS_DEVICE bool fixUpFind(FixUpShared<G>& s, u32 lead, u32 have, u32 low) {
  const auto agree = [&](u32 i, u32 j) { return (s.key[i] ^ s.key[j]) >> (kDigitBits * low) == 0; };
  bool longer = false;
  for (u32 i = lead + threadIdx.x; i + 1 < have; i += G::kThreads) {
    if (s.key[i] <= s.key[i + 1] || !agree(i, i + 1)) continue;
    u32 first = i, last = i + 1, disorders = 0;
    for (; first > 0 && last - first <= kFixUpMost && agree(first - 1, i); first--)
      disorders += s.key[first - 1] > s.key[first];
    for (; last + 1 < have && last - first <= kFixUpMost && agree(last + 1, i); last++) {
    }
    const u32 many = last + 1 - first;
    if (many > kFixUpMost) longer = true;
    // The first disorder of a run enters it.
    else if (disorders == 0 && first >= lead && first < lead + s.kTile)
      s.runs[atomicAdd(&s.count, 1u)] = first | many << 16;
  }
  return longer;
}

// fixUpRun sorts a run by insertion. keys and values are where it lies.
template <typename G> GS_DEVICE void fixUpRun(KeyOf<G>* k, u32 many, u32 codec, KeyOf<G>* keys, ValueOf<G>* values) {
  for (u32 i = 1; i < many; i++) {
    const KeyOf<G> key = k[i];
    if (k[i - 1] <= key) continue;
    ValueOf<G> value;
    if constexpr (G::kPairs) value = values[i];
    u32 at = i;
    for (; at > 0 && k[at - 1] > key; at--) {
      k[at] = k[at - 1];
      if constexpr (G::kPairs) values[at] = values[at - 1];
    }
    k[at] = key;
    if constexpr (G::kPairs) values[at] = value;
  }
  for (u32 i = 0; i < many; i++) keys[i] = decode(codec, k[i]);
}

// fixUp fixes up all tiles, or notes in control->disorder that this does not do. Any grid; dynamic shared memory of a
// pass.
template <typename G> GS_COLD void fixUp(const PassArgs* args) {
  typedef FixUpShared<G> S;
  extern __shared__ uint4 dynamicShared[];
  S& s = *reinterpret_cast<S*>(dynamicShared);
  static_assert(sizeof(S) <= PassShared<G>::kBytes, "fits where passes do");
  KeyOf<G>* const keys = static_cast<KeyOf<G>*>(args->keysIO);
  ValueOf<G>* const values = static_cast<ValueOf<G>*>(args->valuesIO);
  const u64 n = args->n;
  const u32 t = threadIdx.x, codec = args->codec, low = args->control->low;
  bool longer = false;
  for (u64 base = u64(blockIdx.x) * S::kTile; base < n; base += u64(gridDim.x) * S::kTile) {
    const u32 lead = base == 0 ? 0 : kFixUpMost;
    const u64 from = base - lead, left = n - from, want = lead + S::kTile + kFixUpMost;
    const u32 have = u32(left < want ? left : want);
#pragma unroll 4
    for (u32 i = t; i < have; i += G::kThreads) s.key[i] = encode(codec, __ldcg(keys + from + i));
    if (t == 0) s.count = 0;
    __syncthreads();
    longer |= fixUpFind<G>(s, lead, have, low);
    __syncthreads();
    const u32 count = s.count;
    for (u32 r = t; r < count; r += G::kThreads) {
      const u32 first = s.runs[r] & 0xffff, many = s.runs[r] >> 16;
      fixUpRun<G>(s.key + first, many, codec, keys + from + first, G::kPairs ? values + from + first : nullptr);
    }
    __syncthreads();
  }
  if (longer) *(volatile u32*)&args->control->disorder = 1;
}

}  // namespace gs

#endif
