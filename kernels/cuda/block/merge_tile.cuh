// What the kernels of merge-path share: a tile in shared memory, and the merge
// of a thread's share of it.
#ifndef GS_BLOCK_MERGE_TILE
#define GS_BLOCK_MERGE_TILE

#include "warp/codec.cuh"
#include "warp/mergepath.cuh"

namespace gs {

// RunPair is a pair of neighbouring runs; the second, or both, may be short or
// empty at the end of the input. B starts at first + lenA.
struct RunPair {
  u64 first, lenA, lenB;
  GS_DEVICE RunPair(u64 n, u64 run, u64 pair) {
    first = 2 * run * pair;
    lenA = least(run, n - first);
    lenB = least(run, n - first - lenA);
  }
};

// Flags of a launch.
constexpr u32 kMergePositions = 1;  // values are the items' positions; none are read
constexpr u32 kMergeDropKeys = 2;   // keys are not written: the last step of an argsort
GS_CONSTANT(MergePositions, kMergePositions)
GS_CONSTANT(MergeDropKeys, kMergeDropKeys)

// Geometry of one kernel instance. The threads of a block are the launch's: a
// power of two, at most kMaxThreads, which bounds the registers to 64. A tile
// is threads·kItems items.
template <int kBits, int kValueBytes_, int kItems_> struct MergeGeometry {
  static constexpr int kValueBytes = kValueBytes_, kItems = kItems_;
  static constexpr bool kPairs = kValueBytes != 0;
  typedef WordOf<kBits> Key;
  typedef typename Word<kPairs ? kValueBytes : 4>::type Value;
  static constexpr u32 kCell = sizeof(Key) > kValueBytes ? sizeof(Key) : kValueBytes;
  static_assert(kItems < 32, "kMergePad covers a thread's overrun");
};
constexpr u32 kMergeMaxThreads = 1024;
GS_CONSTANT(MergeMaxThreads, kMergeMaxThreads)

// kMergePad cells lie behind a tile: a merge reads one item past the end of
// what it has, a thread with nothing left up to kItems.
constexpr u32 kMergePad = 32;
GS_CONSTANT(MergePad, kMergePad)

// MergeShared carves the dynamic shared memory: the tile's keys, in place of
// which a block sort later has the values, and for pairs each item's source in
// the tile. internal/algo/merge has the same sum, since it chooses the threads; it is
// compared with bytes.
template <typename G> struct MergeShared {
  static GS_DEVICE constexpr u32 bytes(u32 tile) {
    return (tile + kMergePad) * G::kCell + (G::kPairs ? tile * sizeof(u16) : 0);
  }
  KeyOf<G>* keys;
  ValueOf<G>* values;
  unsigned short* from;
  GS_DEVICE MergeShared(void* base, u32 tile) {
    keys = static_cast<KeyOf<G>*>(base);
    values = static_cast<ValueOf<G>*>(base);
    from = reinterpret_cast<unsigned short*>(static_cast<char*>(base) + (tile + kMergePad) * G::kCell);
  }
};

// mergeSerial makes items [0, kItems) of the merge of keys[a, endA) and
// keys[b, endB) in k, and their places in x. Past the end of both it makes
// items without meaning.
template <bool kPlaces, int kItems, typename K>
GS_DEVICE void mergeSerial(const K* keys, u32 a, u32 endA, u32 b, u32 endB, K (&k)[kItems],
                           u32 (&x)[kPlaces ? kItems : 1]) {
  K keyA = keys[a], keyB = keys[b];
#pragma unroll
  for (int i = 0; i < kItems; i++) {
    const bool second = b < endB && (a >= endA || keyB < keyA);
    k[i] = second ? keyB : keyA;
    if constexpr (kPlaces) x[i] = second ? b : a;
    const u32 next = (second ? b : a) + 1;
    const K key = keys[next];
    if (second)
      b = next, keyB = key;
    else
      a = next, keyA = key;
  }
}

// storeStriped writes a tile's first `valid` keys from shared memory to out;
// kFull: all of them. All are read before the first is written, so that no
// write waits for a read of its own.
template <typename G, bool kFull>
GS_DEVICE void storeStriped(const MergeShared<G>& s, KeyOf<G>* out, u32 threads, u32 valid, u32 codec) {
  KeyOf<G> k[G::kItems];
  const u32 t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < G::kItems; i++) k[i] = s.keys[i * threads + t];
  decodeAll(codec, k);
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    if (kFull || i * threads + t < valid) out[i * threads + t] = k[i];
  }
}

// storeBlocked puts a thread's items to its places in the tile: thread t has
// items t·kItems and following, so that an odd kItems spreads the threads of a
// warp over all banks.
template <typename G>
GS_DEVICE void storeBlocked(const MergeShared<G>& s, const KeyOf<G> (&k)[G::kItems],
                            const u32 (&x)[G::kPairs ? G::kItems : 1]) {
  const u32 at = threadIdx.x * G::kItems;
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    s.keys[at + i] = k[i];
    if constexpr (G::kPairs) s.from[at + i] = static_cast<unsigned short>(x[i]);
  }
}

}  // namespace gs

#endif
