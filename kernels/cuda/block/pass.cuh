// One digit pass over one portion (Adinets and Merrill 2022). Launch: a grid of
// any size; as many blocks as run at once are fastest. Reads and writes where
// the control block says, and returns at once if the pass is not needed.
#ifndef GS_BLOCK_PASS
#define GS_BLOCK_PASS

#include "block/control.cuh"
#include "block/rank.cuh"
#include "warp/codec.cuh"
#include "warp/lookback.cuh"

namespace gs {

// Geometry of a pass. kValueBytes is 0 for keys alone. kItems and kThreads set
// the tile, shared memory (at least 1,024 bytes of counters per warp) and the
// registers: a thread holds kItems keys and values.
template <int kBits, int kValueBytes_, int kThreads_, int kItems_, int kWindow_> struct PassGeometry {
  static constexpr int kValueBytes = kValueBytes_, kThreads = kThreads_, kItems = kItems_, kWindow = kWindow_;
  static constexpr int kWarps = kThreads / 32, kTile = kThreads * kItems;
  static constexpr bool kPairs = kValueBytes != 0;
  static constexpr bool kUpper = false;
  static constexpr bool kSkewed = false;
  static constexpr int kValueItems = kPairs ? kItems : 1;
  typedef WordOf<kBits> Key;
  typedef typename Word<kPairs ? kValueBytes : 4>::type Value;
  GS_DEVICE static u32 keyBytesOut(PassPlan) { return sizeof(Key); }
  static_assert(kThreads % 32 == 0 && kThreads >= kDigits && kThreads <= 1024, "one thread per digit");
};

// Skewed leaves one place in shared memory free behind every kSkew slots of the sorted
// tile. Keys that come in some order, as bit-reversed ones or squares, give the lanes
// of a warp ranks a multiple of 32 apart: without gaps all 32 stores meet in one bank.
// A store costs one instruction more; reading costs none, as a thread's slots are
// a multiple of kSkew apart.
constexpr u32 kSkew = 64;
template <typename G> struct Skewed : G {
  static constexpr bool kSkewed = true;
  static_assert(G::kThreads % kSkew == 0, "a thread's slots are whole gaps apart");
};

// placeOfSlot is where slot j of the sorted tile lies in shared memory.
template <typename G> GS_DEVICE constexpr u32 placeOfSlot(u32 j) { return G::kSkewed ? j + j / kSkew : j; }

// Geometry of a pass of an argsort that may leave the lower half of its keys behind,
// when it was the last to need it: the passes behind it move half the keys' bytes.
// Such a pass does not decode, and the control block says which digit it sorts by.
template <int kBits, int kValueBytes, int kThreads, int kItems, int kWindow>
struct UpperGeometry : PassGeometry<kBits, kValueBytes, kThreads, kItems, kWindow> {
  static constexpr bool kUpper = true;
  GS_DEVICE static u32 keyBytesOut(PassPlan plan) { return plan.upper() ? kBits / 16 : kBits / 8; }
};

// Shared memory of a pass, carved from one dynamic array.
template <typename G> struct PassShared {
  typedef typename G::Key K;
  static constexpr u32 kValueAt = 8 * kDigits, kCounts = kValueAt + (G::kPairs ? 8 * kDigits : 0);
  static constexpr u32 kWarpSums = kCounts + 4 * G::kWarps * kDigits, kTicket = kWarpSums + 32;
  static constexpr u32 kValues = kWarpSums + 64, kPlaces = placeOfSlot<G>(G::kTile);
  static constexpr u32 kKeys = kValues + kPlaces * G::kValueBytes, kBytes = kKeys + kPlaces * sizeof(K);
  static_assert(kKeys % sizeof(K) == 0, "aligned");

  u64* keyAt;  // [kDigits] address that slot 0 of the sorted tile would have in the digit's run
  u64* valueAt;
  u32* counts;    // [kWarps][kDigits]
  u32* warpSums;  // [kDigits / 32]
  u32* ticket;     // the tile drawn last
  u32* digit;      // PassArgs.pass
  u32* planned;    // PassPlan.bits
  u32* fullTiles;  // of the portion
  ValueOf<G>* values;       // [kPlaces]
  K* keys;         // [kPlaces]

  GS_DEVICE explicit PassShared(void* base) {
    char* b = static_cast<char*>(base);
    keyAt = reinterpret_cast<u64*>(b);
    valueAt = reinterpret_cast<u64*>(b + kValueAt);
    counts = reinterpret_cast<u32*>(b + kCounts);
    warpSums = reinterpret_cast<u32*>(b + kWarpSums);
    ticket = reinterpret_cast<u32*>(b + kTicket);
    digit = ticket + 1;
    planned = ticket + 2;
    fullTiles = ticket + 3;
    values = reinterpret_cast<ValueOf<G>*>(b + kValues);
    keys = reinterpret_cast<K*>(b + kKeys);
  }
};

// A tile's look-back words, one per digit.
GS_CONSTANT(RowBytes, kDigits * sizeof(u32))

struct PassArgs {
  void *keysIO, *keysA, *keysB, *valuesIO, *valuesA;
  Control* control;
  u32* words;     // look-back words of the portion's tiles, zero
  u64 n;          // items of the whole sort
  u32 pass;       // digit, from the least significant
  u32 portion;    // its number
  u32 firstTile;    // of the portion
  u32 tiles;        // of the portion, at least 1
  u32 firstTicket;  // tickets that earlier portions of the pass drew, modulo 2^32
  u32 codec;
  u32 stall;  // 0, or for tests: tiles t with t % stall == stall−1 publish late
};

// tileSlot is this thread's slot in the unsorted tile of item 0; item i is 32·i
// further on.
template <typename G> GS_DEVICE u32 tileSlot() { return threadIdx.x / 32 * 32 * G::kItems + laneID(); }

// fullTilesOf counts the portion's tiles that are full: all, but for the last
// tile of the sort.
template <typename G> GS_DEVICE u32 fullTilesOf(const PassArgs& a) {
  const u64 items = a.n - u64(a.firstTile) * G::kTile;
  return items >= u64(a.tiles) * G::kTile ? a.tiles : a.tiles - 1;
}

template <typename T> GS_DEVICE T* placeOf(u32 place, void* io, void* a, void* b) {
  return static_cast<T*>(place == kPlaceIO ? io : place == kPlaceA ? a : b);
}

// What writeTile does with the keys.
enum KeyOutput { kPlain, kDecode, kWiden, kDrop, kUpperHalf };

// writeTile writes the sorted tile to the digits' runs, slot by slot, so that
// neighbouring threads write neighbouring addresses. narrow is for kWiden.
template <typename G, bool kFull, KeyOutput kOutput, typename Digit>
GS_DEVICE void writeTile(const PassShared<G>& s, const Digit& digitOf, u32 codec, u32 valid,
                         const Narrow& narrow = Narrow()) {
  typedef typename G::Key K;
  const Narrower<K> narrower(narrow);
  typedef typename G::Value V;
  const u32 place0 = placeOfSlot<G>(threadIdx.x);
#pragma unroll 4
  for (int i = 0; i < G::kItems; i++) {
    const u32 j = i * G::kThreads + threadIdx.x, place = placeOfSlot<G>(i * G::kThreads) + place0;
    if (kFull || j < valid) {
      const K key = s.keys[place];
      const u32 d = digitOf(key);
      if constexpr (kOutput == kUpperHalf) {
        typedef typename Word<sizeof(K) / 2>::type Half;
        *reinterpret_cast<Half*>(s.keyAt[d] + u64(j) * sizeof(Half)) = Half(key >> 4 * sizeof(K));
      } else if (kOutput != kDrop) {
        const K encoded = kOutput == kWiden ? narrower.widen(key) : key;
        *reinterpret_cast<K*>(s.keyAt[d] + u64(j) * sizeof(K)) = kOutput == kPlain ? encoded : decode(codec, encoded);
      }
      if constexpr (G::kPairs) *reinterpret_cast<V*>(s.valueAt[d] + u64(j) * sizeof(V)) = s.values[place];
    }
  }
}

// What a block needs of the pass waits in shared memory between the phases of a
// tile, not in registers. The digit's number must: the compiler may not know
// that two phases extract the same digit, or it would keep the digits of all
// items from one to the next.
template <typename G> GS_DEVICE PassPlan planOf(const PassShared<G>& s) { return PassPlan{*(volatile u32*)s.planned}; }

template <typename G> GS_DEVICE DigitOf<KeyOf<G>> digitOfPass(const PassShared<G>& s) {
  return DigitOf<KeyOf<G>>(*(volatile u32*)s.digit);
}

// countKeys counts the tile's keys by digit. Padding becomes the largest key behind all others: its ranks are the last.
template <typename G, bool kFull, typename Digit>
GS_DEVICE void countKeys(const PassShared<G>& s, const Digit& digitOf, u32 valid, KeyOf<G> (&k)[G::kItems]) {
  if (!kFull) {
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      if (tileSlot<G>() + 32 * i >= valid) k[i] = KeyOf<G>(~KeyOf<G>(0));
    }
  }
  u32* const mine = warpRow(s.counts);
#pragma unroll
  for (int i = 0; i < G::kItems; i++) atomicAdd(&mine[digitOf(k[i])], 1u);
}

