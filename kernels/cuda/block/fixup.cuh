// The end of a sort whose passes left out the lowest digits. Keys that agree in all
// digits above those stand together, in order of the input: a run. What tells two keys
// apart lies in the upper digits as a rule, so that most runs have one key, and most threads
// find nothing to do. The rest is stable, too.
//
//   tiles  a block looks for neighbours against the order in its tile, and for the runs that
//          they are of. A thread sorts a run of up to kFixUpShort keys, a warp one of
//          up to kFixUpHalo, the block a longer one that ends in its window: a tile and as
//          many keys behind it. A run begins in one tile, which owns it
//   listed runs that do not end in their owner's window: whoever sees such a run in
//          disorder lists its owner. Behind a barrier of the grid a block sorts each by the
//          digits left out
//   grid   longer runs than kFixUpAlone, of one value and a few keys beside it, say: behind another
//          barrier all blocks sort one after the other (block/sweep.cuh)
//
// Keys are written where they lay, while other blocks read them. Of runs that are not its
// own a block uses the upper digits, which are the same wherever in the run a key
// goes, and a disorder that it sees there, which is fixed up by the owner, or was one before;
// words of 8 bytes are read and written whole. Loads bypass the L1, which other
// multiprocessors' writes do not reach.
#ifndef GS_BLOCK_FIXUP
#define GS_BLOCK_FIXUP

#include "block/control.cuh"
#include "warp/codec.cuh"
#include "warp/match.cuh"

