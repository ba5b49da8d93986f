// A tile of keys in registers and shared memory, for sorts that keep all their
// keys on chip from the first load to the last store.
#ifndef GS_BLOCK_TILE
#define GS_BLOCK_TILE

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"

namespace gs {

// TileGeometry: kThreads threads hold up to kItems keys each, together a tile of up to kTile items. With kJoins_, an
// item of pairs lies in a bin as one joined word: the key, of up to 32 bits, above its place in the tile.
template <int kBits, int kValueBytes_, int kThreads_, int kItems_, bool kJoins_ = false> struct TileGeometry {
  static constexpr int kValueBytes = kValueBytes_, kThreads = kThreads_, kItems = kItems_;
  static constexpr int kWarps = kThreads / 32, kTile = kThreads * kItems;
  // Counters of bins: a thread has whole vectors of four.
  static constexpr int kVectors = (kItems + 3) / 4, kCounters = 4 * kVectors * kThreads;
  static constexpr bool kPairs = kValueBytes != 0, kJoins = kJoins_ && kPairs && kBits <= 32;
  typedef WordOf<kBits> Key;
  typedef typename Word<kPairs ? kValueBytes : 4>::type Value;
  typedef typename Word<kBits == 32 ? 8 : 4>::type Joined;
  static constexpr u32 kPlaceBits = 4 * sizeof(Joined);
  static_assert(kThreads % 32 == 0 && kThreads >= kDigits && kThreads <= 1024, "one thread per digit");
  static_assert(kTile < 1 << 16, "ranks within a tile fit 16 bits, two to a word");
};

// TileShared is a tile's shared memory, parts of one dynamic array. bins and counts share a place: they are not needed
// at the same time.
template <typename G> struct TileShared {
  static constexpr u32 kWarpBounds = 0, kWarpSums = 3 * 256, kBase = kWarpSums + 128, kTotals = kBase + 4 * kDigits,
      kCounts = kTotals + 2 * kDigits;
  static constexpr u32 kCountBytes = 2 * G::kWarps * kDigits, kBinBytes = 4 * (G::kCounters + 4);
  static constexpr u32 kKeys = kCounts + (kBinBytes > kCountBytes ? kBinBytes : kCountBytes),
      kValues = kKeys + G::kTile * sizeof(KeyOf<G>);
  static constexpr u32 kFrom = kValues + G::kTile * G::kValueBytes, kJoined = kFrom + (G::kPairs ? 2 * G::kTile : 0);
  static constexpr u32 kBytes = kJoined + (G::kJoins ? sizeof(typename G::Joined) * G::kTile : 0);
  static_assert(kJoined % 8 == 0 || !G::kJoins, "aligned words");

  u64* warpBounds;   // [3][32] of the keys of a warp: Bounds
  u32* warpSums;     // [32]
  u32* base;         // [kDigits] rank of the first key with a digit
  u16* totals;       // [kDigits] keys with a digit
  u16* counts;       // [kWarps][kDigits]
  u32* bins;         // [kCounters + 1]
  KeyOf<G>* keys;    // [kTile]
  ValueOf<G>* values;  // [kTile]
  u16* from;         // [kTile] the place in the input of a key in a bin
  typename G::Joined* joined;  // [kTile] where G::kJoins, in place of keys and from in bins

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
    joined = reinterpret_cast<typename G::Joined*>(b + kJoined);
  }
};

// sharedOfBlock is the tile in the launch's dynamic shared memory. inOneRegister keeps its address; without it the
// compiler computes the address anew at each use.
template <typename G> GS_DEVICE TileShared<G> sharedOfBlock() {
  extern __shared__ uint4 dynamicShared[];
  return TileShared<G>(inOneRegister(reinterpret_cast<u32*>(&dynamicShared[0])));
}