// loadTile requests keys and values together, so that the wait for values
// hides behind counting and scanning.
template <typename G, bool kFull>
GS_DEVICE void loadTile(const PassArgs& a, const PassShared<G>& s, u32 tile, u32 valid, KeyOf<G> (&k)[G::kItems],
                        ValueOf<G> (&v)[G::kValueItems]) {
  const PassPlan plan = planOf(s);
  typedef typename G::Value V;
  const u64 offset = u64(tile) * G::kTile;
  const u32 slot = tileSlot<G>();
  const KeyOf<G>* keysIn = placeOf<const KeyOf<G>>(plan.srcKeys(), a.keysIO, a.keysA, a.keysB) + offset + slot;
  asm volatile("" : "+l"(keysIn));  // one address in registers, not one per item
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    if (kFull || slot + 32 * i < valid) k[i] = __ldcs(keysIn + 32 * i);
  }
  if constexpr (G::kPairs) {
    if (plan.srcValues() == kPlaceNone) {
#pragma unroll
      for (int i = 0; i < G::kItems; i++) v[i] = V(offset + slot + 32 * i);
    } else {
      const V* valuesIn = placeOf<const V>(plan.srcValues(), a.valuesIO, a.valuesA, a.valuesA) + offset + slot;
      asm volatile("" : "+l"(valuesIn));
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        if (kFull || slot + 32 * i < valid) v[i] = __ldcs(valuesIn + 32 * i);
      }
    }
  }
}