namespace gs {

constexpr u32 kFixUpShort = 4, kFixUpHalo = 128, kFixUpRows = kFixUpHalo / 32;
// kFixUpAlone: a block sorts so many keys in about a millisecond, by the time that it took for 16
// million.
constexpr u32 kFixUpAlone = 1u << 16;
GS_CONSTANT(FixUpAlone, kFixUpAlone)

template <typename K, typename V> struct FixUpArgs {
  K *keys, *keysA;  // the caller's, sorted by the digits from `low` on; scratch
  V *values, *valuesA;
  u64 n;
  u32 codec, low;  // the digits left out
  // How many runs are listed, and how many of these are for the grid; for each tile whether
  // its run is listed; the tiles listed; those for the grid. Zero before.
  u32* listed;
  u64 tiles;
  GS_DEVICE u32* isListed() const { return listed + 2; }
  GS_DEVICE u32* list() const { return isListed() + tiles; }
  GS_DEVICE u32* forGrid() const { return list() + tiles; }
  GS_DEVICE u64 words() const { return 2 + 2 * tiles; }  // to be zero
  GS_DEVICE bool agree(K a, K b) const { return (a ^ b) >> (kDigitBits * low) == 0; }
  GS_DEVICE K encoded(u64 at) const { return encode(codec, __ldcg(keys + at)); }
};

// FixUpShared is the shared memory of a block. Eight keys a thread are a tile.
template <typename K, u32 kThreads> struct FixUpShared {
  static constexpr u32 kTile = 8 * kThreads, kWindow = kTile + kFixUpHalo, kRows = 9, kWarps = kThreads / 32;
  static_assert(kWindow <= kRows * kThreads, "so many for a thread");
  // have is how many keys a window has if so many are left.
  static GS_DEVICE u32 have(u64 left) { return left < kWindow ? u32(left) : kWindow; }
  union {
    struct {
      K before;           // the encoded key of the key before the window
      K key[kWindow];     // encoded keys
      u32 runs[kWindow / 2];  // in disorder: where they begin, and how many keys they have << 16
    };
    struct {  // of fixUpRun
      u32 counts[kWarps * kDigits], starts[kDigits], sums[kDigits / 32];
    };
  };
  u32 longRuns[kWindow / kFixUpHalo];  // as runs, of more than kFixUpHalo keys
  u32 count, longCount;
  u32 crossing;  // bit 0: the run that leaves the window is in disorder; bit 1: that of the key before is
  K differ;
  u64 begin, end;
};

// Of the fewest threads that a sweep may have.
GS_CONSTANT(FixUpTile, FixUpShared<u64, kDigits>::kTile)

// fixUpEnd finds the last place, or if up is false the first, of the run of key, which has
// place `from`: by steps that double, then by halves. One thread.
template <typename K, typename V> GS_DEVICE u64 fixUpEnd(const FixUpArgs<K, V>& a, K key, u64 from, bool up) {
  const auto has = [&](u64 far) { return (up ? far < a.n - from : far <= from) && a.agree(a.encoded(up ? from + far : from - far), key); };
  u64 far = 0, step = 1;
  for (; has(far + step); step *= 2) far += step;
  for (; step > 0; step /= 2) {
    if (has(far + step)) far += step;
  }
  return up ? from + far : from - far;
}

// fixUpPass is one stable pass by a digit over the run [s.begin, s.end) by this block.
// Begins with a barrier, ends with one.
template <typename K, typename V, bool kPairs, u32 kThreads>
GS_DEVICE void fixUpPass(const K* from, K* to, const V* valuesFrom, V* valuesTo, u32 codec, u32 pass, FixUpShared<K, kThreads>& s) {
  const DigitOf<K> digitOf(pass);
  const u64 begin = s.begin, end = s.end;
  const u32 t = threadIdx.x, warp = t / 32;
  static_assert(kThreads >= kDigits, "a thread for each digit");
  __syncthreads();
  if (t < kDigits) s.starts[t] = 0;
  __syncthreads();
  for (u64 i = begin + t; i < end; i += kThreads) atomicAdd(&s.starts[digitOf(encode(codec, __ldcg(from + i)))], 1u);
  __syncthreads();
  u32 count = 0, inclusive = 0;
  if (t < kDigits) {
    count = s.starts[t], inclusive = inclusiveSum(count);
    if (laneID() == 31) s.sums[warp] = inclusive;
  }
  __syncthreads();
  if (t < kDigits) {
    inclusive -= count;
    for (u32 w = 0; w < warp; w++) inclusive += s.sums[w];
    s.starts[t] = inclusive;
  }
#pragma unroll 1
  for (u64 base = begin; base < end; base += kThreads) {
    const u64 i = base + t;
    const bool valid = i < end;
    K key = 0;
    V value = 0;
    if (valid) {
      key = __ldcg(from + i);
      if (kPairs) value = __ldcg(valuesFrom + i);
    }
    const u32 digit = digitOf(encode(codec, key));
    for (u32 c = t; c < FixUpShared<K, kThreads>::kWarps * kDigits; c += kThreads) s.counts[c] = 0;
    __syncthreads();
    const u32 same = matchDigit(digit) & __ballot_sync(kAllLanes, valid), below = u32(__popc(same & lanesBelow()));
    if (valid && below == 0) s.counts[warp * kDigits + digit] = u32(__popc(same));
    __syncthreads();
    if (t < kDigits) {
      u32 start = s.starts[t];
#pragma unroll 1
      for (u32 w = 0; w < FixUpShared<K, kThreads>::kWarps; w++) {
        const u32 mine = s.counts[w * kDigits + t];
        s.counts[w * kDigits + t] = start;
        start += mine;
      }
      s.starts[t] = start;
    }
    __syncthreads();
    if (valid) {
      const u64 at = begin + s.counts[warp * kDigits + digit] + below;
      to[at] = key;
      if (kPairs) valuesTo[at] = value;
    }
    __syncthreads();
  }
}

// fixUpRun sorts the run [s.begin, s.end), of fewer than 2^32 keys, by the digits left out.
// Begins and ends with a barrier.
template <typename K, typename V, bool kPairs, u32 kThreads> GS_DEVICE void fixUpRun(const FixUpArgs<K, V>& a, FixUpShared<K, kThreads>& s) {
  __syncthreads();
  const u64 begin = s.begin, end = s.end;
  const K first = a.encoded(begin);
  K differ = 0;
  for (u64 i = begin + threadIdx.x; i < end; i += kThreads) differ |= a.encoded(i) ^ first;
  if (threadIdx.x == 0) s.differ = 0;
  __syncthreads();
  if (differ != 0) atomicOr(&s.differ, differ);
  __syncthreads();
  differ = s.differ;
  K *from = a.keys, *to = a.keysA;
  V *valuesFrom = a.values, *valuesTo = a.valuesA;
#pragma unroll 1
  for (u32 pass = 0; pass < a.low; pass++) {
    if ((differ >> (kDigitBits * pass)) % kDigits == 0) continue;
    fixUpPass<K, V, kPairs, kThreads>(from, to, valuesFrom, valuesTo, a.codec, pass, s);
    K* const keys = from;
    from = to, to = keys;
    V* const values = valuesFrom;
    valuesFrom = valuesTo, valuesTo = values;
  }
  if (from != a.keys) {
    for (u64 i = begin + threadIdx.x; i < end; i += kThreads) {
      a.keys[i] = __ldcg(from + i);
      if (kPairs) a.values[i] = __ldcg(valuesFrom + i);
    }
  }
  __syncthreads();
}

// fixUpShortRun sorts a run by one thread.
template <typename K, typename V, bool kPairs> GS_DEVICE void fixUpShortRun(const FixUpArgs<K, V>& a, const K* key, u64 base, u32 many) {
  K k[kFixUpShort];
  V v[kFixUpShort];
#pragma unroll
  for (u32 i = 0; i < kFixUpShort; i++) {
    if (i < many) {
      k[i] = key[i];
      if (kPairs) v[i] = __ldcg(a.values + base + i);
    }
  }
#pragma unroll
  for (u32 i = 0; i < kFixUpShort; i++) {
    u32 rank = 0;
#pragma unroll
    for (u32 j = 0; j < kFixUpShort; j++) rank += j < many && (j < i ? k[j] <= k[i] : k[j] < k[i]);
    if (i < many && rank != i) {
      a.keys[base + rank] = decode(a.codec, k[i]);
      if (kPairs) a.values[base + rank] = v[i];
    }
  }
}

// fixUpWarpRun sorts a run by a warp.
template <typename K, typename V, bool kPairs> GS_DEVICE void fixUpWarpRun(const FixUpArgs<K, V>& a, const K* key, u64 base, u32 many) {
  u32 rank[kFixUpRows];
  V v[kFixUpRows];
#pragma unroll
  for (u32 r = 0; r < kFixUpRows; r++) {
    const u32 i = 32 * r + laneID();
    rank[r] = i;
    if (i >= many) continue;
    const K mine = key[i];
    u32 before = 0;
#pragma unroll 4
    for (u32 j = 0; j < many; j++) before += j < i ? key[j] <= mine : key[j] < mine;
    rank[r] = before;
    if (kPairs && before != i) v[r] = __ldcg(a.values + base + i);
  }
  __syncwarp();  // values are read before any is written
#pragma unroll
  for (u32 r = 0; r < kFixUpRows; r++) {
    const u32 i = 32 * r + laneID();
    if (i >= many || rank[r] == i) continue;
    a.keys[base + rank[r]] = decode(a.codec, key[i]);
    if (kPairs) a.values[base + rank[r]] = v[r];
  }
}

// fixUpListTile lists the run that leaves the window of the tile, once. One thread.
template <typename K, typename V> GS_DEVICE void fixUpListTile(const FixUpArgs<K, V>& a, u64 tile) {
  if (atomicOr(a.isListed() + tile, 1u) == 0) a.list()[atomicAdd(a.listed, 1u)] = u32(tile);
}

// FixUpWindow is a thread's keys of a tile's window, and, thread 0's, the one before.
template <typename K, u32 kThreads> struct FixUpWindow {
  typedef FixUpShared<K, kThreads> S;
  K key[S::kRows], before;
  template <typename V> GS_DEVICE void load(const FixUpArgs<K, V>& a, u64 tile) {
    const u64 base = tile * S::kTile;
    if (base >= a.n) return;
    const u32 t = threadIdx.x, have = S::have(a.n - base);
#pragma unroll
    for (u32 j = 0; j < S::kRows; j++) {
      const u32 i = j * kThreads + t;
      if (i < have) key[j] = __ldcg(a.keys + base + i);
    }
    before = 0;
    if (t == 0 && base != 0) before = __ldcg(a.keys + base - 1);
  }
};

// fixUpTile fixes up the runs that begin in tile number `tile` and end in its window w, and lists
// others; then w, of pairs, is the window of tile `next`. Begins with shared memory that nobody reads any
// more, and so it ends.
template <typename K, typename V, bool kPairs, u32 kThreads>
GS_DEVICE void fixUpTile(const FixUpArgs<K, V>& a, u64 tile, u64 next, FixUpWindow<K, kThreads>& w, FixUpShared<K, kThreads>& s) {
  typedef FixUpShared<K, kThreads> S;
  const u64 base = tile * S::kTile;
  const u32 t = threadIdx.x, have = S::have(a.n - base);
  const bool ends = base + have == a.n;
  if (t == 0) {
    s.before = base != 0 ? encode(a.codec, w.before) : K(0);
    s.count = s.longCount = s.crossing = 0;
  }
#pragma unroll
  for (u32 j = 0; j < S::kRows; j++) {
    const u32 i = j * kThreads + t;
    if (i < have) s.key[i] = encode(a.codec, w.key[j]);
  }
  if (kPairs) w.load(a, next);
  __syncthreads();
  u32 disorder = 0;  // bit j: behind key j of the thread
#pragma unroll
  for (u32 j = 0; j < S::kRows; j++) {
    const u32 i = j * kThreads + t;
    if (i + 1 < have && s.key[i] > s.key[i + 1] && a.agree(s.key[i], s.key[i + 1])) disorder |= 1u << j;
  }
  for (; disorder != 0; disorder &= disorder - 1) {
    const u32 i = u32(__ffs(int(disorder)) - 1) * kThreads + t;
    const K mine = s.key[i];
    if (base != 0 && a.agree(mine, s.before)) {
      atomicOr(&s.crossing, 2u);
    } else if (!ends && a.agree(mine, s.key[have - 1])) {
      if (a.agree(mine, s.key[S::kTile - 1])) atomicOr(&s.crossing, 1u);
    } else if (i < S::kTile || a.agree(mine, s.key[S::kTile - 1])) {
      // The first disorder of its run enters it.
      u32 first = i;
      while (first > 0 && a.agree(s.key[first - 1], mine) && s.key[first - 1] <= s.key[first]) first--;
      if (first > 0 && a.agree(s.key[first - 1], mine)) continue;
      u32 last = i + 1;
      while (last + 1 < have && a.agree(s.key[last + 1], mine)) last++;
      const u32 many = last + 1 - first, run = first | many << 16;
      if (many <= kFixUpHalo) {
        s.runs[atomicAdd(&s.count, 1u)] = run;
      } else {
        s.longRuns[atomicAdd(&s.longCount, 1u)] = run;
      }
    }
  }
  __syncthreads();
  if (t == 0 && s.crossing != 0) {
    if (s.crossing & 1) fixUpListTile(a, tile);
    // The run of the key before ends in its owner's window unless it has the last key of
    // the window before, or began in an earlier tile than that.
    if ((s.crossing & 2) && ((have >= kFixUpHalo && a.agree(s.key[kFixUpHalo - 1], s.before)) || (base > S::kTile && a.agree(a.encoded(base - S::kTile - 1), s.before)))) {
      fixUpListTile(a, fixUpEnd(a, s.before, base - 1, false) / S::kTile);
    }
  }
  const u32 count = s.count;
  for (u32 r = t; r < count; r += kThreads) {
    const u32 begin = s.runs[r] & 0xffff, many = s.runs[r] >> 16;
    if (many <= kFixUpShort) fixUpShortRun<K, V, kPairs>(a, s.key + begin, base + begin, many);
  }
  for (u32 r = t / 32; r < count; r += S::kWarps) {
    const u32 begin = s.runs[r] & 0xffff, many = s.runs[r] >> 16;
    if (many > kFixUpShort) fixUpWarpRun<K, V, kPairs>(a, s.key + begin, base + begin, many);
  }
  for (u32 r = 0; r < s.longCount; r++) {
    __syncthreads();
    if (t == 0) s.begin = base + (s.longRuns[r] & 0xffff), s.end = s.begin + (s.longRuns[r] >> 16);
    fixUpRun<K, V, kPairs, kThreads>(a, s);
  }
  __syncthreads();
}

// fixUpTiles fixes up what the owners do; any grid. Of pairs a tile's keys are fetched while the
// block works on the one before. The registers of keys alone, two thirds as many, do not hold them.
template <typename K, typename V, bool kPairs, u32 kThreads> GS_DEVICE void fixUpTiles(const FixUpArgs<K, V>& a, FixUpShared<K, kThreads>& s) {
  FixUpWindow<K, kThreads> w;
  if (kPairs) w.load(a, blockIdx.x);
  for (u64 tile = blockIdx.x; tile * s.kTile < a.n; tile += gridDim.x) {
    if (!kPairs) w.load(a, tile);
    fixUpTile<K, V, kPairs, kThreads>(a, tile, tile + gridDim.x, w, s);
  }
}

// fixUpFind finds the run that the tile lists: it has the tile's last key. One thread.
template <typename K, typename V, u32 kThreads> GS_DEVICE void fixUpFind(const FixUpArgs<K, V>& a, u32 tile, u64& begin, u64& end) {
  const u64 at = (u64(tile) + 1) * FixUpShared<K, kThreads>::kTile - 1;
  const K key = a.encoded(at);
  begin = fixUpEnd(a, key, at, false), end = fixUpEnd(a, key, at, true) + 1;
}

// fixUpListed fixes up the listed runs, behind fixUpTiles of all blocks, but for those of
// more than kFixUpAlone keys, which it lists for the grid; any grid.
template <typename K, typename V, bool kPairs, u32 kThreads> GS_DEVICE void fixUpListed(const FixUpArgs<K, V>& a, FixUpShared<K, kThreads>& s) {
  const u32 listed = __ldcg(a.listed);
  for (u32 i = blockIdx.x; i < listed; i += gridDim.x) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const u32 tile = __ldcg(a.list() + i);
      fixUpFind<K, V, kThreads>(a, tile, s.begin, s.end);
      if (s.end - s.begin > kFixUpAlone) {
        a.forGrid()[atomicAdd(a.listed + 1, 1u)] = tile;
        s.end = s.begin;
      }
    }
    __syncthreads();
    if (s.end != s.begin) fixUpRun<K, V, kPairs, kThreads>(a, s);
  }
}

}  // namespace gs

#endif
