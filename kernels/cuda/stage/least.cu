// Module least: the key at a place of the order, and the first keys of the order or their
// positions, not yet in order (internal/algo/least, which plans the launches and has a sort put
// them in order; kernels/opencl/least.cl is its OpenCL form). Keys of 8 to 64 bits.
//
// Stage pass: one digit, or, once few candidates are left, all that remain. In: keys[n], read
// only. Scratch: the state, zero before the first launch; list[room], shorts[kLeastShort] with
// positions where those tell equal keys apart. Out: the state; keys before all candidates in out.
// Stage gather: what the passes left to write: of keys alone, those that differ in the last digit
// alone, and the copies of the key found. Out: out[0, k) has the first k keys, in any order.
// Stage positions: the low halves of sorted words, as positions. Stage fetch: keys by their positions.
//
// Launch of all: kLeastThreads threads, any grid; the planner's has kLeastBlocks blocks for each
// multiprocessor. No block waits for another one. Memory order: a block reads what launches
// before have written. The last block of a pass, and it alone, reads what the others have: see
// lastOfLaunch. Cursors and counts are added to in any order.
#include "block/least_pass.cuh"
#include "warp/overlap.cuh"

namespace gs {

// searchLeast is stage pass.
template <typename K, typename P, bool kPlaced> GS_DEVICE void searchLeast(const LeastArgs<K, P>& a) {
  __shared__ uint4 histogram[kLeastBins];
  u32* const hist = &histogram[0].x;
  LeastState* const s = a.s;
  if (s->found) return;
  const bool first = a.level.lastBits == 0;
  const u64 count = first ? a.n : s->count, key = s->key, place = s->place, rank = first ? a.rank : s->rank;
  const LeastFilter<K> filter(a.level, key, place);
  const LeastSource<K, P> from(a, filter);
  const bool gathers = count <= kLeastShort, lists = !gathers && !first && !s->isListed && count <= a.room;
  const u64 less = first || a.out == nullptr ? 0 : s->less;
  const bool works = blockIdx.x < LeastTile<K>::tiles(from.keys, from.items);
  if (works) {
    if (!gathers) {
      for (u32 d = threadIdx.x; d < kLeastBins; d += kLeastThreads) histogram[d] = make_uint4(0, 0, 0, 0);
      __syncthreads();
    }
    if (first && !gathers) {
      countFirst<K>(hist, a);
    } else {
      LeastTask<K, P> task = {gathers ? nullptr : hist, {nullptr, nullptr}, {&s->listed, &s->written, nullptr, false}};
      if (gathers) task.to = a.shorts, task.slots.low32 = &s->shorts;
      if (lists) task.to = a.list;
      task.slots.dense = (less + (gathers || lists ? count : 0)) * 1024 > from.items;
      passLeast<K, P, kPlaced>(a, from, filter, task);
    }
    if (!gathers) {
      __syncthreads();
      addCounts(hist, s);
    }
  }
  if (!lastOfLaunch(&s->done)) return;
  if (gathers) {
    solveShort<K, P, kPlaced>(hist, a.shorts, u32(count), a.level, key, place, rank, a.placeBits, a.codec, s,
                              [&](u64 slot, K raw, K e, u64 p) { writeLeast<K, P, kPlaced>(a.out, slot, raw, e, p); });
    return;
  }
  const LeastChoice c = chooseDigit(rank, [&](u32 d) { return __ldcg(&s->counts[d]); });
  for (u32 d = threadIdx.x; d < kLeastBins; d += kLeastThreads) s->counts[d] = 0;
  if (threadIdx.x != 0) return;
  const u64 digit = u64(c.digit) << a.level.shift;
  s->key = a.level.placed ? key : key | digit;
  s->place = a.level.placed ? place | digit : place;
  s->rank = rank - c.before, s->count = c.count, s->less = c.before;
  s->isListed |= u32(lists);
  s->done = 0;
  s->bits = u64(decode(a.codec, K(s->key)));  // right with the last digit
}

// eachLeast calls f(x) for every x below n, some at a time.
template <typename F> GS_DEVICE void eachLeast(u64 n, F f) {
#pragma unroll 4
  for (u64 x = u64(blockIdx.x) * kLeastThreads + threadIdx.x; x < n; x += u64(gridDim.x) * kLeastThreads) f(x);
}

// gatherLeast is stage gather, for the first k keys.
template <typename K> GS_DEVICE void gatherLeast(const LeastArgs<K, u32>& a, u64 k) {
  LeastState* const s = a.s;
  const K found = decode(a.codec, K(s->key));
  K* const out = static_cast<K*>(a.out);
  const u64 first = k - 1 - s->rank;
  eachLeast(k - first, [&](u64 x) { out[first + x] = found; });
  if (s->found || s->less == 0) return;
  const LeastFilter<K> filter(a.level, s->key, 0);
  const LeastSource<K, u32> from(a, filter);
  const LeastSlots slots = {&s->listed, &s->written, nullptr, s->less * 1024 > from.items};
  const LeastTask<K, u32> task = {nullptr, {nullptr, nullptr}, slots};
  passLeast<K, u32, false>(a, from, filter, task);
}

}  // namespace gs