// countTile encodes the keys if this is the first pass, pads a partial tile and
// counts digits per warp. counts were zero before a barrier.
template <typename G, bool kFull>
GS_DEVICE void countTile(const PassArgs& a, const PassShared<G>& s, u32 valid, KeyOf<G> (&k)[G::kItems]) {
  const PassPlan plan = planOf(s);
  const u32 slot = tileSlot<G>();
  if (plan.encode() && a.codec != 0) {
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      if (kFull || slot + 32 * i < valid) k[i] = encode(a.codec, k[i]);
    }
  }
  if constexpr (sizeof(KeyOf<G>) >= 4) {
    if (plan.encode() && plan.narrow()) {
      const Narrower<KeyOf<G>> narrower(a.control->narrow);
#pragma unroll
      for (int i = 0; i < G::kItems; i++) k[i] = narrower.narrow(k[i]);
    }
  }
  countKeys<G, kFull>(s, digitOfPass(s), valid, k);
}

// offsetsOfTile publishes the tile's counts and turns them into ranks.
// Barriers as in digitOffsets; betweenBarriers runs in all threads.
template <typename G, bool kFull, typename Between>
GS_DEVICE void offsetsOfTile(const PassArgs& a, const PassShared<G>& s, u32 local, u32 valid, u32& count, u32& first,
                             Between betweenBarriers) {
  const u32 tile = a.firstTile + local;
  if (a.stall != 0 && tile % a.stall == a.stall - 1) {
    for (long long t = clock64(); clock64() - t < 100000;) {
    }
  }
  u32* word = a.words + u64(local) * kDigits + threadIdx.x;
  const u32 padding = !kFull && threadIdx.x == kDigits - 1 ? G::kTile - valid : 0;
  digitOffsets<G::kThreads>(
      s.counts, s.warpSums, count, first,
      [&](u32 total) { storeWord(word, (local == 0 ? kInclusive : kPartial) | (total - padding)); }, betweenBarriers);
  count -= padding;
}

