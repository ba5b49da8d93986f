// Segments that are longer than a tile, split by the most significant digit of their keys, stably, and the parts by the
// next one, until a block sorts each. One launch of blocks that wait for one another does all rounds; without such
// segments it ends at once.
//
// A round has four phases, with a barrier of the grid behind each:
//   count    of each tile: how many keys have each digit: counts[digit][tile of the run], run behind run
//   scan     of each run and digit: counts become the keys with that digit in the tiles before
//   divide   of each run: where each digit begins; parts become pieces, several in a row as long as a block
//            sorts them together, or runs of the next round
//   move     of each tile: keys to their places in the other memory; of the last digit to where the result belongs
// A run whose digit is the same in all keys stays where it is and goes to the next round.
//
// Memory order: what one block writes and another reads lies a barrier of the grid apart, and is read past the L1.
#ifndef GS_BLOCK_SEGMENTS_SPLIT
#define GS_BLOCK_SEGMENTS_SPLIT

#include "block/rank.cuh"
#include "block/segments_state.cuh"

namespace gs {

constexpr u32 kSegmentsStill = 0x100;  // beside where a run lies: it does not move

// segmentsBarrier waits for all blocks of the grid, which must run together. before is how many have arrived at earlier
// ones, and is moved on. The fences make it release and acquire for the whole block.
GS_DEVICE void segmentsBarrier(u32* arrived, u32& before) {
  before += gridDim.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (loadWord(arrived) < before) {
    }
    __threadfence();
  }
  __syncthreads();
}

// RunTiles walks over this block's part of a round's tiles, neighbours as far as possible.
struct RunTiles {
  const uint4* runs;
  u32 tile, end, at, first, last;  // at: the run's number; first and last: its tiles
  uint4 run;

  GS_DEVICE RunTiles(const uint4* runs_, u32 many, u32 tiles, u32 size) : runs(runs_) {
    tile = u32(u64(tiles) * blockIdx.x / gridDim.x), end = u32(u64(tiles) * (blockIdx.x + 1) / gridDim.x);
    if (tile >= end) return;
    u32 lo = 0, hi = many;  // the last run whose first tile is not behind ours
    while (hi - lo > 1) {
      const u32 mid = (lo + hi) / 2;
      if (__ldcg(&runs[mid].z) <= tile)
        lo = mid;
      else
        hi = mid;
    }
    take(lo, size);
  }
  GS_DEVICE void take(u32 number, u32 size) {
    at = number, run = __ldcg(runs + number);
    first = run.z, last = run.z + (run.y - 1) / size;
  }
  GS_DEVICE bool left() const { return tile < end; }
  GS_DEVICE void next(u32 size) {
    if (++tile < end && tile > last) take(at + 1, size);
  }
  GS_DEVICE u32 tiles() const { return last - first + 1; }
  GS_DEVICE u32 skipped(u32 size) const { return (tile - first) * size; }
  GS_DEVICE u32 begin(u32 size) const { return run.x + skipped(size); }
  GS_DEVICE u32 length(u32 size) const { return least(run.y - skipped(size), size); }
  GS_DEVICE u32 where() const { return run.w & 0xff; }
  GS_DEVICE u32* column(u32* counts, u32 digit) const {
    return counts + u64(first) * kDigits + u64(digit) * tiles() + (tile - first);
  }
};

