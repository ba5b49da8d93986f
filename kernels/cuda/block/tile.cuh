// A tile of keys in registers and shared memory, for sorts that keep all their
// keys on chip from the first load to the last store.
#ifndef GS_BLOCK_TILE
#define GS_BLOCK_TILE

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"

namespace gs {

// Geometry of a tile: kThreads threads hold up to kItems keys each. kOrders_: pairs with keys of up to 32
// bits lie in bins as words of a key and its place below it.
template <int kBits, int kValueBytes_, int kThreads_, int kItems_, bool kOrders_ = false> struct TileGeometry {
  static constexpr int kValueBytes = kValueBytes_, kThreads = kThreads_, kItems = kItems_;
  static constexpr int kWarps = kThreads / 32, kTile = kThreads * kItems;
  // of bins: whole vectors to a thread
  static constexpr int kVectors = (kItems + 3) / 4, kCounters = 4 * kVectors * kThreads;
  static constexpr bool kPairs = kValueBytes != 0, kOrders = kOrders_ && kPairs && kBits <= 32;
  typedef WordOf<kBits> Key;
  typedef typename Word<kPairs ? kValueBytes : 4>::type Value;
  typedef typename Word<kBits == 32 ? 8 : 4>::type Ordered;
  static constexpr u32 kPlaceBits = 4 * sizeof(Ordered);
  static_assert(kThreads % 32 == 0 && kThreads >= kDigits && kThreads <= 1024, "one thread per digit");
  static_assert(kTile < 1 << 16, "ranks within a tile fit 16 bits, two to a word");
};

// Shared memory of a tile, carved from one dynamic array. Bins and counters are
// never needed together.
template <typename G> struct TileShared {
  static constexpr u32 kWarpBounds = 0, kWarpSums = 3 * 256, kBase = kWarpSums + 128, kTotals = kBase + 4 * kDigits,
      kCounts = kTotals + 2 * kDigits;
  static constexpr u32 kCountBytes = 2 * G::kWarps * kDigits, kBinBytes = 4 * (G::kCounters + 4);
  static constexpr u32 kKeys = kCounts + (kBinBytes > kCountBytes ? kBinBytes : kCountBytes),
      kValues = kKeys + G::kTile * sizeof(KeyOf<G>);
  static constexpr u32 kFrom = kValues + G::kTile * G::kValueBytes, kOrdered = kFrom + (G::kPairs ? 2 * G::kTile : 0);
  static constexpr u32 kBytes = kOrdered + (G::kOrders ? sizeof(typename G::Ordered) * G::kTile : 0);
  static_assert(kOrdered % 8 == 0 || !G::kOrders, "aligned words");

  u64* warpBounds;   // [3][32] of the keys of a warp: Bounds
  u32* warpSums;     // [32]
  u32* base;         // [kDigits] rank of the first key with a digit
  u16* totals;       // [kDigits] keys with a digit
  u16* counts;       // [kWarps][kDigits]
  u32* bins;         // [kCounters + 1]
  KeyOf<G>* keys;           // [kTile]
  ValueOf<G>* values;         // [kTile]
  u16* from;         // [kTile] where a key of a bin came from
  typename G::Ordered* ordered;  // [kTile] where G::kOrders, in place of keys and from in bins

  GS_DEVICE explicit TileShared(void* base_) {
    char* b = static_cast<char*>(base_);
    warpBounds = reinterpret_cast<u64*>(b + kWarpBounds);
    warpSums = reinterpret_cast<u32*>(b + kWarpSums);
    base = reinterpret_cast<u32*>(b + kBase);
    totals = reinterpret_cast<u16*>(b + kTotals);
    counts = reinterpret_cast<u16*>(b + kCounts);
    bins = reinterpret_cast<u32*>(b + kCounts);
    keys = reinterpret_cast<KeyOf<G>*>(b + kKeys);
    values = reinterpret_cast<ValueOf<G>*>(b + kValues);
    from = reinterpret_cast<u16*>(b + kFrom);
    ordered = reinterpret_cast<typename G::Ordered*>(b + kOrdered);
  }
};

// sharedOfBlock is the tile in the launch's dynamic shared memory. One register keeps its address: the compiler
// would make it again and again.
template <typename G> GS_DEVICE TileShared<G> sharedOfBlock() {
  extern __shared__ uint4 dynamicShared[];
  return TileShared<G>(inOneRegister(reinterpret_cast<u32*>(&dynamicShared[0])));
}

// Share is the part of the input that a block holds: `slots` consecutive keys
// from `first`, `used` to a thread, warp-striped: key i of lane l of warp w is
// the block's key number (w·used + i)·32 + l. So each warp owns a run, and
// item-major order within a warp is input order.
struct Share {
  u32 used, first, slots;
  GS_DEVICE Share(u32 threads, u32 used_, u32 rank) : used(used_), first(rank * used_ * threads),
      slots(used_ * threads) {}
  // slot is that of item 0; item i is 32·i further on.
  GS_DEVICE u32 slot() const { return threadIdx.x / 32 * 32 * used + laneID(); }
  // held is how many of the thread's items lie before place n: one comparison an item, which may be 16.
  GS_DEVICE u32 held(u32 n) const {
    const u32 at = first + slot(), most = at < n ? (n - at + 31) / 32 : 0;
    return most < used ? most : used;
  }
  // padding is how many of the block's slots lie behind n.
  GS_DEVICE u32 padding(u32 n) const { return first + slots <= n ? 0 : first < n ? first + slots - n : slots; }
};

// shareOf is this block's share of n keys that all blocks of the launch hold. n is a
// reference so that it is loaded where it is used, not before.
template <typename G> GS_DEVICE Share shareOf(const u32& n) {
  const u32 threads = gridDim.x * G::kThreads, last = n - 1;
  u32 before = 0;  // ⌊last/threads⌋ < kItems, without the registers of a division, which are a lane's
#pragma unroll
  for (u32 step = G::kItems / 2; step > 0; step /= 2) {
    if (last >= (before + step) * threads) before += step;
  }
  return Share(G::kThreads, before + 1, blockIdx.x);
}

// kEndsEarly: loops over a thread's items, which are written out, end at the first that is none, as a thread of many
// has one or two of them often, and code that is not there is not fetched. Of four, skipping each takes less.
template <typename G> constexpr bool kEndsEarly = G::kItems > 4;

// TileKeys are a thread's keys and values.
template <typename G> struct TileKeys {
  KeyOf<G> k[G::kItems];
  ValueOf<G> v[G::kPairs ? G::kItems : 1];
};

// loadTile reads a share of n items. What lies behind the input gets the
// largest key. Under argsort the values are the items' numbers.
template <typename G>
GS_DEVICE void loadTile(TileKeys<G>& t, const Share& share, const KeyOf<G>* keys, const ValueOf<G>* values, u32 n,
                        u32 mode) {
  const u32 at = share.first + share.slot(), held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    t.k[i] = KeyOf<G>(~KeyOf<G>(0));
    if constexpr (G::kPairs) t.v[i] = ValueOf<G>(at + 32 * i);
  }
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (kEndsEarly<G> && i >= held) break;
    if (i >= held) continue;
    t.k[i] = keys[at + 32 * i];
    if constexpr (G::kPairs) {
      if (mode != kModeArgsort) t.v[i] = values[at + 32 * i];
    }
  }
}