// rankTile moves keys and values to their places in the sorted tile.
template <typename G, typename Digit>
GS_DEVICE void rankTile(const PassShared<G>& s, const Digit& digitOf, const KeyOf<G> (&k)[G::kItems],
                        const ValueOf<G> (&v)[G::kValueItems]) {
  u32* const mine = warpRow(s.counts);
  const u32 below = lanesBelow(), above = lanesAbove();
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 place = placeOfSlot<G>(nextRank(mine, digitOf(k[i]), below, above));
    s.keys[place] = k[i];
    if constexpr (G::kPairs) s.values[place] = v[i];
  }
}

// placeTile looks back and tells where each digit's run of the tile goes.
// Threads below kDigits.
template <typename G>
GS_DEVICE void placeTile(const PassArgs& a, const PassShared<G>& s, u32 local, u32 count, u32 first) {
  const PassPlan plan = planOf(s);
  Control* c = a.control;
  const u64 start = c->start[a.pass][a.portion & 1][threadIdx.x];
  u32 before = 0;
  if (local != 0) {
    before = lookBack<G::kWindow>(a.words + threadIdx.x, local);
    storeWord(a.words + u64(local) * kDigits + threadIdx.x, kInclusive | (before + count));
  }
  const u64 at = start + before;
  if (local == a.tiles - 1) c->start[a.pass][(a.portion & 1) ^ 1][threadIdx.x] = at + count;
  // at − first may be below 0; slot ≥ first brings the sum back.
  KeyOf<G>* const keysOut = placeOf<KeyOf<G>>(plan.dstKeys(), a.keysIO, a.keysA, a.keysB);
  s.keyAt[threadIdx.x] = reinterpret_cast<u64>(keysOut) + (at - first) * G::keyBytesOut(plan);
  if constexpr (G::kPairs) {
    ValueOf<G>* const valuesOut = placeOf<ValueOf<G>>(plan.dstValues(), a.valuesIO, a.valuesA, a.valuesA);
    s.valueAt[threadIdx.x] = reinterpret_cast<u64>(valuesOut) + (at - first) * sizeof(ValueOf<G>);
  }
}

template <typename G, bool kFull> GS_DEVICE void writeAsPlanned(const PassArgs& a, const PassShared<G>& s, u32 valid) {
  const PassPlan plan = planOf(s);
  const DigitOf<KeyOf<G>> digitOf = digitOfPass(s);
  if (G::kPairs && plan.dstKeys() == kPlaceNone) {
    writeTile<G, kFull, kDrop>(s, digitOf, a.codec, valid);
  } else if constexpr (G::kUpper) {
    if (plan.upper())
      writeTile<G, kFull, kUpperHalf>(s, digitOf, a.codec, valid);
    else
      writeTile<G, kFull, kPlain>(s, digitOf, a.codec, valid);
  } else if (sizeof(KeyOf<G>) >= 4 && plan.decode() && plan.narrow()) {
    writeTile<G, kFull, kWiden>(s, digitOf, a.codec, valid, a.control->narrow);
  } else if (plan.decode() && a.codec != 0) {
    writeTile<G, kFull, kDecode>(s, digitOf, a.codec, valid);
  } else {
    writeTile<G, kFull, kPlain>(s, digitOf, a.codec, valid);
  }
}

