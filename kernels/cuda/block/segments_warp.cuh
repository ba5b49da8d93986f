// Segments of up to kSegmentsWarp keys, sorted in registers by bitonic networks: of up to 32 keys by as many lanes,
// four or two at once where 8 or 16 lanes are enough; of more by a warp with 2 or 4 keys a lane.
//
// A warp takes 32 neighbouring segments. Where they lie within a window, it reads all of their keys to shared memory,
// and writes them back, in whole lines with many loads in flight; else it works on device memory.
#ifndef GS_BLOCK_SEGMENTS_WARP
#define GS_BLOCK_SEGMENTS_WARP

#include "block/segments_check.cuh"
#include "warp/bitonic.cuh"

namespace gs {

// SegmentsElement is what a network compares: an encoded key, under argsort with its place in the segment below it.
template <int kBits, bool kArgsort> struct SegmentsElement {
  typedef typename Word<kBits / 8>::type K;
  typedef typename Word<kBits == 64 ? 8 : 4>::type R;
  GS_DEVICE static R make(K key, u32) { return key; }
  GS_DEVICE static K key(R x) { return K(x); }
  GS_DEVICE static u32 place(R) { return 0; }
};
template <int kBits> struct SegmentsElement<kBits, true> {
  typedef typename Word<kBits / 8>::type K;
  typedef typename Word<kBits == 32 ? 8 : 4>::type R;
  static constexpr u32 kShift = kBits == 32 ? 32 : 16;
  GS_DEVICE static R make(K key, u32 place) { return R(key) << kShift | place; }
  GS_DEVICE static u32 place(R x) { return u32(x) & 0xffff; }
};
template <> struct SegmentsElement<64, true> {
  typedef BitonicPair R;
  GS_DEVICE static R make(u64 key, u32 place) { return R{place, key}; }
  GS_DEVICE static u32 place(R x) { return u32(x.index); }
};

constexpr u32 kSegmentsShortWarps = kSegmentsShortThreads / 32;

// ShortShared is the dynamic shared memory of a block of warps: of each the window, and the lanes of its segments in
// order of class.
template <int kBits> struct ShortShared {
  static constexpr u32 kWindowBytes = kSegmentsWindow * kBits / 8, kBytes = kSegmentsShortWarps * (kWindowBytes + 128);
};

// laneSort sorts kCount elements of each of 2^kLanesLog neighbouring lanes; lane i then holds the i-th kCount.
template <int kLanesLog, int kCountLog, typename R> GS_DEVICE void laneSort(R (&x)[1 << kCountLog]) {
  if constexpr (kCountLog >= 1) registerSteps<1, true>(x);
  if constexpr (kCountLog >= 2) registerSteps<2, true>(x);
#pragma unroll
  for (u32 bits = 1; bits <= kLanesLog; bits++) {
    if constexpr (kCountLog == 0)
      x[0] = keep(laneID() >> (bits - 1) & 1, x[0], bitonicShuffle(x[0], (1u << bits) - 1));
    else
      shuffleMirror(x, bits);
#pragma unroll
    for (u32 mask = 1u << (bits - 1) >> 1; mask != 0; mask >>= 1) shuffleStep(x, mask);
    if constexpr (kCountLog > 0) registerSteps<kCountLog, false>(x);
  }
}

template <int kBits, bool kArgsort> struct ShortSegments {
  typedef SegmentsElement<kBits, kArgsort> E;
  typedef typename E::R R;
  typedef typename Word<kBits / 8>::type K;
  const SegmentsMemory<K>& m;
  K* at;             // the key at `base`
  u32 base;
  u32 lo, length;    // this lane's segment
  const u32* order;  // lanes by class

  // sort sorts the segments of lanes order[from, to), of up to 2^(kLanesLog + kCountLog) keys.
  template <int kLanesLog, int kCountLog> GS_DEVICE void sort(u32 from, u32 to) const {
    constexpr u32 kCount = 1u << kCountLog, kLanes = 1u << kLanesLog;
    const u32 lane = laneID() % kLanes;
    for (u32 first = from; first < to; first += 32 / kLanes) {
      const u32 j = first + laneID() / kLanes, owner = order[j < to ? j : from];
      const u32 begin = __shfl_sync(kAllLanes, lo, owner), all = __shfl_sync(kAllLanes, length, owner);
      const u32 n = j < to ? all : 0;
      K* const keys = at + (begin - base);
      R x[kCount];
#pragma unroll
      for (u32 r = 0; r < kCount; r++) {
        x[r] = bitonicInfinity<R>();
        if (r * kLanes + lane < n) x[r] = E::make(encode(m.codec, keys[r * kLanes + lane]), r * kLanes + lane);
      }
      laneSort<kLanesLog, kCountLog>(x);
      __syncwarp();  // all keys are read
#pragma unroll
      for (u32 r = 0; r < kCount; r++) {
        const u32 to_ = lane * kCount + r;
        if (to_ >= n) continue;
        if constexpr (kArgsort)
          m.put(begin + to_, begin + E::place(x[r]));
        else
          keys[to_] = decode(m.codec, E::key(x[r]));
      }
    }
  }
};

// copyWindow copies n keys, of which the warp has many in flight.
template <typename K> GS_DEVICE void copyWindow(K* to, const K* from, u32 n) {
  constexpr u32 kEach = 8;
  for (u32 first = laneID(); first < n; first += 32 * kEach) {
    K k[kEach];
#pragma unroll
    for (u32 i = 0; i < kEach; i++) {
      if (first + 32 * i < n) k[i] = from[first + 32 * i];
    }
#pragma unroll
    for (u32 i = 0; i < kEach; i++) {
      if (first + 32 * i < n) to[first + 32 * i] = k[i];
    }
  }
}

// ownPositions writes an argsort's positions where no segment is.
template <typename K> GS_DEVICE void ownPositions(const SegmentsMemory<K>& m, u64 from, u64 to) {
  const u64 step = u64(gridDim.x) * kSegmentsShortThreads;
  for (u64 i = from + u64(blockIdx.x) * kSegmentsShortThreads + threadIdx.x; i < to; i += step) m.put(u32(i), u32(i));
}

// shortSegments sorts the segments that a warp sorts.
// Launch: kSegmentsShortThreads threads, any grid. Dynamic shared memory: ShortShared<kBits>::kBytes.
template <int kBits, bool kArgsort>
GS_DEVICE void shortSegments(const SegmentsState* state, const SegmentsMemory<WordOf<kBits>>& m, const void* offsets,
                             u32 wide, u64 segments, u64 n) {
  typedef WordOf<kBits> K;
  extern __shared__ uint4 dynamicShared[];
  if (state->code != 0) return;
  if constexpr (kArgsort) {
    ownPositions(m, 0, segments == 0 ? n : widthAt(offsets, wide, 0));
    if (segments != 0) ownPositions(m, widthAt(offsets, wide, segments), n);
  }
  char* const mine =
      reinterpret_cast<char*>(dynamicShared) + threadIdx.x / 32 * (ShortShared<kBits>::kWindowBytes + 128);
  u32* const order = reinterpret_cast<u32*>(mine);
  K* const window = reinterpret_cast<K*>(mine + 128);
  const u64 step = u64(gridDim.x) * kSegmentsShortThreads;
  for (u64 first = u64(blockIdx.x) * kSegmentsShortThreads + threadIdx.x / 32 * 32; first < segments; first += step) {
    const u64 i = first + laneID();
    // Behind the last segment are empty ones at its end.
    const u32 lo = u32(widthAt(offsets, wide, least(i, segments)));
    const u32 hi = u32(widthAt(offsets, wide, least(i + 1, segments)));
    const u32 length = hi - lo;
    if constexpr (kArgsort) {
      if (length == 1) m.put(lo, lo);
    }
    const u32 begin = __shfl_sync(kAllLanes, lo, 0), all = __shfl_sync(kAllLanes, hi, 31) - begin;
    u32 of[6] = {0};  // where the classes begin in order
#pragma unroll
    for (u32 c = 0; c < 5; c++) {
      const u32 least_ = c == 0 ? 2 : (8u << (c - 1)) + 1, most = 8u << c;
      const bool is = length >= least_ && length <= most;
      const u32 lanes = __ballot_sync(kAllLanes, is);
      if (is) order[of[c] + __popc(lanes & lanesBelow())] = laneID();
      of[c + 1] = of[c] + __popc(lanes);
    }
    if (of[5] == 0) continue;
    const bool staged = all <= kSegmentsWindow;
    if (staged) copyWindow(window, m.io + begin, all);
    __syncwarp();
    const ShortSegments<kBits, kArgsort> s{m, staged ? window : m.io + begin, begin, lo, length, order};
    s.template sort<3, 0>(of[0], of[1]);
    s.template sort<4, 0>(of[1], of[2]);
    s.template sort<5, 0>(of[2], of[3]);
    s.template sort<5, 1>(of[3], of[4]);
    s.template sort<5, 2>(of[4], of[5]);
    __syncwarp();
    if (!kArgsort && staged) copyWindow(m.io + begin, window, all);
    __syncwarp();
  }
}

}  // namespace gs

#endif