// Splitter is one round. kMost is how many keys a block sorts.
template <typename G, u32 kMost> struct Splitter {
  typedef typename G::Key K;
  static constexpr u32 kTile = G::kTile;
  const SegmentsLists& l;
  const SegmentsMemory<K>& m;
  const SegmentsShared<G>& s;
  u32* counts;  // [tiles][kDigits] in all
  u32* totals;  // [runs][kDigits], then where each digit begins in its run
  u32 many, tiles, round;

  GS_DEVICE u32 digit() const { return G::kBytes - 1 - round; }
  GS_DEVICE bool lastDigit() const { return round == G::kBytes - 1; }
  // target is where keys go from `where`.
  GS_DEVICE u32 target(u32 where) const {
    return where != kSegmentsA ? kSegmentsA : G::kArgsort ? kSegmentsB : kSegmentsIO;
  }
  GS_DEVICE RunTiles mine() const { return RunTiles(l.round(round), many, tiles, kTile); }

  GS_DEVICE void count() const {
    const DigitOf<K> digitOf(digit());
    u32* const row = warpRow(s.counts);
    for (RunTiles t = mine(); t.left(); t.next(kTile)) {
      const u32 n = t.length(kTile), codec = m.codecAt(t.where());
      const K* const from = m.keys(t.where()) + t.begin(kTile);
      clearCounts<G::kThreads>(s.counts);
      K k[G::kItems];
#pragma unroll
      for (u32 i = 0; i < G::kItems; i++) {
        if (i * G::kThreads + threadIdx.x < n) k[i] = __ldcg(from + i * G::kThreads + threadIdx.x);
      }
      __syncthreads();
#pragma unroll
      for (u32 i = 0; i < G::kItems; i++) {
        if (i * G::kThreads + threadIdx.x < n) atomicAdd(&row[digitOf(encode(codec, k[i]))], 1u);
      }
      __syncthreads();
      if (threadIdx.x < kDigits) {
        u32 total = 0;
#pragma unroll 8
        for (u32 w = 0; w < G::kWarps; w++) total += s.counts[w * kDigits + threadIdx.x];
        *t.column(counts, threadIdx.x) = total;
      }
      __syncthreads();
    }
  }

  GS_DEVICE void scan() const {
    const u32 warps = gridDim.x * G::kWarps;
    for (u64 j = u64(blockIdx.x) * G::kWarps + threadIdx.x / 32; j < u64(many) * kDigits; j += warps) {
      const uint4 run = __ldcg(l.round(round) + j / kDigits);
      const u32 n = (run.y - 1) / kTile + 1;
      u32* const row = counts + u64(run.z) * kDigits + j % kDigits * n;
      u32 before = 0;
      constexpr u32 kEach = 4;  // loads in flight
      for (u32 from = 0; from < n; from += kEach * 32) {
        u32 x[kEach];
#pragma unroll
        for (u32 i = 0; i < kEach; i++) {
          const u32 at = from + 32 * i + laneID();
          x[i] = at < n ? __ldcg(row + at) : 0;
        }
#pragma unroll
        for (u32 i = 0; i < kEach; i++) {
          const u32 at = from + 32 * i + laneID(), upTo = inclusiveSum(x[i]);
          if (at < n) row[at] = before + upTo - x[i];
          before += __shfl_sync(kAllLanes, upTo, 31);
        }
      }
      if (laneID() == 0) totals[j] = before;
    }
  }

  // piece lists a part that one block sorts.
  GS_DEVICE void piece(u32 begin, u32 length, u32 where) const {
    if (length == 0) return;
    const u32 list = length > kSegmentsSmall;
    l.addPiece(list, atomicAdd(&l.state->many[list], 1u), begin, length, where);
  }

  GS_DEVICE void divide() const {
    u32* const row = warpRow(s.counts);
    for (u32 j = blockIdx.x * G::kWarps + threadIdx.x / 32; j < many; j += gridDim.x * G::kWarps) {
      uint4* const at = l.round(round) + j;
      const uint4 run = __ldcg(at);
      __syncwarp();
      for (u32 d = laneID(); d < kDigits; d += 32) row[d] = __ldcg(totals + u64(j) * kDigits + d);
      __syncwarp();
      if (laneID() == 0) {
        const u32 to = target(run.w);
        u32 from = 0, base = 0;  // the open piece is [from, base)
        for (u32 d = 0; d < kDigits; d++) {
          const u32 here = row[d];
          row[d] = base;
          if (lastDigit()) {
          } else if (here == run.y) {
            at->w = run.w | kSegmentsStill;
            l.addRun(round + 1, run.x, run.y, run.w, kTile);
            from = run.y;
          } else if (here > kMost) {
            piece(run.x + from, base - from, to);
            l.addRun(round + 1, run.x + base, here, to, kTile);
            from = base + here;
          } else if (base + here - from > kMost) {
            piece(run.x + from, base - from, to);
            from = base;
          }
          base += here;
        }
        if (!lastDigit()) piece(run.x + from, base - from, to);
      }
      __syncwarp();
      for (u32 d = laneID(); d < kDigits; d += 32) totals[u64(j) * kDigits + d] = row[d];
    }
  }

  GS_DEVICE void move() const {
    const DigitOf<K> digitOf(digit());
    u32* const row = warpRow(s.counts);
    const u32 below = lanesBelow(), above = lanesAbove();
    for (RunTiles t = mine(); t.left(); t.next(kTile)) {
      if (t.run.w & kSegmentsStill) continue;
      const u32 n = t.length(kTile), to = target(t.where()), codec = m.codecAt(to);
      SegmentsItemsOf<G> x;
      x.load(m, t.where(), t.begin(kTile), n);
      clearCounts<G::kThreads>(s.counts);
      __syncthreads();
#pragma unroll
      for (u32 i = 0; i < G::kItems; i++) {
        if (i < x.used) atomicAdd(&row[digitOf(x.k[i])], 1u);
      }
      __syncthreads();
      u32 total, first;
      digitOffsets<G::kThreads>(s.counts, s.sums, total, first, [](u32) {}, [] {});
      if (threadIdx.x < kDigits) {
        const u32 d = threadIdx.x;
        s.base[d] = t.run.x + __ldcg(totals + u64(t.at) * kDigits + d) + __ldcg(t.column(counts, d)) - first;
      }
#pragma unroll
      for (u32 i = 0; i < G::kItems; i++) {
        if (i >= x.used) break;
        const u32 rank = nextRank(row, digitOf(x.k[i]), below, above);
        s.keys[rank] = x.k[i];
        if constexpr (G::kArgsort) s.positions[rank] = x.v[i];
      }
      __syncthreads();
      for (u32 j = threadIdx.x; j < n; j += G::kThreads) {
        const K k = s.keys[j];
        const u32 place = s.base[digitOf(k)] + j;
        if (G::kArgsort && lastDigit()) {
          m.put(place, s.positions[j]);
          continue;
        }
        m.keys(to)[place] = decode(codec, k);
        if constexpr (G::kArgsort) m.positions(to)[place] = s.positions[j];
      }
      __syncthreads();
    }
  }

  // bringBack copies keys alone whose last digit had them leave the caller's memory.
  GS_DEVICE void bringBack() const {
    for (RunTiles t = mine(); t.left(); t.next(kTile)) {
      if (t.where() != kSegmentsIO) continue;
      const u32 n = t.length(kTile), begin = t.begin(kTile);
      for (u32 j = threadIdx.x; j < n; j += G::kThreads) m.io[begin + j] = decode(m.codec, __ldcg(m.a + begin + j));
    }
  }
};