// pass is the body of the kernel. Dynamic shared memory: PassShared<G>::kBytes.
//
// A block takes tiles until none is left. Tickets, not blockIdx, number them: a
// block that has not started holds no tile. All blocks together draw a ticket
// per full tile and one each: tiles + gridDim.x, but one fewer in the portion
// that ends with a partial tile, the last. A pass that is not needed draws none
// in any portion.
//
// The next tile is drawn before this one is published, and requested when the
// registers of this one are free, before the look-back, so that the wait for
// memory overlaps look-back and writing. A block may so hold a tile that it has
// not published while it waits in a look-back. Still every tile t that has been
// drawn is published: by induction let all tiles before t be; they have been
// drawn, since tickets are handed out in order. t's block is running. Before it
// publishes t it finishes at most the tiles that it drew earlier; these are
// smaller than t, and look back only at tiles smaller still, which are published.
// It never waits for a tile after t, nor for one that nobody has drawn. Nor does
// publishing wait for the tile's own look-back, so that the first tile's
// inclusive word, and the partial words behind it, end every look-back.
template <typename G> GS_DEVICE void pass(const PassArgs& a) {
  extern __shared__ uint4 dynamicShared[];
  const PassShared<G> s(dynamicShared);
  if (!a.control->pass[a.pass].active()) return;
  // The thread that draws tickets has no digit to scan unless the block has
  // only kDigits threads.
  const bool drawer = threadIdx.x == G::kThreads - 1;
  u32* const tickets = &a.control->ticket[a.pass];
  if (drawer) {
    *s.ticket = atomicAdd(tickets, 1u);
    const PassPlan plan = a.control->pass[a.pass];
    *s.digit = G::kUpper ? plan.digit() : a.pass;
    *s.planned = plan.bits;
    *s.fullTiles = fullTilesOf<G>(a);
  }
  clearCounts<G::kThreads>(s.counts);
  __syncthreads();
  u32 local = *s.ticket - a.firstTicket;
  auto full = [&](u32 t) { return t < *(volatile u32*)s.fullTiles; };

  KeyOf<G> k[G::kItems];
  ValueOf<G> v[G::kValueItems];
  u32 count, first;
  if (full(local)) loadTile<G, true>(a, s, a.firstTile + local, G::kTile, k, v);
  while (full(local)) {
    countTile<G, true>(a, s, G::kTile, k);
    u32 drawn = 0;
    if (drawer) drawn = atomicAdd(tickets, 1u);
    __syncthreads();
    offsetsOfTile<G, true>(a, s, local, G::kTile, count, first, [&] {
      if (drawer) *s.ticket = drawn;
    });
    const u32 next = *s.ticket - a.firstTicket;
    rankTile<G>(s, digitOfPass(s), k, v);
    if (threadIdx.x < kDigits) placeTile<G>(a, s, local, count, first);
    if (full(next)) loadTile<G, true>(a, s, a.firstTile + next, G::kTile, k, v);
    __syncthreads();
    clearCounts<G::kThreads>(s.counts);
    writeAsPlanned<G, true>(a, s, G::kTile);
    __syncthreads();
    local = next;
  }
  if (local >= a.tiles) return;
  // The sort's last tile, which is not full.
  const u32 valid = u32(a.n - u64(a.firstTile + local) * G::kTile);
  loadTile<G, false>(a, s, a.firstTile + local, valid, k, v);
  countTile<G, false>(a, s, valid, k);
  __syncthreads();
  offsetsOfTile<G, false>(a, s, local, valid, count, first, [] {});
  rankTile<G>(s, digitOfPass(s), k, v);
  if (threadIdx.x < kDigits) placeTile<G>(a, s, local, count, first);
  __syncthreads();
  writeAsPlanned<G, false>(a, s, valid);
}

// clearWords zeroes look-back words, and what lies before them, for the launches behind
// it: those of a gated sort, if its gate is open; if gate is null, any.
GS_DEVICE void clearWords(uint4* words, u64 vectors, const u32* gate) {
  if (gate != nullptr && *gate != kGateOpen) return;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors; i += u64(gridDim.x) * blockDim.x)
    words[i] = make_uint4(0, 0, 0, 0);
}

}  // namespace gs

#endif
