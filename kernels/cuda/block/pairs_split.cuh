// One split of an MSD sort of pairs: a stable partition of each part by up to 8
// bits, in one read and one write. Tiles of a part learn where their digits go by
// decoupled look-back (warp/lookback.cuh); where the part's first key of a digit
// goes is known from the histogram of all split bits.
#ifndef GS_BLOCK_PAIRS_SPLIT
#define GS_BLOCK_PAIRS_SPLIT

#include "block/pairs_prepare.cuh"
#include "block/pass.cuh"
#include "block/rank.cuh"
#include "warp/lookback.cuh"

namespace gs {

struct PairsSplit {
  const void *keysIn, *valuesIn;
  void *keysOut, *valuesOut;
  const u32* starts;       // of all buckets
  const PairsTile* tiles;  // null: one part of n items, in whole tiles
  u32* words;              // a row of kDigits per tile, zero
  u32* tickets;            // zero
  const MsdState* state;
  u32 n;
  u32 bits;      // of the digit, at most 8
  u32 bitsFrom;  // bits of the key before the digit
  u32 spread;    // bits of a bucket's number behind the digit
  u32 codec;     // applied to keys that are read, and then state->skip, if bitsFrom is 0; codec 0: none
};

// Shared memory: PassShared, whose scalars are used otherwise, and two tiles.
template <typename G> struct SplitShared : PassShared<G> {
  PairsTile* drawn;  // [2]
  static constexpr u32 kBytes = PassShared<G>::kBytes + 2 * sizeof(PairsTile);
  GS_DEVICE explicit SplitShared(void* base) : PassShared<G>(base) {
    drawn = reinterpret_cast<PairsTile*>(static_cast<char*>(base) + PassShared<G>::kBytes);
  }
};

// TopDigit extracts the digit. Its position waits in shared memory between the
// phases of a tile: digits are cheaper made again than kept.
template <typename K> struct TopDigit {
  u32 shift, mask;
  GS_DEVICE u32 operator()(K key) const { return topWord(key) >> shift & mask; }
};
template <typename G> GS_DEVICE TopDigit<KeyOf<G>> topDigit(const SplitShared<G>& s) {
  return {*(volatile u32*)s.digit, *(volatile u32*)s.planned};
}

// splitSkip is how many upper bits the first split shifts out (see MsdEncoded): it
// waits there, too.
template <typename G> GS_DEVICE u32 splitSkip(const SplitShared<G>& s) { return *(volatile u32*)s.fullTiles; }

template <typename G, bool kFull>
GS_DEVICE void loadSplit(const PairsSplit& a, u32 at, u32 valid, KeyOf<G> (&k)[G::kItems], ValueOf<G> (&v)[G::kItems]) {
  const u32 slot = tileSlot<G>();
  const KeyOf<G>* keysIn = static_cast<const KeyOf<G>*>(a.keysIn) + at + slot;
  const ValueOf<G>* valuesIn = static_cast<const ValueOf<G>*>(a.valuesIn) + at + slot;
  asm volatile("" : "+l"(keysIn));  // one address in registers, not one per item
  asm volatile("" : "+l"(valuesIn));
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    if (kFull || slot + 32 * i < valid) k[i] = __ldcs(keysIn + 32 * i);
  }
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    if (kFull || slot + 32 * i < valid) v[i] = __ldcs(valuesIn + 32 * i);
  }
}

template <typename G, bool kFull>
GS_DEVICE void countSplit(const PairsSplit& a, const SplitShared<G>& s, u32 valid, KeyOf<G> (&k)[G::kItems]) {
  encodeAll(a.codec, k);
  const u32 skip = splitSkip(s);
  if (skip != 0) {
#pragma unroll
    for (int i = 0; i < G::kItems; i++) k[i] <<= skip;
  }
  countKeys<G, kFull>(s, topDigit(s), valid, k);
}

// describe returns the tile of a ticket; its part is kNoPart behind the last.
constexpr u32 kNoPart = ~0u;
template <typename G> GS_DEVICE PairsTile describe(const PairsSplit& a, u32 all, u32 ticket) {
  if (ticket >= all) return PairsTile{0, 0, kNoPart, 0};
  if (a.tiles != nullptr) return a.tiles[ticket];
  return PairsTile{ticket * G::kTile, least(u32(G::kTile), a.n - ticket * G::kTile), 0, ticket};
}

// drawnTile is the tile of a turn, read from shared memory field by field.
template <typename G>
GS_DEVICE volatile const PairsTile& drawnTile(const SplitShared<G>& s, u32 turn) { return s.drawn[turn & 1]; }

