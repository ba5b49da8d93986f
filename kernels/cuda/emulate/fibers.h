// CUDA's built-ins for a host compiler: one or a few blocks at a time, each
// thread a fiber. A fiber runs until a barrier, a warp-wide operation or a look
// at another block's word; the order in which fibers run, and which blocks run,
// changes from round to round, so that a missing barrier shows. For x86-64 only.
#ifndef GS_EMULATE_FIBERS
#define GS_EMULATE_FIBERS

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define __global__ inline
#define __device__
#define __host__
#define __launch_bounds__(...)
#define GS_DEVICE inline
#define GS_COLD inline

typedef unsigned int u32;
typedef unsigned long long u64;
struct alignas(16) uint4 { u32 x, y, z, w; };
struct alignas(8) uint2 { u32 x, y; };
inline uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }

namespace emulated {

// Stacks are some lines longer than a power of two, so that they do not all lie in the same lines of a
// cache, and side by side, so that they take few pages; they are fetched kAhead fibers before they are run
// on. Kernels take up to 1,800 bytes. What is red nobody may write: below stacks and behind dynamic shared memory.
constexpr u32 kMaxThreads = 1024, kStackBytes = 3840 + 192, kStackRedBytes = 64, kAhead = 12, kSharedBytes = 232448,
              kMaxTogether = 132, kRedBytes = 256, kRed = 0xcd;
struct Dim { u32 x = 0, y = 1, z = 1; };
extern "C" void emulatedSwapStacks(void** from, void* to);
asm(".globl emulatedSwapStacks\nemulatedSwapStacks:\n"
    " push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n mov %rsp,(%rdi)\n mov %rsi,%rsp\n"
    " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n pop %rdx\n jmp *%rdx\n");

// Static variables of device functions, the host form of shared ones: the linker
// puts them side by side. They hold the values of the block that runs.
extern "C" unsigned char gs_shared_begin[], gs_shared_end[];

// Stacks are those of a block, in large pages where the system has them: a fiber's first word is then seldom
// missing in the TLB. Above each stack is what is red for the next; another one lies below all.
struct Stacks {
  static constexpr u64 kPage = 2 << 20, kBytes = (u64(kMaxThreads + 1) * kStackBytes + kPage - 1) / kPage * kPage;
  char* const memory = static_cast<char*>(std::aligned_alloc(kPage, kBytes));
  Stacks() { madvise(memory, kBytes, MADV_HUGEPAGE); }
  char* red(u32 fiber) const { return memory + u64(fiber + 1) * kStackBytes - kStackRedBytes; }
  char* top(u32 fiber) const { return red(fiber + 1); }
};

// Block is a block that runs.
struct Block {
  alignas(512) unsigned char shared[kSharedBytes];
  std::vector<unsigned char> statics;  // of shared variables, while others run
  u32 index, alive = 0, round, arrived, warpRound[32], warpArrived[32], warpAlive[32];
  u32 anyIn[2];  // the last even and odd barrier at which a thread said so
  u32 saidSo[2];  // how many did
  bool done[kMaxThreads];
  u32 inGrid, gridWas;  // fibers that wait at the grid's barrier, and its round
  struct { const u32* word; u32 old; } waitsOn[kMaxThreads];  // a fiber's barrier; no word: none
  u64 exchanged[2][kMaxThreads];  // at even and odd barriers of a warp: one barrier an exchange is enough
  void* stackOf[kMaxThreads];
  Stacks stacks;
};

inline void* mainStack;
inline Block* block;  // of the fiber that runs
inline u32 current;   // its thread
inline Block* slots;  // of the blocks that run together
inline Block* owner;  // of what the shared variables hold
struct Dynamic {
  operator uint4*() const { return reinterpret_cast<uint4*>(block->shared); }
};
inline Dynamic dynamic;  // its dynamic shared memory
inline const std::function<void()>* body;

}  // namespace emulated

inline emulated::Dim threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

