// A tile of keys in registers and shared memory, for sorts that keep all their
// keys on chip from the first load to the last store.
#ifndef GS_BLOCK_TILE
#define GS_BLOCK_TILE

#include "block/control.cuh"
#include "block/folded.cuh"
#include "warp/match.cuh"

namespace gs {

constexpr u32 kMaxClusterBlocks = 16;
GS_CONSTANT(MaxClusterBlocks, kMaxClusterBlocks)

// Geometry of a tile: kThreads threads hold up to kItems keys each. kBlocks is
// the most blocks that share the keys of one sort through TileShared. kOrders_: pairs with keys of up to 32
// bits lie in bins as words of a key and its place below it.
template <int kBits, int kValueBytes_, int kThreads_, int kItems_, int kBlocks_ = 1, bool kOrders_ = false> struct TileGeometry {
  static constexpr int kValueBytes = kValueBytes_, kThreads = kThreads_, kItems = kItems_;
  static constexpr int kWarps = kThreads / 32, kTile = kThreads * kItems;
  static constexpr int kVectors = (kItems + 3) / 4, kCounters = 4 * kVectors * kThreads;  // of bins: whole vectors to a thread
  static constexpr bool kPairs = kValueBytes != 0, kOrders = kOrders_ && kPairs && kBits <= 32;
  static constexpr u32 kBlocks = kBlocks_;
  typedef typename Word<kBits / 8>::type Key;
  typedef typename Word<kPairs ? kValueBytes : 4>::type Value;
  typedef typename Word<kBits == 32 ? 8 : 4>::type Ordered;
  static constexpr u32 kPlaceBits = 4 * sizeof(Ordered);
  static_assert(kThreads % 32 == 0 && kThreads >= kDigits && kThreads <= 1024, "one thread per digit");
  static_assert(kTile < 1 << 16, "ranks within a tile fit 16 bits, two to a word");
};

// Shared memory of a tile, carved from one dynamic array. Bins and counters are
// never needed together.
template <typename G> struct TileShared {
  typedef typename G::Key K;
  typedef typename G::Value V;
  static constexpr u32 kWarpVarying = 8 * kMaxClusterBlocks, kWarpSums = kWarpVarying + 256, kBase = kWarpSums + 128, kOwner = kBase + 4 * kDigits;
  static constexpr u32 kParts = kOwner + (G::kBlocks > 1 ? 4 * kDigits : 0), kCounts = kParts + (G::kBlocks > 1 ? 16 * kMaxClusterBlocks : 0);
  static constexpr u32 kCountBytes = 2 * G::kWarps * kDigits, kBinBytes = 4 * (G::kCounters + 4);
  static constexpr u32 kTotals = kCounts + (kBinBytes > kCountBytes ? kBinBytes : kCountBytes);
  static constexpr u32 kKeys = kTotals + 2 * kDigits * G::kBlocks, kValues = kKeys + G::kTile * sizeof(K);
  static constexpr u32 kFrom = kValues + G::kTile * G::kValueBytes;
  static constexpr bool kModels = G::kBlocks > 1 && sizeof(K) == 8;
  static constexpr u32 kSample = kFrom + (G::kPairs ? 2 * G::kTile : 0), kModel = kSample + (kModels ? G::kThreads * sizeof(K) : 0);
  // A cluster's keys, all of them, one a thread: block/merging.cuh.
  static constexpr u32 kMerged = G::kBlocks > 1 && sizeof(K) >= 4 ? kCounts + G::kThreads * ((G::kBlocks + 1) * sizeof(K) + (G::kPairs ? 4 + G::kValueBytes : 0)) + G::kBlocks * sizeof(K) : 0;
  // A small tile's, two rows of keys and of their places, and values: block/merge_small.cuh.
  static constexpr bool kRows = G::kBlocks == 1 && sizeof(K) >= 4 && G::kTile <= 1024;
  static constexpr u32 kRowBytes = kRows ? kCounts + G::kTile * (2 * sizeof(K) + (G::kPairs ? 4 + G::kValueBytes : 0)) : 0;
  static constexpr u32 kMost = kMerged > kRowBytes ? kMerged : kRowBytes, kOrdered = kModel + (kModels ? FoldedModel<K>::kAllBytes : 0);
  static constexpr u32 kAll = kOrdered + (G::kOrders ? sizeof(typename G::Ordered) * G::kTile : 0);
  static_assert(kOrdered % 8 == 0 || !G::kOrders, "aligned words");
  static constexpr u32 kBytes = kAll > kMost ? kAll : kMost;

  u64* varying;      // [kMaxClusterBlocks] bits in which keys of a block differ from the first key of all
  u64* warpVarying;  // [32] the same of the keys of a warp
  u32* warpSums;     // [32]
  u32* base;         // [kDigits] rank of the first key with a digit
  u32* owner;        // [kDigits] the block that a cluster's split gives a digit to
  uint4* parts;      // [kMaxClusterBlocks] what a block gets: keys from x to y of all, digits z to w
  u16* counts;       // [kWarps][kDigits]
  u32* bins;         // [kCounters + 1]
  u16* totals;       // [blocks][kDigits]
  K* keys;           // [kTile]
  V* values;         // [kTile]
  u16* from;         // [kTile] where a key of a bin came from
  typename G::Ordered* ordered;  // [kTile] where G::kOrders, in place of keys and from in bins
  K* sample;         // [kThreads] a cluster's; of keys without a model where keys will be
  void* model;       // a cluster's: FoldedModel

  GS_DEVICE explicit TileShared(void* base_) {
    char* b = static_cast<char*>(base_);
    varying = reinterpret_cast<u64*>(b);
    warpVarying = reinterpret_cast<u64*>(b + kWarpVarying);
    warpSums = reinterpret_cast<u32*>(b + kWarpSums);
    base = reinterpret_cast<u32*>(b + kBase);
    owner = reinterpret_cast<u32*>(b + kOwner);
    parts = reinterpret_cast<uint4*>(b + kParts);
    counts = reinterpret_cast<u16*>(b + kCounts);
    bins = reinterpret_cast<u32*>(b + kCounts);
    totals = reinterpret_cast<u16*>(b + kTotals);
    keys = reinterpret_cast<K*>(b + kKeys);
    values = reinterpret_cast<V*>(b + kValues);
    from = reinterpret_cast<u16*>(b + kFrom);
    sample = kModels ? reinterpret_cast<K*>(b + kSample) : keys;
    model = b + kModel;
    ordered = reinterpret_cast<typename G::Ordered*>(b + kOrdered);
  }
};

// Share is the part of the input that a block holds: `slots` consecutive keys
// from `first`, `used` to a thread, warp-striped: key i of lane l of warp w is
// the block's key number (w·used + i)·32 + l. So each warp owns a run, and
// item-major order within a warp is input order.
struct Share {
  u32 used, first, slots;
  GS_DEVICE Share(u32 threads, u32 used_, u32 rank) : used(used_), first(rank * used_ * threads), slots(used_ * threads) {}
  GS_DEVICE u32 slot() const { return threadIdx.x / 32 * 32 * used + laneID(); }  // of item 0; item i is 32·i further on
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
  typename G::Key k[G::kItems];
  typename G::Value v[G::kPairs ? G::kItems : 1];
};

// loadTile reads a share of n items. What lies behind the input gets the
// largest key. Under argsort the values are the items' numbers.
template <typename G>
GS_DEVICE void loadTile(TileKeys<G>& t, const Share& share, const typename G::Key* keys, const typename G::Value* values, u32 n, u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  const u32 at = share.first + share.slot(), held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    t.k[i] = K(~K(0));
    if constexpr (G::kPairs) t.v[i] = V(at + 32 * i);
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

// encodeTile encodes the keys and returns the bits in which this thread's
// differ from `sample`, an encoded key of the input.
template <typename G> GS_DEVICE typename G::Key encodeTile(TileKeys<G>& t, const Share& share, u32 n, u32 codec, typename G::Key sample) {
  typename G::Key differ = 0;
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (kEndsEarly<G> && i >= held) break;
    if (i >= held) continue;
    t.k[i] = encode(codec, t.k[i]);
    differ |= t.k[i] ^ sample;
  }
  return differ;
}

// storeTile writes the share. Under argsort the keys stay as they are.
template <typename G>
GS_DEVICE void storeTile(const TileKeys<G>& t, const Share& share, typename G::Key* keys, typename G::Value* values, u32 n, u32 codec, u32 mode) {
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
template <typename G, typename Shared> GS_DEVICE void putAside(const Shared& s, const Share& share, const TileKeys<G>& t) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    s.keys[share.slot() + 32 * i] = t.k[i];
    if constexpr (G::kPairs) s.values[share.slot() + 32 * i] = t.v[i];
  }
}

