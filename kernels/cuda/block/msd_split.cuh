// One split of an MSD sort: an unstable partition by up to 8 bits, one block
// per tile, places handed out by one atomic per digit and tile.
//
// Within a tile no two lanes ever count in one bank: counter (digit, lane) is
// byte digit%4 of word (digit/4)·32+lane, its prefix is half digit%2 of word
// (digit/2)·32+lane. So there are no conflicts and no matching of digits,
// whatever the keys. A column (the keys of one lane number) has
// threads/32·items keys, below 256; the number should be odd, so that one hot
// digit, too, spreads its slots over all banks.
#ifndef GS_BLOCK_MSD_SPLIT
#define GS_BLOCK_MSD_SPLIT

#include "block/msd_state.cuh"

namespace gs {

// kTwice: count first, then take slots by a second atomic, instead of keeping
// ranks in registers in between. kBits are those of a digit.
template <typename K_, int kThreads_, int kItems_, bool kTwice_, u32 kBits = 8> struct MsdSplit {
  typedef K_ K;
  static constexpr int kThreads = kThreads_, kItems = kItems_;
  static constexpr bool kTwice = kTwice_;
  static constexpr u32 kTile = kThreads * kItems, kDigits = 1 << kBits;
  // Vectors of 16 bytes: of counters, and of prefixes.
  static constexpr u32 kCounters = 2 * kDigits, kPrefixes = 4 * kDigits;
  static_assert(kThreads / 32 * kItems < 256, "a column's counter is a byte");
  static_assert(kThreads >= kDigits && kThreads % 32 == 0 && kDigits % 32 == 0, "one thread per digit");
  // Prefixes, then the tile; the counters lie where the tile will.
  static constexpr u32 kBytes = 16 * (kPrefixes + (kTile * sizeof(K) > 16 * kCounters ? kTile * sizeof(K) / 16 : kCounters));
  static_assert(kTile * sizeof(K) % 16 == 0, "whole vectors");
};

// KeySource reads what is split: keys, or words that were keys.
template <typename K> struct KeySource {
  typedef K Raw;
  const K* in;
  u32 codec, skip;  // applied to what is read: see MsdEncoded
  GS_DEVICE KeySource(const K* in_, u32 codec_, u32 skip_) : in(in_), codec(codec_), skip(skip_) {}
  GS_DEVICE K pack(K k, u32) const { return k << skip; }
};

// PackSource reads keys and makes words of them: the encoded key above, shifted by
// skip as in MsdEncoded, its place below. Keys of 32 bits fill the upper half. Of
// keys of 64 bits, the lowest indexBits bits give way to the place, so that a word
// holds the 64 − indexBits highest bits that vary, or all. skip is a place: a value
// read before the keys arrive would be spilled.
template <typename Key> struct PackSource {
  typedef Key Raw;
  const Key* in;
  const u32* skip;
  u32 codec, indexBits;
  GS_DEVICE PackSource(const Key* in_, const u32* skip_, u32 codec_, u32 indexBits_) : in(in_), skip(skip_),
      codec(codec_), indexBits(indexBits_) {}
  GS_DEVICE u64 pack(Key k, u32 at) const {
    k <<= *skip;
    if constexpr (sizeof(Key) == 4)
      return u64(k) << 32 | at;
    else
      return (k >> indexBits) << indexBits | at;
  }
};

// UpperDigit is the digit of the top word's bits from shift on, below mask.
//
// kMany says that a split by such digits has many of them, and finds one by a few instructions: then it does so
// wherever it needs one. Few digits that take longer are found once a key, and kept until keys have their slots. Where
// the tile is written the slot tells its digit, as each digit has a long run of slots.
struct UpperDigit {
  static constexpr bool kMany = true;
  u32 shift, mask;
  template <typename K> GS_DEVICE u32 operator()(K key) const { return topWord(key) >> shift & mask; }
};

// Cursors gives `count` keys of digit d their place: next[d·kPad] is the first that is free.
struct Cursors {
  u32* next;
  GS_DEVICE u32 operator()(u32 d, u32 count) const { return atomicAdd(&next[d * kPad], count); }
};

// Stored writes keys as they were split.
template <typename K> struct Stored {
  K* out;
  GS_DEVICE void operator()(u32 place, K key) const { out[place] = key; }
};

// msdSplit moves items [base+lo, base+hi) of the source, at most a tile, by their digits. placeOf(digit, count) gives
// a digit's keys of the tile their first place, to(place, key) writes one. Dynamic shared memory: S::kBytes.
template <typename S, typename Source, typename Digit, typename Places, typename Sink>
GS_DEVICE void msdSplit(const Source& from, const Digit& digitOf, const Places& placeOf, const Sink& to, u32 base, u32 lo,
                        u32 hi) {
  typedef typename S::K K;
  typedef typename Source::Raw Raw;
  constexpr int kThreads = S::kThreads, kItems = S::kItems;
  constexpr u32 kCounters = S::kCounters, kWarps = S::kDigits / 32;  // that have a digit each
  extern __shared__ uint4 dynamicShared[];
  __shared__ uint4 counts4[S::kDigits / 4];
  __shared__ u32 outBase[S::kDigits], warpSums[kWarps];
  u32* const prefixes = reinterpret_cast<u32*>(dynamicShared);
  K* const sorted = reinterpret_cast<K*>(dynamicShared + S::kPrefixes);
  uint4* const columns4 = dynamicShared + S::kPrefixes;
  u32* const counts = reinterpret_cast<u32*>(counts4);
  const u32 t = threadIdx.x, lane = laneID();
  u32* const column = reinterpret_cast<u32*>(columns4) + lane;
  const bool full = lo == 0 && hi == S::kTile;

  const Raw* source = from.in + base + t;
  const u32 codec = from.codec;
  Raw raw[kItems];
  K k[kItems];
  if (full) {
#pragma unroll
    for (int i = 0; i < kItems; i++) raw[i] = source[i * kThreads];
  }
  for (u32 i = t; i < kCounters; i += kThreads) columns4[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  auto load = [&](u32 p) {
    return from.pack(codec != 0 ? encode(codec, from.in[base + p]) : from.in[base + p], base + p);
  };
  auto count = [&](u32 d) {
    const u32 s = (d & 3) * 8;
    return atomicAdd(&column[(d >> 2) * 32], 1u << s) >> s & 255;
  };
  auto take = [&](u32 d) {
    const u32 s = (d & 1) * 16;
    return atomicAdd(&prefixes[(d >> 1) * 32 + lane], 1u << s) >> s & 0xffff;
  };
  u32 ranks[(kItems + 3) / 4], digits[(kItems + 3) / 4];  // four bytes each
#pragma unroll
  for (int i = 0; i < (kItems + 3) / 4; i++) ranks[i] = digits[i] = 0;
  if (full) {
    if (codec != 0) {
#pragma unroll
      for (int i = 0; i < kItems; i++) raw[i] = encode(codec, raw[i]);
    }
#pragma unroll
    for (int i = 0; i < kItems; i++) k[i] = from.pack(raw[i], base + t + i * kThreads);
#pragma unroll
    for (int i = 0; i < kItems; i++) {
      const u32 d = digitOf(k[i]);
      if (!Digit::kMany) digits[i / 4] |= d << 8 * (i & 3);
      if (S::kTwice)
        count(d);
      else
        ranks[i / 4] |= count(d) << 8 * (i & 3);
    }
  } else {  // a partial tile is read twice and takes its slots by atomics
#pragma unroll 4
    for (u32 p = t; p < S::kTile; p += kThreads) {
      if (p >= lo && p < hi) count(digitOf(load(p)));
    }
  }
  __syncthreads();

  // Prefix sums over lanes. Vector (g, q) of the counters: digits 4g to 4g+3
  // of lanes 4q to 4q+3. Sums of two digits share a word: even holds digits 4g
  // and 4g+2, odd 4g+1 and 4g+3.
  constexpr int kRounds = (kCounters + kThreads - 1) / kThreads;
  constexpr u32 kBytesOf = 0x00ff00ff;
  u32 even[kRounds], odd[kRounds];
#pragma unroll
  for (int x = 0; x < kRounds; x++) {
    const u32 id = t + x * kThreads;
    if (id < kCounters) {  // multiples of 32, as kThreads: whole warps
      const u32 g = id >> 3, q = id & 7;
      const uint4 v = columns4[id];
      const u32 e = (v.x & kBytesOf) + (v.y & kBytesOf) + (v.z & kBytesOf) + (v.w & kBytesOf);
      const u32 o = (v.x >> 8 & kBytesOf) + (v.y >> 8 & kBytesOf) + (v.z >> 8 & kBytesOf) + (v.w >> 8 & kBytesOf);
      u32 sumE = e, sumO = o;
#pragma unroll
      for (u32 d = 1; d < 8; d *= 2) {
        const u32 a = __shfl_up_sync(kAllLanes, sumE, d, 8), b = __shfl_up_sync(kAllLanes, sumO, d, 8);
        if (q >= d) sumE += a, sumO += b;
      }
      if (q == 7) counts4[g] = make_uint4(sumE & 0xffff, sumO & 0xffff, sumE >> 16, sumO >> 16);
      even[x] = sumE - e;
      odd[x] = sumO - o;
    }
  }
  __syncthreads();
  // Thread d takes the tile's places of digit d; prefix sums over digits.
  u32 mine = 0, place = 0, inclusive = 0;
  if (t < S::kDigits) {
    mine = counts[t];
    if (mine) place = placeOf(t, mine);
    inclusive = inclusiveSum(mine);
    counts[t] = inclusive - mine;
    if (lane == 31) warpSums[t >> 5] = inclusive;
  }
  __syncthreads();
#pragma unroll
  for (int x = 0; x < kRounds; x++) {
    const u32 id = t + x * kThreads;
    if (id < kCounters) {
      const u32 g = id >> 3, q = id & 7;
      const uint4 v = columns4[id], c = counts4[g];
      u32 before = 0;
#pragma unroll
      for (u32 w = 0; w + 1 < kWarps; w++) before += w < (id >> 6) ? warpSums[w] : 0;
      const u32 e0 = even[x] + (c.x | c.z << 16) + before * 0x10001u,
          o0 = odd[x] + (c.y | c.w << 16) + before * 0x10001u;
      const u32 e1 = e0 + (v.x & kBytesOf), o1 = o0 + (v.x >> 8 & kBytesOf);
      const u32 e2 = e1 + (v.y & kBytesOf), o2 = o1 + (v.y >> 8 & kBytesOf);
      const u32 e3 = e2 + (v.z & kBytesOf), o3 = o2 + (v.z >> 8 & kBytesOf);
      uint4* at = dynamicShared + g * 16 + q;
      at[0] = make_uint4(__byte_perm(e0, o0, 0x5410), __byte_perm(e1, o1, 0x5410), __byte_perm(e2, o2, 0x5410),
                         __byte_perm(e3, o3, 0x5410));
      at[8] = make_uint4(__byte_perm(e0, o0, 0x7632), __byte_perm(e1, o1, 0x7632), __byte_perm(e2, o2, 0x7632),
                         __byte_perm(e3, o3, 0x7632));
    }
  }
  __syncthreads();
  if (full) {
#pragma unroll
    for (int i = 0; i < kItems; i++) forget(k[i]);  // digits are cheaper made again than kept
#pragma unroll
    for (int i = 0; i < kItems; i++) {
      const u32 d = Digit::kMany ? digitOf(k[i]) : digits[i / 4] >> 8 * (i & 3) & 255;
      const u32 slot = S::kTwice ? take(d)
          : reinterpret_cast<u16*>(prefixes)[(d >> 1) * 64 + lane * 2 + (d & 1)] + (ranks[i / 4] >> 8 * (i & 3) & 255);
      sorted[slot] = k[i];
    }
  } else {
#pragma unroll 4
    for (u32 p = t; p < S::kTile; p += kThreads) {
      if (p >= lo && p < hi) {
        const K key = load(p);
        sorted[take(digitOf(key))] = key;
      }
    }
  }
  if (t < S::kDigits) {
    u32 first = inclusive - mine;
#pragma unroll
    for (u32 w = 0; w + 1 < kWarps; w++) first += w < (t >> 5) ? warpSums[w] : 0;
    outBase[t] = place - first;  // may be below 0; slot ≥ first brings the sum back
    if (!Digit::kMany) counts[t] = first + mine;
  }
  __syncthreads();
  if (!Digit::kMany) {
    u32 d = 0, end = counts[0], at = outBase[0];
#pragma unroll
    for (u32 i = 0; i < kItems; i++) {
      const u32 slot = i * kThreads + t;
      if (slot >= hi - lo) break;
      while (slot >= end) d++, end = counts[d], at = outBase[d];
      to(at + slot, sorted[slot]);
    }
  } else if (full) {
#pragma unroll
    for (int i = 0; i < kItems; i++) {
      const u32 slot = i * kThreads + t;
      const K key = sorted[slot];
      to(outBase[digitOf(key)] + slot, key);
    }
  } else {
#pragma unroll 1
    for (u32 slot = t; slot < hi - lo; slot += kThreads) {
      const K key = sorted[slot];
      to(outBase[digitOf(key)] + slot, key);
    }
  }
}

// msdFirst splits the caller's keys by their top bits1 bits. One block per tile
// of kTile keys.
template <typename S>
GS_DEVICE void msdFirst(const typename S::K* keys, typename S::K* alt, u32 n, u32* cursors, const MsdState* state,
                        u32 bits1, u32 codec) {
  if (state->route != kRouteSplit) return;
  const u32 base = blockIdx.x * S::kTile;
  msdSplit<S>(KeySource<typename S::K>(keys, codec, state->skip), UpperDigit{32 - bits1, 255},
              Cursors{cursors}, Stored<typename S::K>{alt}, base, 0, least(S::kTile, n - base));
}

// msdSecond splits each part by the next bits2 bits. One block per tile of
// msdPrepare's list; the grid is its upper bound.
template <typename S>
GS_DEVICE void msdSecond(const typename S::K* alt, typename S::K* keys, u32* cursors, const uint4* tiles,
                         const MsdState* state, u32 bits1, u32 bits2) {
  const uint4 tile = tiles[blockIdx.x];
  if (blockIdx.x >= state->tiles || state->route != kRouteSplit) return;
  msdSplit<S>(KeySource<typename S::K>(alt, 0, 0), UpperDigit{32 - bits1 - bits2, (1u << bits2) - 1},
              Cursors{cursors + (tile.w << bits2) * kPad}, Stored<typename S::K>{keys}, tile.x, tile.y, tile.z);
}

}  // namespace gs

#endif
