// A whole sort in one cluster and one launch: each block holds a share of the
// keys, and keys move between blocks through distributed shared memory. One
// stable pass by the highest 8 varying bits gives each block whole digits, which
// it then sorts alone; where that would overfill a block, passes by all digits
// sort instead.
#ifndef GS_BLOCK_CLUSTER
#define GS_BLOCK_CLUSTER

#include "block/part.cuh"
#include "warp/cluster.cuh"

namespace gs {

// Cluster is the group of all blocks of the launch.
struct Cluster {
  u32 blocks, rank, reciprocal;
  // ⌈2^32/slots⌉ · x has the error x·e/2^32 with e < slots: below 1/slots, so
  // that the quotient is exact, for x < 2^17 and slots < 2^15.
  GS_DEVICE explicit Cluster(u32 slots) : blocks(gridDim.x), rank(blockIdx.x), reciprocal(0xffffffffu / slots + 1) {}
  GS_DEVICE void sync() const {
    clusterArrive();
    clusterWait();
  }
  template <typename F> GS_DEVICE void each(F f) const {
    for (u32 b = 0; b < blocks; b++) f(b);
  }
  template <typename T> GS_DEVICE T* shared(T* p, u32 block) const { return peerShared(p, block); }
  GS_DEVICE u32 blockOf(u32 x) const { return u32(u64(x) * reciprocal >> 32); }
};

// splitCluster moves keys, n of them with `top` > 8 the number of the highest
// varying bit plus 1, so that each block has all keys of some digits: those
// whose first key's rank lies in the block's share. It returns false, with the
// keys still in registers, if a block would get more than kTile. Begins after
// and ends with a barrier of the group.
//
// Padding stays away: its digit is the largest, and in the order of a stable
// pass it comes behind all keys.
template <typename G>
GS_DEVICE bool splitCluster(const TileShared<G>& s, const Cluster& group, const Share& share, u32 n, u32 top, const TileKeys<G>& t) {
  const TopDigit<typename G::Key> digitOf = {top - kDigitBits};
  u32 rank[G::kItems];
  if (threadIdx.x < group.blocks) s.parts[threadIdx.x] = make_uint4(0, 0, 0, 0);
  countDigits<G>(s, group, share, digitOf, t, rank);
  const DigitStart start = digitStarts<G>(s, group);
  const u32 d = threadIdx.x;
  u32 owner = 0;
  if (d < kDigits) {
    owner = group.blockOf(start.first);
    if (owner >= group.blocks) owner = group.blocks - 1;  // no keys from here on
    s.owner[d] = owner;
  }
  __syncthreads();
  if (d < kDigits) {
    u32* const part = reinterpret_cast<u32*>(s.parts + owner);
    if (d == 0 || s.owner[d - 1] != owner) part[0] = start.first, part[2] = d;
    if (d == kDigits - 1 || s.owner[d + 1] != owner) part[1] = d == kDigits - 1 ? n : start.first + start.all, part[3] = d;
  }
  __syncthreads();
  u32 from = 0;
  bool full = false;
  if (d < kDigits) {
    from = s.parts[owner].x;
    full = s.parts[owner].y > from + G::kTile;
    s.base[d] = start.first + start.before - from;
  }
  if (__syncthreads_or(full)) {
    group.sync();  // passes by digits write to the totals that others may still read
    return false;
  }
  const u16* const mine = s.counts + threadIdx.x / 32 * kDigits;
  const u32 at = share.first + share.slot();
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i < share.used && at + 32 * i < n) {
      const u32 digit = digitOf(t.k[i]);
      const u32 block = s.owner[digit];
      const u32 slot = s.base[digit] + mine[digit] + rank[i];
      group.shared(s.keys, block)[slot] = t.k[i];
      if constexpr (G::kPairs) group.shared(s.values, block)[slot] = t.v[i];
    }
  }
  group.sync();
  return true;
}

// sortOwn sorts what splitCluster gave this block, and writes it to its place in the
// whole. sample is any key of the input.
template <typename G>
GS_DEVICE void sortOwn(const TileShared<G>& s, u32 rank, typename G::Key sample, u32 top, typename G::Key* keys, typename G::Value* values, u32 codec,
                       u32 mode, TileKeys<G>& t) {
  typedef typename G::Key K;
  const uint4 part = s.parts[rank];
  const u32 n = part.y - part.x;
  if (n == 0) return;
  const Share share(G::kThreads, (n + G::kThreads - 1) / G::kThreads, 0);
  const u32 slot = share.slot();
  const K first = s.keys[0];
  K differ = 0;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    t.k[i] = K(~K(0));
    if (i < share.used && slot + 32 * i < n) {
      t.k[i] = s.keys[slot + 32 * i];
      differ |= t.k[i] ^ first;
      if constexpr (G::kPairs) t.v[i] = s.values[slot + 32 * i];
    }
  }
  sortPart<G>(s, binsOfDigits<G>(sample, top, part.z, part.w), share, n, differ, t, keys + part.x, values + part.x, codec, mode);
}

// sortCluster sorts 1 <= n <= blocks · kTile items stably. Launch: a grid of 2
// to 16 blocks, one cluster, kThreads threads each, TileShared<G>::kBytes of
// dynamic shared memory.
template <typename G> GS_DEVICE void sortCluster(void* keysIO, void* valuesIO, u32 n, u32 codec, u32 mode) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  K* const keys = static_cast<K*>(keysIO);
  V* const values = static_cast<V*>(valuesIO);
  // A block may touch another's shared memory when that one has started: this
  // half of a barrier is waited for below, behind the loads.
  clusterArrive();
  const u32 threads = gridDim.x * G::kThreads;
  const Share share(G::kThreads, (n + threads - 1) / threads, blockIdx.x);
  const Cluster group(share.slots);
  TileKeys<G> t;
  K sample = keys[0];
  loadTile<G>(t, share, keys, values, n, mode);
  sample = encode(codec, sample);
  const u64 own = blockVarying<G>(s.warpVarying, encodeTile<G>(t, share, n, codec, sample));
  clusterWait();
  if (threadIdx.x < group.blocks) *group.shared(&s.varying[group.rank], threadIdx.x) = own;
  group.sync();
  u64 varying = 0;
  for (u32 b = 0; b < group.blocks; b++) varying |= s.varying[b];
  const u32 top = 64 - __clzll(varying);
  if (top > kDigitBits && splitCluster<G>(s, group, share, n, top, t)) {
    sortOwn<G>(s, group.rank, sample, top, keys, values, codec, mode, t);
    return;
  }
  digitPasses<G>(s, group, share, varying, t);
  storeTile<G>(t, share, keys, values, n, codec, mode);
}

}  // namespace gs

#endif
