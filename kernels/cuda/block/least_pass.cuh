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
  template <typename Args>
  GS_DEVICE LeastSource(const Args& a, const LeastFilter<K>& filter)
      : keys(a.keys), places(nullptr), items(a.n), from(0) {
    if (a.s->isListed) {
      keys = a.list.keys, places = a.list.places, items = a.s->listed;
    } else if (filter.placed) {  // the keys of one range of positions
      from = filter.places.base;
      keys += from, items = least(items - from, filter.places.before + filter.places.most + 1);
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
    t.encode(a.codec);
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
#pragma unroll
      for (u32 j = 0; j < t.kEach; j++) {
        if (t.valid[r] >> j & 1) atomicAdd(&hist[u32(t.v[r].k[j] >> a.level.shift) * kLeastCopies + copy], 1u);
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
};

// passLeast goes through the source.
template <typename K, typename P, bool kPlaced, typename Args>
GS_DEVICE void passLeast(const Args& a, const LeastSource<K, P>& from, const LeastFilter<K>& filter,
                         const LeastTask<K, P>& task) {
  const u32 copy = threadIdx.x % kLeastCopies, mask = (1u << a.level.bits) - 1;
  const bool keeps = task.to.keys != nullptr, writes = a.out != nullptr;
  const u64 tiles = LeastTile<K>::tiles(from.keys, from.items);
  LeastTile<K> t;
#pragma unroll 1
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    t.load(from.keys, from.items, tile);
    t.encode(a.codec);
    u32 hits[kLeastVectors], wish = 0;  // a bit for each key kept, in the high half for each written
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
      hits[r] = 0;
#pragma unroll
      for (u32 j = 0; j < t.kEach; j++) {
        const K e = t.v[r].k[j];
        if (kPlaced && filter.placed) {  // candidates are equal keys
          if (!filter.keys.match(e) || !(t.valid[r] >> j & 1)) continue;
          const u64 place = from.placeOf(t.number(r, j));
          hits[r] |= filter.places.less(place) ? 0x10000u << j : filter.places.match(place) ? 1u << j : 0;
        } else {
          hits[r] |= filter.keys.less(e) ? 0x10000u << j : filter.keys.match(e) ? 1u << j : 0;
        }
      }
      hits[r] &= t.valid[r] * (writes ? 0x10001u : 1u);
      if (task.hist != nullptr && (hits[r] & 0xffff) != 0) {
#pragma unroll
        for (u32 j = 0; j < t.kEach; j++) {
          if (!(hits[r] >> j & 1)) continue;
          const u64 word = kPlaced && a.level.placed ? from.placeOf(t.number(r, j)) : u64(t.v[r].k[j]);
          atomicAdd(&task.hist[(u32(word >> a.level.shift) & mask) * kLeastCopies + copy], 1u);
        }
      }
      if (!keeps) hits[r] &= 0xffff0000u;
      wish += __popc(hits[r] & 0xffff) + (__popc(hits[r] >> 16) << 16);
    }
    u64 keptAt, writtenAt;
    if (!task.slots.reserve(wish, keptAt, writtenAt)) continue;
#pragma unroll
    for (u32 r = 0; r < kLeastVectors; r++) {
#pragma unroll 1
      for (; hits[r] != 0; hits[r] &= hits[r] - 1) {  // read again, from the caches: few are written
        const u32 bit = __ffs(hits[r]) - 1;
        const u64 number = t.number(r, bit & 15), place = kPlaced ? from.placeOf(number) : 0;
        const K raw = from.keys[number];
        if (bit >= 16) {
          writeLeast<K, P, kPlaced>(a.out, writtenAt++, raw, encode(a.codec, raw), place);
          continue;
        }
        task.to.keys[keptAt] = raw;
        if constexpr (kPlaced) task.to.places[keptAt] = P(place);
        keptAt++;
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
