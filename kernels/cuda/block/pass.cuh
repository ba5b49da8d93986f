// One digit pass over one portion (Adinets and Merrill 2022). Launch: one
// block per tile of the portion. Reads and writes where the control block says,
// and returns at once if the pass is not needed.
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
  typedef typename Word<kBits / 8>::type Key;
  typedef typename Word<kPairs ? kValueBytes : 4>::type Value;
  static_assert(kThreads % 32 == 0 && kThreads >= kDigits && kThreads <= 1024, "one thread per digit");
};

// Shared memory of a pass, carved from one dynamic array.
template <typename G> struct PassShared {
  typedef typename G::Key K;
  typedef typename G::Value V;
  static constexpr u32 kValueAt = 8 * kDigits, kCounts = kValueAt + (G::kPairs ? 8 * kDigits : 0);
  static constexpr u32 kWarpSums = kCounts + 4 * G::kWarps * kDigits, kTicket = kWarpSums + 32;
  static constexpr u32 kValues = kWarpSums + 64, kKeys = kValues + G::kTile * G::kValueBytes;
  static constexpr u32 kBytes = kKeys + G::kTile * sizeof(K);
  // The planner's formula.
  static_assert(kBytes == 2048 * (G::kPairs ? 2 : 1) + 1024 * G::kWarps + 64 + G::kTile * (sizeof(K) + G::kValueBytes), "as in internal/algo/onesweep");

  u64* keyAt;  // [kDigits] address that slot 0 of the sorted tile would have in the digit's run
  u64* valueAt;
  u32* counts;    // [kWarps][kDigits]
  u32* warpSums;  // [kDigits / 32]
  u32* ticket;
  V* values;  // [kTile]
  K* keys;    // [kTile]

  GS_DEVICE explicit PassShared(void* base) {
    char* b = static_cast<char*>(base);
    keyAt = reinterpret_cast<u64*>(b);
    valueAt = reinterpret_cast<u64*>(b + kValueAt);
    counts = reinterpret_cast<u32*>(b + kCounts);
    warpSums = reinterpret_cast<u32*>(b + kWarpSums);
    ticket = reinterpret_cast<u32*>(b + kTicket);
    values = reinterpret_cast<V*>(b + kValues);
    keys = reinterpret_cast<K*>(b + kKeys);
  }
};

struct PassArgs {
  void *keysIO, *keysA, *keysB, *valuesIO, *valuesA;
  Control* control;
  u32* words;     // look-back words of the portion's tiles, zero
  u64 n;          // items of the whole sort
  u32 pass;       // digit, from the least significant
  u32 portion;    // its number
  u32 firstTile;  // of the portion
  u32 codec;
  u32 stall;  // 0, or for tests: tiles t with t % stall == stall−1 publish late
};

template <typename T> GS_DEVICE T* placeOf(u32 place, void* io, void* a, void* b) {
  return static_cast<T*>(place == kPlaceIO ? io : place == kPlaceA ? a : b);
}

// What writeTile does with the keys.
enum KeyOutput { kPlain, kDecode, kDrop };

// writeTile writes the sorted tile to the digits' runs, slot by slot, so that
// neighbouring threads write neighbouring addresses.
template <typename G, bool kFull, KeyOutput kOutput>
GS_DEVICE void writeTile(const PassShared<G>& s, const DigitOf<typename G::Key>& digitOf, u32 codec, u32 valid) {
  typedef typename G::Key K;
  typedef typename G::Value V;
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 j = i * G::kThreads + threadIdx.x;
    if (kFull || j < valid) {
      const K key = s.keys[j];
      const u32 d = digitOf(key);
      if (kOutput != kDrop) *reinterpret_cast<K*>(s.keyAt[d] + u64(j) * sizeof(K)) = kOutput == kDecode ? decode(codec, key) : key;
      if constexpr (G::kPairs) *reinterpret_cast<V*>(s.valueAt[d] + u64(j) * sizeof(V)) = s.values[j];
    }
  }
}

// passTile handles one tile. kFull: it has kTile items; else `valid`.
template <typename G, bool kFull> GS_DEVICE void passTile(const PassArgs& a, PassPlan plan, const PassShared<G>& s, u32 tile, u32 valid) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  const u32 lane = laneID(), warp = threadIdx.x / 32;
  const u64 offset = u64(tile) * G::kTile;
  const u32 slot = warp * 32 * G::kItems + lane;  // of item 0; item i is 32·i further on
  const DigitOf<K> countDigit(a.pass);
  u32* mine = s.counts + warp * kDigits;

  // Keys and values are requested together, so that the wait for values hides
  // behind counting and scanning.
  K k[G::kItems];
  V v[G::kPairs ? G::kItems : 1];
  const K* keysIn = placeOf<const K>(plan.srcKeys(), a.keysIO, a.keysA, a.keysB) + offset + slot;
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
  if (plan.encode() && a.codec != 0) {
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      if (kFull || slot + 32 * i < valid) k[i] = encode(a.codec, k[i]);
    }
  }
  // Padding is the largest key behind all others: its ranks are the last.
  if (!kFull) {
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      if (slot + 32 * i >= valid) k[i] = K(~K(0));
    }
  }
