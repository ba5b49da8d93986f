// A tile of a bitonic network in registers: 16 elements per thread, 2^5 to 2^9
// threads, so that a tile is 2^9 to 2^13 elements. Steps run in registers while
// a thread holds both ends of every comparator; shared memory carries the
// elements from one layout to the next:
//
//   T  position = r * threads + t        the highest four bits are register bits
//   B  position = w * 512 + r * 32 + l   bits 5 to 8, of warp w's own 512
//   A  position = t * 16 + r             bits 0 to 3; bit 4 is a shuffle away
//
// B and A lie within a warp's 512 elements, and B reads and writes device memory
// coalesced: a merge crosses one block barrier, and moves each element through
// shared memory three times for 13 steps. Positions from n on are infinite.
//
// Order of memory: every exchange is a store to shared memory, a barrier (of the
// warp where the next layout stays within it, else of the block) and a load. A
// thread stores a layout only to the places that it loaded, or that its warp
// alone reads before the next block barrier.
#ifndef GS_BLOCK_BITONIC_TILE
#define GS_BLOCK_BITONIC_TILE

#include "warp/bitonic.cuh"

namespace gs {

constexpr int kBitonicItems = 16;       // per thread
GS_CONSTANT(BitonicItems, kBitonicItems)
constexpr u32 kBitonicWarp = 32 * kBitonicItems;  // elements of a warp

template <int kBits> struct BitonicTile {
  typedef BitonicMemory<kBits> Memory;
  typedef BitonicRegister<kBits> R;
  // One empty place behind 32 words, or behind 16 elements of 8 or 16 bytes,
  // brings a warp's accesses in layout A to different banks.
  static constexpr u32 kPad = sizeof(R) == 4 ? 5 : 4;

  R* const shared;
  R x[kBitonicItems];

  GS_DEVICE explicit BitonicTile(uint4* memory) : shared(reinterpret_cast<R*>(memory)) {}

  // The places in shared memory of register 0, and the distances from register
  // to register, of which those of B and A are constants. padded is additive for
  // the terms that are added here: no carry crosses a multiple of 1 << kPad.
  static GS_DEVICE constexpr u32 padded(u32 i) { return i + (i >> kPad); }
  static GS_DEVICE constexpr u32 bytes(u32 elements) { return padded(elements) * sizeof(R); }  // of a tile
  GS_DEVICE R* placeT(u32 column) const { return shared + padded(column); }
  GS_DEVICE R* placeB() const { return shared + threadIdx.x / 32 * padded(kBitonicWarp) + padded(threadIdx.x % 32); }
  GS_DEVICE R* placeA() const { return shared + padded(threadIdx.x * kBitonicItems); }

#define GS_EACH_ITEM _Pragma("unroll") for (u32 r = 0; r < kBitonicItems; r++)
  // With `mirror` a bit of r, the registers with that bit take the mirrored
  // column of T.
  GS_DEVICE void loadT(u32 mirror) {
    const R *const p = placeT(threadIdx.x), *const q = placeT(threadIdx.x ^ (blockDim.x - 1));
    const u32 step = padded(blockDim.x);
    GS_EACH_ITEM x[r] = (r & mirror ? q : p)[r * step];
  }
  GS_DEVICE void storeT(u32 mirror) {
    R *const p = placeT(threadIdx.x), *const q = placeT(threadIdx.x ^ (blockDim.x - 1));
    const u32 step = padded(blockDim.x);
    GS_EACH_ITEM (r & mirror ? q : p)[r * step] = x[r];
  }
  GS_DEVICE void loadB() {
    const R* const p = placeB();
    GS_EACH_ITEM x[r] = p[r * padded(32)];
  }
  GS_DEVICE void storeB() {
    R* const p = placeB();
    GS_EACH_ITEM p[r * padded(32)] = x[r];
  }
  GS_DEVICE void loadA() {
    const R* const p = placeA();
    GS_EACH_ITEM x[r] = p[r];
  }
  GS_DEVICE void storeA() {
    R* const p = placeA();
    GS_EACH_ITEM p[r] = x[r];
  }

  // Device memory: tile is the tile's first element, count the elements from
  // there on. A whole tile needs no test of positions.
  GS_DEVICE bool whole(u64 count) const { return count >= u64(blockDim.x) * kBitonicItems; }
  GS_DEVICE void read(const Memory* tile, u64 count, u32 first, u32 step, u32 codec) {
    const Memory* const p = tile + first;
    if (whole(count)) {
      GS_EACH_ITEM x[r] = bitonicLoad<kBits>(p + r * step, codec);
    } else {
      GS_EACH_ITEM x[r] = first + r * step < count ? bitonicLoad<kBits>(p + r * step, codec) : bitonicInfinity<R>();
    }
  }
  GS_DEVICE u32 firstB() const { return threadIdx.x / 32 * kBitonicWarp + threadIdx.x % 32; }
  GS_DEVICE void readT(const Memory* tile, u64 count) { read(tile, count, threadIdx.x, blockDim.x, 0); }
  GS_DEVICE void readB(const Memory* tile, u64 count, u32 codec) { read(tile, count, firstB(), 32, codec); }
  GS_DEVICE void writeB(Memory* tile, u64 count, u32 codec) {
    Memory* const p = tile + firstB();
    if (whole(count)) {
      GS_EACH_ITEM bitonicStore<kBits>(p + r * 32, codec, x[r]);
    } else {
      GS_EACH_ITEM if (firstB() + r * 32 < count) bitonicStore<kBits>(p + r * 32, codec, x[r]);
    }
  }
#undef GS_EACH_ITEM

  // The first steps of a merge, with the mirror: as many as kSteps register bits
  // of layout T.
  template <int kSteps> GS_DEVICE void mirrorT() {
    loadT(1u << (kSteps - 1));
    registerSteps<kSteps, true>(x);
    storeT(1u << (kSteps - 1));
  }

  // The steps at distances 256 to 1; the tile lies in shared memory, and ends in
  // layout A in registers.
  GS_DEVICE void mergeWarp() {
    loadB();
    registerSteps<4, false>(x);
    storeB();
    __syncwarp();
    loadA();
    shuffleStep(x, 1);
    registerSteps<4, false>(x);
  }

  GS_DEVICE void finish(Memory* tile, u64 count, u32 codec) {
    storeA();
    __syncwarp();
    loadB();
    writeB(tile, count, codec);
  }
};

// bitonicSortTiles sorts each tile: stages 1 to tileLog.
// Launch: any blocks; 1 << (tileLog - 4) threads, 5 <= tileLog - 4 <= 9.
// Dynamic shared memory: size + (size >> kPad) Registers, size = 1 << tileLog.
template <int kBits> GS_DEVICE void bitonicSortTiles(BitonicMemory<kBits>* data, u64 n, u32 tileLog, u32 in, u32 out) {
  extern __shared__ uint4 dynamicShared[];
  BitonicTile<kBits> t(dynamicShared);
  for (u64 base = u64(blockIdx.x) << tileLog; base < n; base += u64(gridDim.x) << tileLog) {
    t.readB(data + base, n - base, in);
    t.storeB();
    __syncwarp();
    t.loadA();
    registerSteps<1, true>(t.x);
    registerSteps<2, true>(t.x);
    registerSteps<3, true>(t.x);
    registerSteps<4, true>(t.x);
    for (u32 lanes = 1; lanes <= 5; lanes++) {
      shuffleMirror(t.x, lanes);
      for (u32 mask = 1u << (lanes - 1) >> 1; mask != 0; mask >>= 1) shuffleStep(t.x, mask);
      registerSteps<4, false>(t.x);
    }
    for (u32 k = 10; k <= tileLog; k++) {
      t.storeA();
      __syncthreads();
      switch (k + 4 - tileLog) {
        case 1: t.template mirrorT<1>(); break;
        case 2: t.template mirrorT<2>(); break;
        case 3: t.template mirrorT<3>(); break;
        default: t.template mirrorT<4>();
      }
      __syncthreads();
      t.mergeWarp();
    }
    t.finish(data + base, n - base, out);
  }
}

// bitonicMergeTiles ends a merge in each tile: the steps at distances
// 2^(tileLog-1) to 1 of a stage above tileLog. Launch and shared memory as
// above. Tiles of less than 2^13 elements do steps above 256 again in layout B,
// where they find nothing to swap.
template <int kBits> GS_DEVICE void bitonicMergeTiles(BitonicMemory<kBits>* data, u64 n, u32 tileLog, u32 out) {
  extern __shared__ uint4 dynamicShared[];
  BitonicTile<kBits> t(dynamicShared);
  for (u64 base = u64(blockIdx.x) << tileLog; base < n; base += u64(gridDim.x) << tileLog) {
    t.readT(data + base, n - base);
    registerSteps<4, false>(t.x);
    t.storeT(0);
    __syncthreads();
    t.mergeWarp();
    t.finish(data + base, n - base, out);
    __syncthreads();
  }
}

}  // namespace gs

#endif