// Share is the part of the input that a block holds: `slots` consecutive keys from `first` on, `used` to a thread. It
// is warp-striped: item i of lane l of warp w is the block's key number (w·used + i)·32 + l. So each warp owns a run of
// the input.
struct Share {
  u32 used, first, slots;
  GS_DEVICE Share(u32 threads, u32 used_, u32 rank) : used(used_), first(rank * used_ * threads),
      slots(used_ * threads) {}
  // slot is that of item 0; item i is 32·i further on.
  GS_DEVICE u32 slot() const { return threadIdx.x / 32 * 32 * used + laneID(); }
  // held is how many of the thread's items lie before place n. Loops compare their index with it, rather than the
  // places of up to 16 items with n.
  GS_DEVICE u32 held(u32 n) const {
    const u32 at = first + slot(), most = at < n ? (n - at + 31) / 32 : 0;
    return most < used ? most : used;
  }
  // padding is how many of the block's slots lie behind n.
  GS_DEVICE u32 padding(u32 n) const { return first + slots <= n ? 0 : first < n ? first + slots - n : slots; }
};

// shareOf is this block's share of the n keys of the launch. n is a reference, so that the compiler loads it where it
// is used and keeps no register for it.
template <typename G> GS_DEVICE Share shareOf(const u32& n) {
  const u32 threads = gridDim.x * G::kThreads, last = n - 1;
  u32 before = 0;  // ⌊last/threads⌋ < kItems, by steps: a division takes more registers
#pragma unroll
  for (u32 step = G::kItems / 2; step > 0; step /= 2) {
    if (last >= (before + step) * threads) before += step;
  }
  return Share(G::kThreads, before + 1, blockIdx.x);
}

// kEndsEarly: an unrolled loop over a thread's items leaves at the first item that is not held. Else it skips each item
// that is not held. A thread with room for many items often holds one or two: leaving saves fetching the code of the
// others. With room for up to four, skipping takes less time.
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

// firstKey is the input's first key, encoded. All lanes call it. The __syncwarp keeps the compiler from moving this
// load, and the wait for it, before the warp's other loads.
template <typename K> GS_DEVICE K firstKey(u32 codec, const K* keys) {
  __syncwarp();
  return encode(codec, keys[0]);
}

// Bounds are the least and the greatest of some encoded keys, and the bits in which they differ. Of no keys `least` is
// the largest key and `most` 0.
template <typename K> struct Bounds {
  K least, most, differ;
  GS_DEVICE static Bounds none() { return {K(~K(0)), 0, 0}; }
  GS_DEVICE void add(K key, K sample) {
    least = key < least ? key : least, most = key > most ? key : most;
    differ |= key ^ sample;
  }
  // top is how many bits the distance from the least key to the greatest has: 0 if all keys are equal.
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

// putAside writes the block's items to shared memory.
template <typename G, typename Shared>
GS_DEVICE void putAside(const Shared& s, const Share& share, const TileKeys<G>& t) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    s.keys[share.slot() + 32 * i] = t.k[i];
    if constexpr (G::kPairs) s.values[share.slot() + 32 * i] = t.v[i];
  }
}

// takeAside reads the block's items from shared memory, where putAside put them or countGrid ordered them by a digit.
// In either case equal keys are in input order, and padding is behind all keys. It returns the block's share of n.
// Items that are not used get the largest key.
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

// boundsOfWarp are the bounds of all lanes' bounds.
template <typename K> GS_DEVICE Bounds<K> boundsOfWarp(const Bounds<K>& b) {
  return {warpLeast(b.least), warpGreatest(b.most), warpOr(b.differ)};
}

// blockBounds are the bounds of all threads' bounds, in every thread. words is [3][32]: a warp writes three of them,
// then comes a barrier, then all are read. Atomics would take longer: a 64-bit OR in shared memory is a loop of
// compare-and-swap, and warps would take turns.
template <typename G> GS_DEVICE Bounds<KeyOf<G>> blockBounds(u64* words, const Bounds<KeyOf<G>>& mine) {
  typedef typename G::Key K;
  const Bounds<K> b = boundsOfWarp(mine);
  const u32 warp = threadIdx.x / 32;
  if (laneID() == 0) words[warp] = b.least, words[32 + warp] = b.most, words[64 + warp] = b.differ;
  __syncthreads();
  Bounds<K> all = Bounds<K>::none();
  if (laneID() < G::kWarps)
    all.least = K(words[laneID()]), all.most = K(words[32 + laneID()]), all.differ = K(words[64 + laneID()]);
  return boundsOfWarp(all);
}

// Passing says by which digits to pass: those of key − low in which `varying` has bits. Either low is 0 and `varying`
// has the bits in which keys differ; or low is the least key and `varying` has the bits of the distances to it, if
// these are fewer digits. Keys are not all equal.
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
