// One digit of the search: reads the candidates, or the input while they are in no list,
// counts their digits, lists them once they are few, and writes the keys that turn out to lie
// before all candidates.
#ifndef GS_BLOCK_LEAST_PASS
#define GS_BLOCK_LEAST_PASS

#include "block/least_choose.cuh"
#include "block/least_tile.cuh"

namespace gs {

// LeastArgs are a launch's arguments. The list has room for `room` candidates, `shorts` for
// kLeastShort. out is null where nothing but the key is wanted.
template <typename K, typename P> struct LeastArgs {
  const K* keys;
  u64 n, rank;
  u64 room;
  LeastCandidates<K, P> list, shorts;
  void* out;
  LeastState* s;
  LeastLevel level;
  u32 codec, placeBits;
};

// writeLeast writes a key that is among the first: itself, or its position, in one word with
// the encoded key where that has room.
template <typename K, typename P, bool kPlaced> GS_DEVICE void writeLeast(void* out, u64 slot, K raw, K e, u64 place) {
  if constexpr (!kPlaced) {
    if (out != nullptr) static_cast<K*>(out)[slot] = raw;
  } else if constexpr (sizeof(K) < 8 && sizeof(P) == 4) {
    static_cast<u64*>(out)[slot] = u64(e) << 32 | place;
  } else {
    static_cast<P*>(out)[slot] = P(place);
  }
}

// LeastSource is what a launch reads.
template <typename K, typename P> struct LeastSource {
  const K* keys;
  const P* places;  // null: number i is at position `from` + i
  u64 items, from;
  template <typename Args> GS_DEVICE LeastSource(const Args& a, const LeastFilter& filter) : keys(a.keys), places(nullptr), items(a.n), from(0) {
    if (a.s->isListed) {
      keys = a.list.keys, places = a.list.places, items = a.s->listed;
    } else if (filter.placed) {  // the keys of one range of positions
      const u32 shift = filter.top + filter.lastBits;
      from = filter.want >> filter.lastBits << shift;
      keys += from, items = least(items - from, u64(1) << shift);
    }
  }
  GS_DEVICE u64 placeOf(u64 i) const { return places != nullptr ? u64(places[i]) : from + i; }
};

// countFirst counts the top digits of all keys.
template <typename K, typename Args> GS_DEVICE void countFirst(u32* hist, const Args& a) {
  const u32 copy = threadIdx.x % kLeastCopies;
  const u64 tiles = LeastTile<K>::tiles(a.keys, a.n);
  LeastTile<K> t;
#pragma unroll 1
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    t.load(a.keys, a.n, tile);
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
#pragma unroll
      for (u32 j = 0; j < t.kEach; j++) {
        if (t.holds(r, j)) atomicAdd(&hist[u32(encode(a.codec, t.k[r][j]) >> a.level.shift) * kLeastCopies + copy], 1u);
      }
    }
  }
}

// LeastTask is what a launch does with candidates: counts them in hist, if it is not null,
// and writes them to `to`, if its keys are not null, behind the cursors of slots.
template <typename K, typename P> struct LeastTask {
  u32* hist;
  LeastCandidates<K, P> to;
  LeastSlots slots;
  bool all;  // every key is a candidate
};

// passLeast goes through the source.
template <typename K, typename P, bool kPlaced, typename Args>
GS_DEVICE void passLeast(const Args& a, const LeastSource<K, P>& from, const LeastFilter& filter, const LeastTask<K, P>& task) {
  const u32 copy = threadIdx.x % kLeastCopies, mask = (1u << a.level.bits) - 1;
  const bool keeps = task.to.keys != nullptr;
  const u64 tiles = LeastTile<K>::tiles(from.keys, from.items);
  LeastTile<K> t;
#pragma unroll 1
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    t.load(from.keys, from.items, tile);
    u32 hits[kLeastVectors], wish = 0;  // a bit for each key kept, in the high half for each written
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
      hits[r] = 0;
#pragma unroll
      for (u32 j = 0; j < t.kEach; j++) {
        if (!t.holds(r, j)) continue;
        const K e = encode(a.codec, t.k[r][j]);
        const u64 place = kPlaced && filter.placed ? from.placeOf(t.number(r, j)) : 0;
        const u32 is = task.all ? kLeastMatch : filter(e, place);
        if (is == kLeastNone || is == kLeastLess && a.out == nullptr) continue;
        hits[r] |= is == kLeastLess ? 0x10000u << j : 1u << j;
        if (is == kLeastMatch && task.hist != nullptr) {
          const u64 word = kPlaced && a.level.placed ? from.placeOf(t.number(r, j)) : u64(e);
          atomicAdd(&task.hist[(u32(word >> a.level.shift) & mask) * kLeastCopies + copy], 1u);
        }
      }
      wish += (keeps ? __popc(hits[r] & 0xffff) : 0) + (__popc(hits[r] >> 16) << 16);
    }
    u64 keptAt, writtenAt;
    if (!task.slots.reserve(wish, keptAt, writtenAt) || wish == 0) continue;
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
      if (hits[r] == 0) continue;
#pragma unroll
      for (u32 j = 0; j < t.kEach; j++) {
        const K raw = t.k[r][j];
        if (keeps && (hits[r] >> j & 1)) {
          task.to.keys[keptAt] = raw;
          if constexpr (kPlaced) task.to.places[keptAt] = P(from.placeOf(t.number(r, j)));
          keptAt++;
        }
        if (hits[r] >> j & 0x10000u) {
          writeLeast<K, P, kPlaced>(a.out, writtenAt, raw, encode(a.codec, raw), kPlaced ? from.placeOf(t.number(r, j)) : 0);
          writtenAt++;
        }
      }
    }
  }
}

// addCounts adds a block's counts to those of all.
GS_DEVICE void addCounts(const u32* hist, LeastState* s) {
  static_assert(kLeastCopies == 4, "a digit's copies are one vector");
  for (u32 d = threadIdx.x; d < kLeastBins; d += kLeastThreads) {
    const uint4 c = reinterpret_cast<const uint4*>(hist)[d];
    const u32 sum = c.x + c.y + c.z + c.w;
    if (sum != 0) atomicAdd(&s->counts[d], u64(sum));
  }
}

}  // namespace gs

#endif