inline void yield() { emulatedSwapStacks(&block->stackOf[current], mainStack); }
// waitWhile returns when *word is no longer `old`; the fiber is not run before.
inline void waitWhile(const u32* word, u32 old) {
  if (*word != old) return;
  block->waitsOn[current] = {word, old};
  yield();
}
inline void releaseBlock() {
  if (block->alive != 0 && block->arrived >= block->alive) block->arrived = 0, block->round++;
}
inline void syncBlock() {
  const u32 round = block->round;
  block->arrived++;
  releaseBlock();
  waitWhile(&block->round, round);
}
inline void syncWarp() {
  const u32 w = current / 32, round = block->warpRound[w];
  if (++block->warpArrived[w] >= block->warpAlive[w]) block->warpArrived[w] = 0, block->warpRound[w]++;
  waitWhile(&block->warpRound[w], round);
}
// A cooperative grid runs all its blocks together: block i in slot i.
inline u32 gridRound, gridArrived;
inline u32 arrivedIn[kMaxTogether][kMaxThreads];
inline void arriveGrid() {
  arrivedIn[block->index][current] = gridRound;
  if (++gridArrived == gridDim.x * blockDim.x) gridArrived = 0, gridRound++;
}
inline void waitGrid() {
  const u32 round = arrivedIn[block->index][current];
  if (gridRound != round) return;
  block->inGrid = block->gridWas == round ? block->inGrid + 1 : 1;
  block->gridWas = round;
  waitWhile(&gridRound, round);
}
inline void enter() {
  (*body)();
  block->done[current] = true;
  block->alive--;
  block->warpAlive[current / 32]--;
  releaseBlock();
  yield();
  std::abort();
}
// offer shows v to the lanes of this warp, and returns what all of them have shown. It
// holds until this thread's next barrier but one.
inline const u64* offer(u64 v) {
  const u32 w = current / 32;
  u64* const all = block->exchanged[block->warpRound[w] % 2];
  all[current] = v;
  syncWarp();
  return all + w * 32;
}
// exchange returns what lane `from` of this warp passes.
inline u64 exchange(u64 v, u32 from) { return offer(v)[from & 31]; }
inline u32 ballot(bool v) {
  const u64* const all = offer(v);
  u32 r = 0;
  for (u32 i = 0; i < 32; i++) r |= u32(all[i]) << i;
  return r;
}
// match returns the lanes of this warp that pass v, too.
inline u32 match(u64 v) {
  const u64* const all = offer(v);
  u32 same = 0;
  for (u32 i = 0; i < 32; i++) same |= u32(all[i] == v) << i;
  return same;
}

// start makes b the block number `index` of `threads` threads and `bytes` of dynamic shared memory.
inline void start(Block& b, u32 index, u32 threads, u32 bytes) {
  if (index < kMaxTogether || index % 64 == 0) std::memset(b.shared, kRed, std::min(bytes + kRedBytes, kSharedBytes));
  b.statics.assign(gs_shared_end - gs_shared_begin, kRed);
  if (owner == &b) owner = nullptr;
  b.inGrid = 0, b.gridWas = ~0u;
  b.index = index, b.alive = threads, b.round = b.arrived = 0, b.anyIn[0] = b.anyIn[1] = ~0u;
  for (u32 w = 0; w < threads / 32; w++) b.warpAlive[w] = 32, b.warpArrived[w] = b.warpRound[w] = 0;
  for (u32 i = 0; i < threads; i++) {
    b.done[i] = false, b.waitsOn[i].word = nullptr;
    std::memset(b.stacks.red(i), kRed, kStackRedBytes);
    void** s = reinterpret_cast<void**>(b.stacks.top(i));
    *--s = nullptr;
    *--s = reinterpret_cast<void*>(enter);
    for (int j = 0; j < 6; j++) *--s = nullptr;
    b.stackOf[i] = s;
  }
}
// red reports whether so many bytes are as start has left them.
inline bool red(const void* at, u32 bytes) {
  static const std::vector<unsigned char> left(kRedBytes, kRed);
  return std::memcmp(at, left.data(), bytes) == 0;
}
// check ends the program if b, which has ended, has written what is red.
inline void check(const Block& b, u32 threads, u32 bytes) {
  if (!red(b.shared + bytes, std::min(kRedBytes, kSharedBytes - bytes)))
    std::printf("block %u wrote past its %u bytes of shared memory\n", b.index, bytes), std::exit(3);
  for (u32 i = 0; i < threads; i++)
    if (!red(b.stacks.red(i), kStackRedBytes))
      std::printf("thread %u of block %u wrote past its stack of %u bytes\n", i, b.index, kStackBytes), std::exit(3);
}
// turn runs every thread of b once.
inline void turn(Block& b, u32 threads, bool backward) {
  if (owner != &b) {
    if (owner != nullptr) owner->statics.assign(gs_shared_begin, gs_shared_end);
    std::copy(b.statics.begin(), b.statics.end(), gs_shared_begin);
    owner = &b;
  }
  block = &b, blockIdx.x = b.index % gridDim.x, blockIdx.y = b.index / gridDim.x;
  for (u32 i = 0; i < threads; i++) {
    const u32 at = backward ? threads - 1 - i : i;
    if (i + kAhead < threads) {
      const char* const stack = static_cast<const char*>(b.stackOf[backward ? at - kAhead : at + kAhead]);
      __builtin_prefetch(stack), __builtin_prefetch(stack + 64), __builtin_prefetch(stack + 128);
    }
    if (b.done[at]) continue;
    if (b.waitsOn[at].word != nullptr) {
      if (*b.waitsOn[at].word == b.waitsOn[at].old) continue;
      b.waitsOn[at].word = nullptr;
    }
    current = threadIdx.x = at;
    emulatedSwapStacks(&mainStack, b.stackOf[at]);
  }
}
// launch runs f in every thread of every block, `together` blocks at a time, all
// if they are a cluster or a cooperative grid.
// Blocks start in order, row by row. A write past the bytes of dynamic shared
// memory ends the program.
inline void launch(u32 columns, u32 rows, u32 threads, u32 bytes, u32 together, const std::function<void()>& f) {
  if (slots == nullptr) slots = new Block[kMaxTogether];
  if (together > kMaxTogether) std::printf("%u blocks together\n", together), std::exit(3);
  body = &f;
  gridDim.x = columns, gridDim.y = rows, blockDim.x = threads;
  const u32 grid = columns * rows;
  u32 next = 0, running = 0;
  for (u64 round = 0; next < grid || running != 0; round++) {
    for (u32 i = 0; i < together; i++) {
      Block& b = slots[i];
      if (b.alive == 0 && next < grid) start(b, next++, threads, bytes), running++;
      if (b.alive == 0 || running > 1 && (round / 7 + i) % 3 == 0) continue;
      if (b.inGrid == b.alive && b.gridWas == gridRound) continue;  // the grid's barrier holds all of it
      turn(b, threads, (round / 3 + b.index) % 2);
      if (b.alive != 0) continue;
      running--;
      check(b, threads, bytes);
    }
    if (round > u64(4000000) * (grid / together + 1)) std::printf("deadlock\n"), std::exit(3);
  }
}

}  // namespace emulated

