// Keys alone of 8 or 16 bits sorted by counting values, in one block: what skew there is makes
// next to no difference, where bins fill up.
#ifndef GS_BLOCK_COUNTED
#define GS_BLOCK_COUNTED

#include "block/split.cuh"
#include "warp/codec.cuh"

namespace gs {

constexpr u32 kCountedThreads = 1024, kCountedItems = 8, kCountedTile = kCountedThreads * kCountedItems;

GS_CONSTANT(CountedThreads, kCountedThreads)
GS_CONSTANT(CountedItems, kCountedItems)

// CountedShared carves the dynamic shared memory: a counter of 32 bits for each value of 8 bits, of
// 16 bits, two to a word, for each of 16.
template <typename K> struct CountedShared {
  static constexpr u32 kCounters = 128, kKeys = kCounters + (sizeof(K) == 1 ? 4 << 8 : 2 << 16), kBytes = kKeys + kCountedTile * sizeof(K);
  u32* warpSums;  // [32]
  u32* counters;
  K* keys;  // [kCountedTile]
  GS_DEVICE explicit CountedShared(void* base_) {
    char* const b = static_cast<char*>(base_);
    warpSums = reinterpret_cast<u32*>(b), counters = reinterpret_cast<u32*>(b + kCounters), keys = reinterpret_cast<K*>(b + kKeys);
  }
};

// eachCounted calls f(i, at) for the thread's keys at places `at` below n, i < kCountedItems.
template <typename F> GS_DEVICE void eachCounted(u32 n, F f) {
#pragma unroll
  for (u32 i = 0; i < kCountedItems; i++) {
    const u32 at = i * kCountedThreads + threadIdx.x;
    if (at < n) f(i, at);
  }
}

// lastOf is the value of the highest lane among `lanes`, 0 of none. All lanes.
GS_DEVICE u32 lastOf(u32 value, u32 lanes) {
  const u32 from = __shfl_sync(kAllLanes, value, 31 - u32(__clz(int(lanes | 1))));
  return lanes == 0 ? 0 : from;
}

// fillMarks puts into each byte of a word that is 0 the byte before it, the first one `run`, which becomes the last
// one.
GS_DEVICE u32 fillMarks(u32 word, u32& run) {
  u32 filled = 0;
#pragma unroll
  for (u32 i = 0; i < 4; i++) {
    const u32 mark = word >> (8 * i) & 255;
    if (mark != 0) run = mark;
    filled |= run << (8 * i);
  }
  return filled;
}

// sortCounted8 sorts 1 <= n <= kCountedTile keys: each value marks where it begins, and a thread
// fills eight places from the last mark at or before them. Marks ascend, so the last is any block's largest;
// of value 0 it is what is there without. Launch: one block of kCountedThreads threads. Five barriers.
GS_DEVICE void sortCounted8(u8* keys, u32 n, u32 codec) {
  extern __shared__ uint4 dynamicShared[];
  const CountedShared<u8> s(dynamicShared);
  const u32 t = threadIdx.x, warp = t / 32;
  u8 k[kCountedItems];
  eachCounted(n, [&](u32 i, u32 at) { k[i] = keys[at]; });
  if (t < kDigits) s.counters[t] = 0;
  if (t < kCountedTile / 16) reinterpret_cast<uint4*>(s.keys)[t] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  eachCounted(n, [&](u32 i, u32) { atomicAdd(&s.counters[encode(codec, k[i])], 1u); });
  __syncthreads();
  u32 count = 0, inclusive = 0;
  if (t < kDigits) {
    count = s.counters[t];
    inclusive = inclusiveSum(count);
    if (laneID() == 31) s.warpSums[warp] = inclusive;
  }
  __syncthreads();
  if (t < kDigits) {
    const u32 first = sumOfWarpsBefore(s.warpSums) + inclusive - count;
    if (count != 0) s.keys[first] = u8(t);
  }
  __syncthreads();
  const uint2 marks = reinterpret_cast<const uint2*>(s.keys)[t];
  const u32 word = marks.y != 0 ? marks.y : marks.x, last = word == 0 ? 0 : word >> (31 - __clz(int(word))) / 8 * 8;
  const u32 found = __ballot_sync(kAllLanes, last != 0), before = found & lanesBelow();
  u32 run = lastOf(last, before);
  const u32 ofWarp = lastOf(last, found);
  if (laneID() == 0) s.warpSums[warp] = ofWarp;
  __syncthreads();
  const u32 others = s.warpSums[laneID()], ofOthers = lastOf(others, __ballot_sync(kAllLanes, laneID() < warp && others != 0));
  if (before == 0) run = ofOthers;
  // An encoded key differs from its key in the same bits as any other.
  const u32 decoded = decode(codec, u8(0)) * 0x01010101u;
  uint2 filled;
  filled.x = fillMarks(marks.x, run) ^ decoded;
  filled.y = fillMarks(marks.y, run) ^ decoded;
  if (8 * t + 8 <= n && reinterpret_cast<u64>(keys) % 8 == 0) {
    reinterpret_cast<uint2*>(keys)[t] = filled;
  } else {
#pragma unroll 1
    for (u32 i = 0; i < 8 && 8 * t + i < n; i++) keys[8 * t + i] = u8((i < 4 ? filled.x : filled.y) >> 8 * (i % 4));
  }
}

// Counters of 16 bits: a thread sums 64 of them, eight vectors, which lie turned by the thread's number, so that
// those of a warp's eight threads are in different banks.
constexpr u32 kCountedVectors = (2 << 16) / 16 / kCountedThreads;
GS_DEVICE u32 countedWord(u32 value) {
  const u32 word = value / 2, thread = word / (4 * kCountedVectors);
  return word ^ thread % kCountedVectors * 4;
}
static_assert(kCountedVectors == 8, "eight lanes read a vector each in one turn");

// kCountedAlike: so many equal keys in a warp are counted by one lane. The machine adds to one word
// lane by lane, in as many clocks.
constexpr u32 kCountedAlike = 8;

// countValue counts the lane's value, if it has one, and returns its number among those of the block, in no certain
// order. As long as the first lane left has as many like it, they go together. All lanes.
GS_DEVICE u32 countValue(u32* counters, bool valid, u32 value) {
  u32 left = __ballot_sync(kAllLanes, valid), source = laneID(), before = 0, mine = 1;
  while (left != 0) {
    const u32 lead = u32(__ffs(left)) - 1, ofLead = __shfl_sync(kAllLanes, value, lead);
    const u32 alike = __ballot_sync(kAllLanes, valid && value == ofLead);
    if (u32(__popc(alike)) < kCountedAlike) break;
    if (alike >> laneID() & 1) source = lead, before = __popc(alike & lanesBelow()), mine = __popc(alike);
    left &= ~alike;
  }
  const u32 shift = value % 2 * 16;
  u32 old = 0;
  if (valid && before == 0) old = atomicAdd(counters + countedWord(value), mine << shift) >> shift & 0xffff;
  return __shfl_sync(kAllLanes, old, source) + before;
}

// sortCounted16 sorts 1 <= n <= kCountedTile keys: a key's place is the number of smaller ones and its
// number among its equals. Launch as sortCounted8. Five barriers.
GS_DEVICE void sortCounted16(u16* keys, u32 n, u32 codec) {
  extern __shared__ uint4 dynamicShared[];
  const CountedShared<u16> s(dynamicShared);
  const u32 t = threadIdx.x;
  u16 k[kCountedItems];
  eachCounted(n, [&](u32 i, u32 at) { k[i] = keys[at]; });
  uint4* const vectors = reinterpret_cast<uint4*>(s.counters);
#pragma unroll
  for (u32 i = 0; i < kCountedVectors; i++) vectors[i * kCountedThreads + t] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  u32 item[kCountedItems];  // an encoded key, and its number in the upper half
#pragma unroll
  for (u32 i = 0; i < kCountedItems; i++) {
    if (i * kCountedThreads < n) {
      const u32 value = encode(codec, k[i]);
      item[i] = value | countValue(s.counters, i * kCountedThreads + t < n, value) << 16;
    }
  }
  __syncthreads();
  uint4 c[kCountedVectors];
  u32 sum = 0;
#pragma unroll
  for (u32 i = 0; i < kCountedVectors; i++) {
    c[i] = vectors[t * kCountedVectors + (i ^ t % kCountedVectors)];
    sum += c[i].x + c[i].y + c[i].z + c[i].w;  // both halves: they are less than 2^16
  }
  sum = (sum & 0xffff) + (sum >> 16);
  const u32 inclusive = inclusiveSum(sum);
  if (laneID() == 31) s.warpSums[t / 32] = inclusive;
  __syncthreads();
  u32 run = (sumOfWarpsBefore(s.warpSums) + inclusive - sum) * 0x10001u;
  // first is where the two values of a word begin: the upper one behind those of the lower one.
  const auto first = [&](u32 word) {
    const u32 at = run + (word << 16);
    run += word + __byte_perm(word, 0, 0x1032);
    return at;
  };
  // No key reads where values begin that it has not: in skewed inputs nearly all.
#pragma unroll
  for (u32 i = 0; i < kCountedVectors; i++) {
    if ((c[i].x | c[i].y | c[i].z | c[i].w) != 0) {
      const u32 x = first(c[i].x), y = first(c[i].y), z = first(c[i].z), w = first(c[i].w);
      vectors[t * kCountedVectors + (i ^ t % kCountedVectors)] = make_uint4(x, y, z, w);
    }
  }
  __syncthreads();
  eachCounted(n, [&](u32 i, u32) {
    const u32 value = item[i] & 0xffff;
    s.keys[(s.counters[countedWord(value)] >> (value % 2 * 16) & 0xffff) + (item[i] >> 16)] = u16(value);
  });
  __syncthreads();
  eachCounted(n, [&](u32, u32 at) { keys[at] = decode(codec, s.keys[at]); });
}

}  // namespace gs

#endif