// splitRuns splits what checkSegments listed for round 0.
// Launch: G::kThreads threads; blocks that all run at once. Dynamic shared memory: SegmentsShared<G>::kBytes.
template <typename G, u32 kMost>
GS_DEVICE void splitRuns(const SegmentsLists& l, const SegmentsMemory<typename G::Key>& m, u32* counts, u32* totals) {
  extern __shared__ uint4 dynamicShared[];
  const SegmentsShared<G> s(dynamicShared);
  if (l.state->code != 0) return;
  u32 arrived = 0;
  for (u32 round = 0; round < G::kBytes; round++) {
    const u64 runs = loadWord(&l.state->runs[round]);
    if (runs == 0) return;
    const Splitter<G, kMost> splitter{l, m, s, counts, totals, least(u32(runs >> 32), l.runRoom), u32(runs), round};
    splitter.count();
    segmentsBarrier(&l.state->arrived, arrived);
    splitter.scan();
    segmentsBarrier(&l.state->arrived, arrived);
    splitter.divide();
    segmentsBarrier(&l.state->arrived, arrived);
    splitter.move();
    segmentsBarrier(&l.state->arrived, arrived);
    if (!G::kArgsort && splitter.lastDigit()) splitter.bringBack();
  }
}

}  // namespace gs

#endif