inline void __syncthreads() { emulated::syncBlock(); }
inline int __syncthreads_count(bool v) {
  emulated::Block& b = *emulated::block;
  const u32 at = b.round % 2, round = b.round;
  if (v && b.anyIn[at] != round) b.anyIn[at] = round, b.saidSo[at] = 0;
  if (v) b.saidSo[at]++;
  emulated::syncBlock();
  return b.anyIn[at] == round ? int(b.saidSo[at]) : 0;
}
inline bool __syncthreads_or(bool v) { return __syncthreads_count(v) != 0; }
inline void __syncwarp() { emulated::syncWarp(); }
inline void __threadfence() {}
template <typename T> T __shfl_sync(u32, T v, u32 from) { return T(emulated::exchange(v, from)); }
template <typename T> T __shfl_xor_sync(u32, T v, u32 d) { return T(emulated::exchange(v, emulated::current ^ d)); }
template <typename T> T __shfl_up_sync(u32, T v, u32 d, u32 width = 32) {
  const u32 l = emulated::current & 31;
  return T(emulated::exchange(v, (l & (width - 1)) >= d ? l - d : l));
}
template <typename T> T __shfl_down_sync(u32, T v, u32 d) {
  const u32 l = emulated::current & 31;
  return T(emulated::exchange(v, l + d < 32 ? l + d : l));
}
inline u32 __ballot_sync(u32, bool v) { return emulated::ballot(v); }
template <typename T> u32 __match_any_sync(u32, T v) { return emulated::match(u64(v)); }
inline bool __all_sync(u32, bool v) { return emulated::ballot(v) == ~0u; }
inline bool __any_sync(u32, bool v) { return emulated::ballot(v) != 0; }
inline int __popc(u32 x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(u32(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(u64(x)); }
inline int __ffs(u32 x) { return __builtin_ffs(int(x)); }
inline long long clock64() { static long long t; emulated::yield(); return t += 4; }
template <typename T> T __ldcs(const T* p) { return *p; }
template <typename T> void __stcs(T* p, T v) { *p = v; }
template <typename T> T __ldcg(const T* p) { return *p; }
template <typename T> T __ldg(const T* p) { return *p; }
inline u32 __byte_perm(u32 a, u32 b, u32 s) {
  const u64 x = u64(b) << 32 | a;
  u32 r = 0;
  for (int i = 0; i < 4; i++) r |= u32(x >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
  return r;
}
template <typename T> T atomicAdd(T* p, T v) { const T o = *p; *p += v; return o; }
template <typename T> T atomicCAS(T* p, T old, T v) { const T o = *p; if (o == old) *p = v; return o; }
template <typename T> T atomicOr(T* p, T v) { const T o = *p; *p |= v; return o; }
template <typename T> T atomicMin(T* p, T v) { const T o = *p; if (v < o) *p = v; return o; }
template <typename T> T atomicMax(T* p, T v) { const T o = *p; if (v > o) *p = v; return o; }

#endif