// firstKey is the encoded key of the input's first key. It is read behind a warp's other loads, which otherwise are
// requested when it has been encoded. All lanes.
template <typename K> GS_DEVICE K firstKey(u32 codec, const K* keys) {
  __syncwarp();
  return encode(codec, keys[0]);
}

// Bounds are the least and the most of some keys, as encoded, and the bits in which they differ. Of no keys the least
// is the largest key, and the most 0.
template <typename K> struct Bounds {
  K least, most, differ;
  GS_DEVICE static Bounds none() { return {K(~K(0)), 0, 0}; }
  GS_DEVICE void add(K key, K sample) {
    least = key < least ? key : least, most = key > most ? key : most;
    differ |= key ^ sample;
  }
  // top is how many bits number the keys from the least on.
  GS_DEVICE u32 top() const { return 64 - __clzll(u64(most - least)); }
};

// encodeTile encodes the keys and returns this thread's bounds; sample is any encoded key of the input.
template <typename G>
GS_DEVICE Bounds<KeyOf<G>> encodeTile(TileKeys<G>& t, const Share& share, u32 n, u32 codec, KeyOf<G> sample) {
  Bounds<KeyOf<G>> b = Bounds<KeyOf<G>>::none();
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (kEndsEarly<G> && i >= held) break;
    if (i >= held) continue;
    t.k[i] = encode(codec, t.k[i]);
    b.add(t.k[i], sample);
  }
  return b;
}