// takeAside reads the keys of the block's share of n, which it returns, from where putAside
// put them or countGrid in order of a digit: then equal keys are still as they were, and
// padding is behind all keys. kPads: items that are not used get the largest key.
template <typename G, bool kPads, typename Shared> GS_DEVICE Share takeAside(const Shared& s, const u32& n, TileKeys<G>& t) {
  typedef typename G::Key K;
  const Share share = shareOf<G>(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if constexpr (kPads) t.k[i] = K(~K(0));
  }
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    t.k[i] = s.keys[share.slot() + 32 * i];
    if constexpr (G::kPairs) t.v[i] = s.values[share.slot() + 32 * i];
  }
  return share;
}

// warpOrWord is the OR over the warp.
template <typename K> GS_DEVICE K warpOrWord(K x) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(K) == 8) {
    return K(__reduce_or_sync(kAllLanes, u32(x >> 32))) << 32 | __reduce_or_sync(kAllLanes, u32(x));
  } else {
    return K(__reduce_or_sync(kAllLanes, u32(x)));
  }
#else
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x = K(x | __shfl_xor_sync(kAllLanes, x, d));
  return x;
#endif
}

// blockVarying is the OR of differ over the block, in every thread. warpVarying
// holds a word per warp. One barrier, behind its writing. Words of their own rather than one atomic: OR of 64 bits in
// shared memory is a loop of compare-and-swap, which takes all warps in turn.
template <typename G> GS_DEVICE typename G::Key blockVarying(u64* warpVarying, typename G::Key differ) {
  typedef typename G::Key K;
  differ = warpOrWord(differ);
  if (laneID() == 0) warpVarying[threadIdx.x / 32] = differ;
  __syncthreads();
  return warpOrWord(laneID() < G::kWarps ? K(warpVarying[laneID()]) : K(0));
}

}  // namespace gs

#endif
