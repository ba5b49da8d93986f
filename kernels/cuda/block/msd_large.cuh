// What the MSD sort's two splits and its sorts of buckets leave: buckets with more
// keys than msdSlow takes, all keys if the histogram's counts say nothing, and what few
// different keys have beside them (msd_few_alone.cuh). One cooperative launch; as a rule it
// finds nothing to do. Only code compiled for sm_90 includes this: see warp/grid.cuh.
//
// Level by level: each segment is split by a digit of its own, which begins at the
// highest bit in which its keys differ, so that no level moves keys for bits that
// say nothing. Parts that fit a block are sorted and written to the caller's
// buffer at once; larger ones are the next level's segments. Between steps the
// grid waits: every step reads what other blocks wrote in the one before, and
// lists of a level are rewritten two steps later at the earliest.
#ifndef GS_BLOCK_MSD_LARGE
#define GS_BLOCK_MSD_LARGE

#include "block/msd_measure.cuh"
#include "block/msd_runs.cuh"
#include "block/msd_split.cuh"
#include "block/small.cuh"
#include "warp/grid.cuh"

namespace gs {

template <typename K> struct MsdLargeArgs {
  K *keys, *alt;
  const u32* starts;
  const MsdState* state;
  MsdLargeRoom room;
  u32 n, bits, codec;
  u32 unlisted;  // not 0: so many of few different keys are sorted, from alt to keys
  // Keys of the whole input, and unlisted keys, come encoded by the first level, not shifted.
  GS_DEVICE MsdEncoded<K> encoded() const {
    MsdEncoded<K> i(codec, state);
    if (unlisted != 0 || state->route == kRouteWhole) i.skip = 0;
    return i;
  }
};

// listSegments lists the buckets that are too large, or all keys, or unlisted keys, as one segment.
template <typename S> GS_DEVICE void listSegments(const MsdLargeArgs<typename S::K>& a) {
  constexpr u32 kWidth = 8 * sizeof(typename S::K);
  const u32 x = blockIdx.x * S::kThreads + threadIdx.x;
  MsdSegment s = {};
  if (a.unlisted != 0 || a.state->route == kRouteWhole) {
    s.items = a.unlisted != 0 ? a.unlisted : a.n;
    s.place = a.unlisted != 0;
    s.rest = (unsigned char)kWidth;
    s.raw = 1;
    if (x == 0) addSegment(a.room, 0, s, S::kTile);
    return;
  }
  for (u32 b = x; b < 1u << a.bits; b += gridDim.x * S::kThreads) {
    s.begin = a.starts[b];
    s.items = a.starts[b + 1] - s.begin;
    s.rest = (unsigned char)(kWidth - a.bits);
    if (s.items > kSlowMost) addSegment(a.room, 0, s, S::kTile);
  }
}

// moveSegments splits all segments of a level and brings equal keys to their end.
template <typename S> GS_DEVICE void moveSegments(const MsdLargeArgs<typename S::K>& a, u32 level) {
  typedef typename S::K K;
  const u32 tiles = a.room.large->tiles[level];
  const MsdEncoded<K> encoded = a.encoded();
  for (u32 at = blockIdx.x; at < tiles; at += gridDim.x) {
    const MsdSegment s = a.room.of(level)[a.room.tiles[at]];
    const SegmentTile tile(s, at, S::kTile);
    const K* const in = s.place ? a.alt : a.keys;
    if (s.what == kSegmentSplit) {
      SegmentSource<K> source = {in, s.raw ? a.codec : 0};
      msdSplit<S>(source, s.place ? a.keys : a.alt, tile.base, tile.lo, tile.hi, a.room.pool + s.entry, s.shift, (1u << s.bits) - 1);
      __syncthreads();  // the next tile uses the same shared memory
    } else if (s.what == kSegmentEqual && (s.place || (!s.raw && !encoded.plain()))) {
      for (u32 p = tile.lo + threadIdx.x; p < tile.hi; p += S::kThreads) {
        const K key = in[tile.base + p];
        a.keys[tile.base + p] = s.raw ? key : encoded.key(key);
      }
    }
  }
}

// LowValue is the highest 16 of the bits below `rest`, or all of them and some
// above, which are the same in all keys.
struct LowValue {
  u32 shift;
  GS_DEVICE explicit LowValue(u32 rest) : shift(rest > 16 ? rest - 16 : 0) {}
  template <typename K> GS_DEVICE u32 operator()(K k) const { return u32(k >> shift) & 0xffff; }
};

// sortPart sorts `items` keys at in[begin], which agree in all but their lowest
// `rest` bits, and writes them to out[begin]; in may be out. 1 to L::kCapacity
// keys; dynamic shared memory for sortRuns<L> and sortTile<G>.
template <typename L, typename G> GS_DEVICE void sortPart(typename L::K* in, typename L::K* out, u32 begin, u32 items, u32 rest,
                                                           const MsdEncoded<typename L::K>& encoded) {
  extern __shared__ uint4 dynamicShared[];
  typename L::K* const from = in + begin;
  if (rest != 0 && items > 1) {
    const Bucket<typename L::K> bucket(in, begin, items);
    if (sortRuns<L>(bucket, LowValue(rest), Natural())) {
      const typename L::K* const sorted = RunsShared<L>(dynamicShared).sorted + bucket.skew;
      for (u32 i = threadIdx.x; i < items; i += L::kThreads) out[begin + i] = encoded.key(sorted[i]);
      return;
    }
    __syncthreads();  // all have read the counters' sum
    sortTile<G>(from, static_cast<typename G::Value*>(nullptr), items, 0, 0, kModeKeys);
    __syncthreads();  // what the block wrote is there for all its threads
  }
  if (in == out && encoded.plain()) return;
  for (u32 i = threadIdx.x; i < items; i += L::kThreads) out[begin + i] = encoded.key(from[i]);
}

// sortParts sorts the parts of a level that fit a block. Neighbouring entries go to
// different blocks, since few segments must keep all of them busy; where there are
// many, a block takes eight, mostly empty, for one step.
template <typename S, typename L, typename G> GS_DEVICE void sortParts(const MsdLargeArgs<typename S::K>& a, u32 level) {
  const u32 units = a.room.large->entries[level] / 8;
  const u32 each = units >= 4 * gridDim.x ? 8 : 1, works = units * (8 / each);
  const MsdEncoded<typename S::K> encoded = a.encoded();
  for (u32 work = blockIdx.x; work < works; work += gridDim.x) {
    const u32 unit = work % units, from = unit * 8 + work / units;
    const MsdSegment s = a.room.of(level)[a.room.units[unit]];
    if (s.what != kSegmentSplit) continue;
    u32 begin = from == s.entry ? s.begin : a.room.pool[from - 1];
    for (u32 e = from; e < from + each; e++) {
      const u32 end = a.room.pool[e], items = end - begin;
      if (items != 0 && items <= L::kCapacity) {
        sortPart<L, G>(s.place ? a.keys : a.alt, a.keys, begin, items, s.shift, encoded);
        __syncthreads();  // the next part uses the same shared memory
      }
      begin = end;
    }
  }
}

// msdLarge: see above. Cooperative launch, S::kThreads threads, any grid that is
// resident; dynamic shared memory as the largest of S::kBytes, L::kRunsBytes and
// PassShared<G>::kBytes. a.room.large is zero.
template <typename S, typename L, typename G> GS_DEVICE void msdLarge(const MsdLargeArgs<typename S::K>& a) {
  static_assert(S::kThreads == L::kThreads && S::kThreads == G::kThreads, "one launch");
  static_assert(G::kTile >= L::kCapacity, "every part fits");
  const u32 route = a.state->route;
  if (a.unlisted == 0 && route != kRouteWhole && (route != kRouteSplit || a.state->largest <= kSlowMost)) return;
  listSegments<S>(a);
  gridSync();
  for (u32 level = 0; level < kMaxLevels && a.room.large->segments[level] != 0; level++) {
    sampleSegments(a.room, level, a.keys, a.alt, S::kTile);
    gridSync();
    countSegments<S>(a.room, level, a.keys, a.alt, a.codec);
    gridSync();
    placeSegments(a.room, level, L::kCapacity, S::kTile);
    gridSync();
    moveSegments<S>(a, level);
    gridSync();
    sortParts<S, L, G>(a, level);
    gridSync();
  }
}

}  // namespace gs

#endif