// splitTile takes the tile of this turn, whose items k and v are requested if it
// is full, and requests those of the next. The thread kThreads−1 draws it: it has
// no digit to scan unless there are kDigits threads.
template <typename G, bool kFull>
GS_DEVICE void splitTile(const PairsSplit& a, const SplitShared<G>& s, u32 all, u32 turn, KeyOf<G> (&k)[G::kItems],
                         ValueOf<G> (&v)[G::kItems]) {
  const bool drawer = threadIdx.x == G::kThreads - 1;
  const u32 valid = kFull ? G::kTile : drawnTile(s, turn).items;
  if (!kFull) loadSplit<G, false>(a, drawnTile(s, turn).at, valid, k, v);
  countSplit<G, kFull>(a, s, valid, k);
  PairsTile coming;
  u32 next = 0;
  if (drawer) {
    next = atomicAdd(a.tickets, 1u);
    coming = describe<G>(a, all, next);
  }
  __syncthreads();
  const u32 row = *(volatile u32*)s.ticket, local = drawnTile(s, turn).local;
  u32 count, first;
  const u32 padding = !kFull && threadIdx.x == *(volatile u32*)s.planned ? G::kTile - valid : 0;
  u32* const word = a.words + u64(row) * kDigits + threadIdx.x;
  digitOffsets<G::kThreads>(
      s.counts, s.warpSums, count, first,
      [&](u32 total) { storeWord(word, (local == 0 ? kInclusive : kPartial) | (total - padding)); }, [&] {
        if (drawer) s.drawn[(turn + 1) & 1] = coming;
      });
  count -= padding;
  rankTile<G>(s, topDigit(s), k, v);
  if (threadIdx.x <= *(volatile u32*)s.planned) {
    u32 before = 0;
    if (local != 0) {
      before = lookBack<G::kWindow>(a.words + u64(row - local) * kDigits + threadIdx.x, local);
      storeWord(word, kInclusive | (before + count));
    }
    const u32 bucket = ((drawnTile(s, turn).part << a.bits) + threadIdx.x) << a.spread;
    // at − first may be below 0; slot ≥ first brings the sum back.
    const u64 at = u64(a.starts[bucket]) + before - first;
    s.keyAt[threadIdx.x] = reinterpret_cast<u64>(a.keysOut) + at * sizeof(KeyOf<G>);
    s.valueAt[threadIdx.x] = reinterpret_cast<u64>(a.valuesOut) + at * sizeof(ValueOf<G>);
  }
  if (drawnTile(s, turn + 1).items == G::kTile) loadSplit<G, true>(a, drawnTile(s, turn + 1).at, G::kTile, k, v);
  __syncthreads();
  if (drawer) *s.ticket = next;
  clearCounts<G::kThreads>(s.counts);
  writeTile<G, kFull, kPlain>(s, topDigit(s), 0, valid);
  __syncthreads();
}

// splitPairs is the body of both splits. Launch: any grid, as many blocks as run
// at once are fastest; SplitShared<G>::kBytes of dynamic shared memory.
//
// Blocks draw tiles by tickets in order, the next before they have published this
// one, as in block/pass.cuh. Still every drawn tile t is published: let all before
// t be. Its block runs, and before t finishes only tiles that it drew earlier,
// which look back at tiles smaller still. Publishing t waits for nothing. A ticket
// drawn one more tile early makes the look-backs longer: 2.1 for 1.7 ms.
// A part's first tile publishes an inclusive word, which ends every look-back
// within the part.
template <typename G> GS_DEVICE void splitPairs(const PairsSplit& a) {
  extern __shared__ uint4 dynamicShared[];
  const SplitShared<G> s(dynamicShared);
  if (a.state->route != kRouteSplit) return;
  const u32 all = a.tiles != nullptr ? a.state->tiles : (a.n + G::kTile - 1) / G::kTile;
  if (threadIdx.x == G::kThreads - 1) {
    const u32 ticket = atomicAdd(a.tickets, 1u);
    s.drawn[0] = describe<G>(a, all, ticket);
    *s.ticket = ticket;
    *s.digit = 32 - a.bitsFrom - a.bits;
    *s.planned = (1u << a.bits) - 1;
    *s.fullTiles = a.bitsFrom == 0 ? a.state->skip : 0;
  }
  clearCounts<G::kThreads>(s.counts);
  __syncthreads();
  KeyOf<G> k[G::kItems];
  ValueOf<G> v[G::kItems];
  if (drawnTile(s, 0).items == G::kTile) loadSplit<G, true>(a, drawnTile(s, 0).at, G::kTile, k, v);
  for (u32 turn = 0; drawnTile(s, turn).part != kNoPart; turn++) {
    if (drawnTile(s, turn).items == G::kTile)
      splitTile<G, true>(a, s, all, turn, k, v);
    else
      splitTile<G, false>(a, s, all, turn, k, v);
  }
}

}  // namespace gs

#endif