#pragma unroll
  for (int i = 0; i < G::kItems; i++) atomicAdd(&mine[countDigit(k[i])], 1u);
  __syncthreads();

  const u32 local = tile - a.firstTile;
  u32* word = a.words + u64(local) * kDigits + threadIdx.x;
  if (a.stall != 0 && tile % a.stall == a.stall - 1) {
    for (long long t = clock64(); clock64() - t < 100000;) {
    }
  }
  u32 count, first;
  digitOffsets<G::kThreads>(s.counts, s.warpSums, count, first, [&](u32& total) {
    u32 items = total;
    if (!kFull && threadIdx.x == kDigits - 1) items -= G::kTile - valid;
    storeWord(word, (local == 0 ? kInclusive : kPartial) | items);
  });
  if (!kFull && threadIdx.x == kDigits - 1) count -= G::kTile - valid;

  const DigitOf<K> digitOf = countDigit.again();
  const u32 below = lanesBelow(), above = lanesAbove();
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    const u32 rank = nextRank(mine, digitOf(k[i]), below, above);
    s.keys[rank] = k[i];
    if constexpr (G::kPairs) s.values[rank] = v[i];
  }

  K* const keysOut = placeOf<K>(plan.dstKeys(), a.keysIO, a.keysA, a.keysB);
  if (threadIdx.x < kDigits) {
    Control* c = a.control;
    const u64 start = c->start[a.pass][a.portion & 1][threadIdx.x];
    u32 before = 0;
    if (local != 0) {
      before = lookBack<G::kWindow>(a.words + threadIdx.x, local);
      storeWord(word, kInclusive | (before + count));
    }
    const u64 at = start + before;
    if (local == gridDim.x - 1) c->start[a.pass][(a.portion & 1) ^ 1][threadIdx.x] = at + count;
    // at − first may be below 0; slot ≥ first brings the sum back.
    s.keyAt[threadIdx.x] = reinterpret_cast<u64>(keysOut) + (at - first) * sizeof(K);
    if constexpr (G::kPairs) {
      V* valuesOut = placeOf<V>(plan.dstValues(), a.valuesIO, a.valuesA, a.valuesA);
      s.valueAt[threadIdx.x] = reinterpret_cast<u64>(valuesOut) + (at - first) * sizeof(V);
    }
  }
  __syncthreads();

  const DigitOf<K> outDigit = countDigit.again();
  if (G::kPairs && plan.dstKeys() == kPlaceNone) {
    writeTile<G, kFull, kDrop>(s, outDigit, a.codec, valid);
  } else if (plan.decode() && a.codec != 0) {
    writeTile<G, kFull, kDecode>(s, outDigit, a.codec, valid);
  } else {
    writeTile<G, kFull, kPlain>(s, outDigit, a.codec, valid);
  }
}

// nextTile takes a ticket and handles its tile. It returns false if all n items
// have been taken. Begins and ends without a barrier.
template <typename G> GS_DEVICE bool nextTile(const PassArgs& a, PassPlan plan, const PassShared<G>& s) {
  // The ticket, not blockIdx, numbers the tiles: then every tile that another
  // waits for has started.
  if (threadIdx.x == 0) *s.ticket = atomicAdd(&a.control->ticket[a.pass], 1u);
  clearCounts<G::kThreads>(s.counts);
  __syncthreads();
  const u32 tile = *s.ticket;
  if (u64(tile) * G::kTile >= a.n) return false;
  const u64 left = a.n - u64(tile) * G::kTile;
  if (left >= G::kTile) {
    passTile<G, true>(a, plan, s, tile, G::kTile);
  } else {
    passTile<G, false>(a, plan, s, tile, u32(left));
  }
  return true;
}

// pass is the body of the kernel. Dynamic shared memory: PassShared<G>::kBytes.
template <typename G> GS_DEVICE void pass(const PassArgs& a) {
  extern __shared__ uint4 dynamicShared[];
  const PassShared<G> s(dynamicShared);
  const PassPlan plan = a.control->pass[a.pass];
  if (plan.active()) nextTile<G>(a, plan, s);
}

// passLoop is pass with a grid of any size, for sorts that seldom run: blocks
// without work cost time, and a small grid has few. One portion holds all
// tiles. Tickets rise, and a block holds one at a time, so that every tile that
// another waits for has started, as in pass.
template <typename G> GS_DEVICE void passLoop(const PassArgs& a) {
  extern __shared__ uint4 dynamicShared[];
  const PassShared<G> s(dynamicShared);
  const PassPlan plan = a.control->pass[a.pass];
  if (!plan.active()) return;
  while (nextTile<G>(a, plan, s)) __syncthreads();
}

// clearWords zeroes the look-back words of the next passLoop, if its sort runs.
GS_DEVICE void clearWords(uint4* words, u64 vectors, const u32* gate) {
  if (*gate != kGateOpen) return;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors; i += u64(gridDim.x) * blockDim.x) words[i] = make_uint4(0, 0, 0, 0);
}

}  // namespace gs

#endif
