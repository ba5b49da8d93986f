// What the launches of module segments share: the geometry of their tiles, the lists of segments by length, and the
// counters that say how long the lists are. Places and lengths have 32 bits: there are fewer than 2^32 keys.
#ifndef GS_BLOCK_SEGMENTS_STATE
#define GS_BLOCK_SEGMENTS_STATE

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/lookback.cuh"
#include "warp/match.cuh"
#include "warp/width.cuh"

namespace gs {

// A segment of up to kSegmentsWarp keys is sorted by a warp, of up to kSegmentsSmall by a block of
// kSegmentsSmallThreads, of more by a large block, up to its threads times its items; a longer one is split by the
// digits of its keys first.
constexpr u32 kSegmentsWarp = 128;
constexpr u32 kSegmentsSmallThreads = 256, kSegmentsSmallItems = 8, kSegmentsSmallBlocks = 4,
              kSegmentsSmallArgsortBlocks = 3, kSegmentsSmall = kSegmentsSmallThreads * kSegmentsSmallItems;
// A large block has the threads that have 128 registers each on a multiprocessor of compute capability 9.0, and as many
// items as these hold; other devices may have 48 KB of shared memory. Blocks that split are two to a
// multiprocessor there.
constexpr u32 kSegmentsThreads90 = 512, kSegmentsItems90 = 24, kSegmentsArgsortItems90 = 20, kSegmentsWideItems90 = 16;
constexpr u32 kSegmentsThreadsPTX = 256, kSegmentsItemsPTX = 12, kSegmentsWideItemsPTX = 8;
constexpr u32 kSplitThreads = 256, kSplitItems90 = 16, kSplitItemsPTX = 8, kSplitBlocks = 2;
// A warp reads up to kSegmentsWindow keys at once.
constexpr u32 kSegmentsCheckThreads = 256, kSegmentsShortThreads = 256;
#if defined(GS_TARGET_SM_90)
constexpr u32 kSegmentsThreads = kSegmentsThreads90, kSplitItems = kSplitItems90, kSegmentsWindow = 1024;
template <u32 kBits, bool kArgsort>
constexpr u32 kSegmentsItems = !kArgsort    ? kSegmentsItems90
                               : kBits < 64 ? kSegmentsArgsortItems90
                                            : kSegmentsWideItems90;
#else
constexpr u32 kSegmentsThreads = kSegmentsThreadsPTX, kSplitItems = kSplitItemsPTX, kSegmentsWindow = 512;
template <u32 kBits, bool kArgsort>
constexpr u32 kSegmentsItems = kArgsort && kBits == 64 ? kSegmentsWideItemsPTX : kSegmentsItemsPTX;
#endif
GS_CONSTANT(SegmentsWarp, kSegmentsWarp)
GS_CONSTANT(SegmentsSmall, kSegmentsSmall)
GS_CONSTANT(SegmentsSmallThreads, kSegmentsSmallThreads)
GS_CONSTANT(SegmentsSmallBlocks, kSegmentsSmallBlocks)
GS_CONSTANT(SegmentsSmallArgsortBlocks, kSegmentsSmallArgsortBlocks)
GS_CONSTANT(SegmentsThreads90, kSegmentsThreads90)
GS_CONSTANT(SegmentsThreadsPTX, kSegmentsThreadsPTX)
GS_CONSTANT(SegmentsItems90, kSegmentsItems90)
GS_CONSTANT(SegmentsArgsortItems90, kSegmentsArgsortItems90)
GS_CONSTANT(SegmentsWideItems90, kSegmentsWideItems90)
GS_CONSTANT(SegmentsItemsPTX, kSegmentsItemsPTX)
GS_CONSTANT(SegmentsWideItemsPTX, kSegmentsWideItemsPTX)
GS_CONSTANT(SegmentsSplitThreads, kSplitThreads)
GS_CONSTANT(SegmentsSplitBlocks, kSplitBlocks)
GS_CONSTANT(SegmentsSplitTile90, kSplitThreads * kSplitItems90)
GS_CONSTANT(SegmentsSplitTilePTX, kSplitThreads * kSplitItemsPTX)
GS_CONSTANT(SegmentsCheckThreads, kSegmentsCheckThreads)
GS_CONSTANT(SegmentsShortThreads, kSegmentsShortThreads)

// Where keys lie, and with them their positions under argsort.
constexpr u32 kSegmentsIO = 0;  // the caller's keys, as they are; each one's position is its place
constexpr u32 kSegmentsA = 1;   // scratch: encoded keys
constexpr u32 kSegmentsB = 2;   // the second scratch of an argsort; keys alone go back to the caller's memory

// SegmentsState is zero before the first launch. Its first 16 bytes are the plan's status record.
struct SegmentsState {
  u32 code, unused;
  u64 number;
  u32 many[2];    // pieces in the list of small and of large blocks
  u32 taken[2];   // of each list
  u32 arrived, more;  // blocks at the barriers of the grid, over all of them
  u64 runs[kMaxPasses + 1];  // of each round: its number of runs in the upper half, that of their tiles in the lower
};
GS_CONSTANT(SegmentsStateBytes, sizeof(SegmentsState))

// SegmentsLists are the lists and how many entries each has room for. What the state counts beyond that, of offsets
// that are refused, is not there.
//
// A piece is a part of the keys that one block sorts: its first place, and above that its length (16 bits) and where it
// lies. A run is a part that is split: begin, length, the number of its first tile in the round, and where it lies;
// those of odd rounds lie behind those of even ones.
struct SegmentsLists {
  SegmentsState* state;
  u64 *small, *large;
  uint4* runs;
  u32 smallRoom, largeRoom, runRoom;
  GS_DEVICE u64* pieces(u32 list) const { return list == 0 ? small : large; }
  GS_DEVICE u32 room(u32 list) const { return list == 0 ? smallRoom : largeRoom; }
  GS_DEVICE void addPiece(u32 list, u32 at, u32 begin, u32 length, u32 where) const {
    if (at < room(list)) pieces(list)[at] = u64(length | where << 16) << 32 | begin;
  }
  GS_DEVICE uint4* round(u32 r) const { return runs + (r & 1) * runRoom; }
  // addRun appends a run to those of round r. One atomic gives it its place and its tiles, so that the runs ascend by
  // their first tile.
  GS_DEVICE void addRun(u32 r, u32 begin, u32 length, u32 where, u32 tile) const {
    const u64 before = atomicAdd(&state->runs[r], u64(1) << 32 | (length - 1) / tile + 1);
    if (u32(before >> 32) < runRoom) round(r)[before >> 32] = make_uint4(begin, length, u32(before), where);
  }
};

// SegmentsMemory is where keys and positions are. wide: the caller's positions have 64 bits.
template <typename K> struct SegmentsMemory {
  K *io, *a, *b;
  u32 *positionsA, *positionsB;
  void* result;  // of an argsort
  u32 codec, wide;
  GS_DEVICE K* keys(u32 where) const { return where == kSegmentsIO ? io : where == kSegmentsA ? a : b; }
  GS_DEVICE u32* positions(u32 where) const { return where == kSegmentsA ? positionsA : positionsB; }
  GS_DEVICE u32 codecAt(u32 where) const { return where == kSegmentsIO ? codec : 0; }
  GS_DEVICE void put(u32 at, u32 position) const { setWidth(result, wide, at, position); }
};

// SegmentsTile is the geometry of a block that sorts or splits a tile.
template <int kBits_, bool kArgsort_, int kThreads_, int kItems_> struct SegmentsTile {
  static constexpr bool kArgsort = kArgsort_;
  static constexpr int kThreads = kThreads_, kItems = kItems_, kWarps = kThreads / 32, kTile = kThreads * kItems;
  static constexpr u32 kBytes = kBits_ / 8;
  typedef typename Word<kBits_ / 8>::type Key;
  static_assert(kThreads >= kDigits && kTile < 1 << 16, "a thread to a digit, lengths of 16 bits");
};

// SegmentsShared is the dynamic shared memory of such a block.
template <typename G> struct SegmentsShared {
  static constexpr u32 kCounts = 0, kBase = kCounts + 4 * kDigits * G::kWarps, kSums = kBase + 4 * kDigits;
  static constexpr u32 kWords = kSums + 4 * (kDigits / 32);
  static constexpr u32 kKeys = kWords + 32, kPositions = kKeys + G::kTile * sizeof(typename G::Key);
  static constexpr u32 kBytes = kPositions + (G::kArgsort ? 4 * G::kTile : 0);
  u32* counts;     // [kWarps][kDigits]
  u32* base;       // [kDigits]
  u32* sums;       // [kDigits / 32]
  u64* varying;    // bits in which keys differ
  u32* word;       // handed from one thread to all
  typename G::Key* keys;  // [kTile]
  u32* positions;  // [kTile], argsort only
  GS_DEVICE explicit SegmentsShared(void* memory) {
    char* const b = static_cast<char*>(memory);
    counts = reinterpret_cast<u32*>(b + kCounts);
    base = reinterpret_cast<u32*>(b + kBase);
    sums = reinterpret_cast<u32*>(b + kSums);
    varying = reinterpret_cast<u64*>(b + kWords);
    word = reinterpret_cast<u32*>(b + kWords + 8);
    keys = reinterpret_cast<typename G::Key*>(b + kKeys);
    positions = reinterpret_cast<u32*>(b + kPositions);
  }
};

// SegmentsItemsOf are a thread's items of a tile, warp-striped as in block/rank.cuh: `used` to a thread. Keys are
// encoded.
template <typename G> struct SegmentsItemsOf {
  typename G::Key k[G::kItems];
  u32 v[G::kArgsort ? G::kItems : 1];
  u32 used, slot;

  // load reads n items from place `begin` on; behind them come largest keys. Loads bypass the L1, which does not see
  // what other blocks wrote in the same launch.
  GS_DEVICE void load(const SegmentsMemory<typename G::Key>& m, u32 where, u32 begin, u32 n) {
    typedef typename G::Key K;
    used = (n + G::kThreads - 1) / G::kThreads;
    slot = threadIdx.x / 32 * 32 * used + laneID();
    const K* const from = m.keys(where) + begin;
    const u32* const positions = m.positions(where);
    const u32 codec = m.codecAt(where);
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      const u32 at = slot + 32 * i;
      const bool there = i < used && at < n;
      k[i] = K(~K(0));
      if (there) k[i] = __ldcg(from + at);
      if constexpr (G::kArgsort) {
        v[i] = begin + at;
        if (there && where != kSegmentsIO) v[i] = __ldcg(positions + begin + at);
      }
    }
#pragma unroll
    for (u32 i = 0; i < G::kItems; i++) {
      if (i < used && slot + 32 * i < n) k[i] = encode(codec, k[i]);
    }
  }
};

}  // namespace gs

#endif