using namespace gs;

#define GS_KEY(bits) Word<bits / 8>::type

#define GS_PASS(bits, suffix, P, placed) \
  GS_GLOBAL __launch_bounds__(kLeastThreads, kLeastBlocks) \
      gs_least_pass_##bits##_##suffix(const GS_KEY(bits)* keys, u64 n, u64 rank, GS_KEY(bits)* list, P* listPlaces, \
                                      u64 room, GS_KEY(bits)* shorts, P* shortPlaces, void* out, \
                                      LeastState* state, u64 level, u32 codec, u32 placeBits) { \
    awaitPrevious(); \
    searchLeast<GS_KEY(bits), P, placed>({keys, n, rank, room, {list, listPlaces}, {shorts, shortPlaces}, out, state, \
                                          unpackLevel(level), codec, placeBits}); \
  }

#define GS_GATHER(bits) \
  GS_GLOBAL __launch_bounds__(kLeastThreads, kLeastBlocks) \
      gs_least_gather_##bits##_keys(const GS_KEY(bits)* keys, u64 n, u64 k, GS_KEY(bits)* list, void* out, \
                                    LeastState* state, u64 level, u32 codec) { \
    awaitPrevious(); \
    gatherLeast<GS_KEY(bits)>({keys, n, 0, 0, {list, nullptr}, {nullptr, nullptr}, out, state, unpackLevel(level), \
                               codec, 0}, k); \
  }

#define GS_FETCH(bits, suffix, P) \
  GS_GLOBAL __launch_bounds__(kLeastThreads, kLeastBlocks) \
      gs_least_fetch_##bits##_##suffix(const GS_KEY(bits)* keys, const P* places, GS_KEY(bits)* out, u64 n) { \
    awaitPrevious(); \
    eachLeast(n, [&](u64 x) { out[x] = keys[places[x]]; }); \
  }

#define GS_POSITIONS(bits) \
  GS_GLOBAL __launch_bounds__(kLeastThreads, kLeastBlocks) \
      gs_least_positions_##bits(const u64* words, GS_KEY(bits)* out, u64 n) { \
    awaitPrevious(); \
    eachLeast(n, [&](u64 x) { out[x] = u32(words[x]); }); \
  }

#define GS_WIDTH(bits) \
  GS_PASS(bits, keys, u32, false) \
  GS_PASS(bits, pairs32, u32, true) \
  GS_PASS(bits, pairs64, u64, true) \
  GS_GATHER(bits) \
  GS_FETCH(bits, pairs64, u64)

GS_WIDTH(8)
GS_WIDTH(16)
GS_WIDTH(32)
GS_WIDTH(64)
GS_FETCH(64, pairs32, u32)
GS_POSITIONS(32)
GS_POSITIONS(64)
