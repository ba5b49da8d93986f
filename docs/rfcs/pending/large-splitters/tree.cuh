// Digits of keys by 255 splitters: how many of these are less than the key. A search of eight looks into a
// tree in shared memory. Level l is 2^l nodes side by side, so up to level 4 a half warp meets no bank twice.
#ifndef GS_LARGE_TREE
#define GS_LARGE_TREE

#include "warp/match.cuh"
#include "warp/shared.cuh"

namespace gs {

constexpr u32 kTreeBytes = kDigits * 8, kTreeLevels = 8;

// plantTree makes the tree of sorted splitters: number i, from 1 on, with z zeros at its end, is node
// i >> (z + 1) of level 7 - z. Threads from 1 to 255 have one each.
GS_DEVICE void plantTree(u32 tree, const u64* splitters) {
  if (threadIdx.x == 0 || threadIdx.x >= u32(kDigits)) return;
  const u32 z = u32(__ffs(int(threadIdx.x))) - 1, node = (1u << (kTreeLevels - 1 - z)) + (threadIdx.x >> (z + 1));
  storeAt<u64>(tree + 8 * node, splitters[threadIdx.x]);
}

// digitsOfTree finds those of kItems keys, whose looks go on side by side. A node's address is tree + 8·number, and
// that of its children twice the number and that one more.
template <int kItems> GS_DEVICE void digitsOfTree(u32 tree, const u64 (&key)[kItems], u32 (&digit)[kItems]) {
#pragma unroll
  for (int i = 0; i < kItems; i++) digit[i] = tree + 8;
#pragma unroll
  for (u32 level = 0; level < kTreeLevels; level++) {
#pragma unroll
    for (int i = 0; i < kItems; i++) {
      const u32 next = loadAt<u64>(digit[i]) < key[i] ? 8 - tree : 0 - tree;
      digit[i] = 2 * digit[i] + next;
    }
  }
#pragma unroll
  for (int i = 0; i < kItems; i++) digit[i] = (digit[i] - tree) / 8 - kDigits;
}

}  // namespace gs

#endif