// storeTile writes the share. Under argsort the keys stay as they are.
template <typename G>
GS_DEVICE void storeTile(const TileKeys<G>& t, const Share& share, KeyOf<G>* keys, ValueOf<G>* values, u32 n, u32 codec,
                         u32 mode) {
  const u32 at = share.first + share.slot(), held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (kEndsEarly<G> && i >= held) break;
    if (i >= held) continue;
    if (mode != kModeArgsort) keys[at + 32 * i] = decode(codec, t.k[i]);
    if constexpr (G::kPairs) values[at + 32 * i] = t.v[i];
  }
}

// putAside writes the block's keys to shared memory, each thread its own.
template <typename G, typename Shared>
GS_DEVICE void putAside(const Shared& s, const Share& share, const TileKeys<G>& t) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    s.keys[share.slot() + 32 * i] = t.k[i];
    if constexpr (G::kPairs) s.values[share.slot() + 32 * i] = t.v[i];
  }
}

// takeAside reads the keys of the block's share of n, which it returns, from where putAside
// put them or countGrid in order of a digit: then equal keys are still as they were, and
// padding is behind all keys. Items that are not used get the largest key.
template <typename G, typename Shared> GS_DEVICE Share takeAside(const Shared& s, const u32& n, TileKeys<G>& t) {
  const Share share = shareOf<G>(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) t.k[i] = KeyOf<G>(~KeyOf<G>(0));
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    t.k[i] = s.keys[share.slot() + 32 * i];
    if constexpr (G::kPairs) t.v[i] = s.values[share.slot() + 32 * i];
  }
  return share;
}

// warpBounds are the bounds over the warp.
template <typename K> GS_DEVICE Bounds<K> warpBounds(const Bounds<K>& b) {
  return {warpLeast(b.least), warpGreatest(b.most), warpOr(b.differ)};
}

// blockBounds are the bounds over the block, in every thread. words: [3][32], a word of each for a warp. One barrier,
// behind its writing. Words rather than one atomic: OR of 64 bits in shared memory is a loop of compare-and-swap, which
// takes all warps in turn.
template <typename G> GS_DEVICE Bounds<KeyOf<G>> blockBounds(u64* words, const Bounds<KeyOf<G>>& mine) {
  typedef typename G::Key K;
  const Bounds<K> b = warpBounds(mine);
  const u32 warp = threadIdx.x / 32;
  if (laneID() == 0) words[warp] = b.least, words[32 + warp] = b.most, words[64 + warp] = b.differ;
  __syncthreads();
  Bounds<K> all = Bounds<K>::none();
  if (laneID() < G::kWarps)
    all.least = K(words[laneID()]), all.most = K(words[32 + laneID()]), all.differ = K(words[64 + laneID()]);
  return warpBounds(all);
}

// Passing is what passes by 8-bit digits are made by: the bits of `varying`, of keys from which `low` is taken. They
// are the bits that differ, or those of the distance to the least key, where these are fewer digits.
template <typename K> struct Passing {
  K low = 0, varying;
  GS_DEVICE explicit Passing(const Bounds<K>& b) : varying(b.differ) {
    const K same = K((b.differ & K(0 - b.differ)) - 1), distance = K(K(K(~K(0)) >> (8 * sizeof(K) - b.top())) & ~same);
    if (digitsOf<sizeof(K)>(distance) < digitsOf<sizeof(K)>(b.differ)) low = b.least, varying = distance;
  }
  GS_DEVICE bool passes(u32 digit) const { return (u64(varying) >> (kDigitBits * digit)) % kDigits != 0; }
  GS_DEVICE u32 digits() const { return digitsOf<sizeof(K)>(varying); }
};

}  // namespace gs

#endif
