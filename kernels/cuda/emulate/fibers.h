// CUDA's built-ins for a host compiler: a block at a time, each thread a fiber.
// A fiber runs until a barrier or a warp-wide operation; the order in which
// fibers run changes from round to round, so that a missing barrier shows. For
// x86-64 only.
#ifndef GS_EMULATE_FIBERS
#define GS_EMULATE_FIBERS

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __restrict__
#define __launch_bounds__(...)
#define GS_DEVICE inline

typedef unsigned int u32;
typedef unsigned long long u64;
struct alignas(16) uint4 { u32 x, y, z, w; };
struct alignas(8) uint2 { u32 x, y; };
inline uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }

namespace emulated {

constexpr u32 kMaxThreads = 1024, kStackBytes = 64 << 10, kSharedBytes = 232448;
struct Dim { u32 x = 0, y = 1, z = 1; };
alignas(512) inline unsigned char shared[kSharedBytes];
inline uint4* const dynamic = reinterpret_cast<uint4*>(shared);

extern "C" void gs_swap_stacks(void** from, void* to);
asm(".globl gs_swap_stacks\ngs_swap_stacks:\n push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    " mov %rsp,(%rdi)\n mov %rsi,%rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

inline void *mainStack, *stackOf[kMaxThreads];
inline std::vector<char> stacks(u64(kMaxThreads) * kStackBytes + 64);
inline bool done[kMaxThreads];
inline u64 exchanged[kMaxThreads];
inline u32 current, alive, blockRound, blockArrived, warpRound[32], warpArrived[32], warpAlive[32];
inline const std::function<void()>* body;

}  // namespace emulated

inline emulated::Dim threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

inline void yield() {
  gs_swap_stacks(&stackOf[current], mainStack);
  threadIdx.x = current;
}
inline void releaseBlock() {
  if (alive != 0 && blockArrived >= alive) blockArrived = 0, blockRound++;
}
inline void syncWarp() {
  const u32 w = current / 32, round = warpRound[w];
  if (++warpArrived[w] >= warpAlive[w]) warpArrived[w] = 0, warpRound[w]++;
  while (warpRound[w] == round) yield();
}
inline void enter() {
  (*body)();
  done[current] = true;
  alive--;
  warpAlive[current / 32]--;
  releaseBlock();
  yield();
  std::abort();
}
// exchange returns what lane `from` of this warp passes.
inline u64 exchange(u64 v, u32 from) {
  exchanged[current] = v;
  syncWarp();
  const u64 r = exchanged[current / 32 * 32 + (from & 31)];
  syncWarp();
  return r;
}
inline u32 ballot(bool v) {
  exchanged[current] = v;
  syncWarp();
  u32 r = 0;
  for (u32 i = 0; i < 32; i++) r |= u32(exchanged[current / 32 * 32 + i]) << i;
  syncWarp();
  return r;
}

// launch runs f in every thread of every block, blocks in order. A write past
// the bytes of dynamic shared memory ends the program.
inline void launch(u32 grid, u32 block, u32 bytes, const std::function<void()>& f) {
  body = &f;
  gridDim.x = grid, blockDim.x = block;
  for (u32 b = 0; b < grid; b++) {
    blockIdx.x = b;
    if (b < 4 || b % 64 == 0) std::memset(shared, 0xcd, kSharedBytes);
    blockRound = blockArrived = 0, alive = block;
    for (u32 w = 0; w < block / 32; w++) warpAlive[w] = 32, warpArrived[w] = warpRound[w] = 0;
    for (u32 i = 0; i < block; i++) {
      done[i] = false;
      void** s = reinterpret_cast<void**>((reinterpret_cast<u64>(stacks.data()) + 63) / 64 * 64 + u64(i + 1) * kStackBytes - 64);
      *--s = nullptr;
      *--s = reinterpret_cast<void*>(enter);
      for (int j = 0; j < 6; j++) *--s = nullptr;
      stackOf[i] = s;
    }
    for (u64 round = 0; alive != 0; round++) {
      for (u32 i = 0; i < block; i++) {
        const u32 at = (round / 3 + b) % 2 ? block - 1 - i : i;
        if (done[at]) continue;
        current = threadIdx.x = at;
        gs_swap_stacks(&mainStack, stackOf[at]);
      }
      if (round > 4000000) std::printf("deadlock\n"), std::exit(3);
    }
    for (u32 i = bytes; i < bytes + 256 && i < kSharedBytes; i++) {
      if (shared[i] != 0xcd) std::printf("block %u wrote past its %u bytes of shared memory\n", b, bytes), std::exit(3);
    }
  }
}

}  // namespace emulated

inline void __syncthreads() {
  const u32 round = emulated::blockRound;
  emulated::blockArrived++;
  emulated::releaseBlock();
  while (emulated::blockRound == round) emulated::yield();
}
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
inline bool __all_sync(u32, bool v) { return emulated::ballot(v) == ~0u; }
inline bool __any_sync(u32, bool v) { return emulated::ballot(v) != 0; }
inline int __popc(u32 x) { return __builtin_popcount(x); }
inline int __ffs(u32 x) { return __builtin_ffs(int(x)); }
inline long long clock64() { static long long t; return t += 1000; }
template <typename T> T __ldcs(const T* p) { return *p; }
inline u32 __byte_perm(u32 a, u32 b, u32 s) {
  const u64 x = u64(b) << 32 | a;
  u32 r = 0;
  for (int i = 0; i < 4; i++) r |= u32(x >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
  return r;
}
template <typename T> T atomicAdd(T* p, T v) { const T o = *p; *p += v; return o; }
template <typename T> T atomicOr(T* p, T v) { const T o = *p; *p |= v; return o; }
template <typename T> T atomicMax(T* p, T v) { const T o = *p; if (v > o) *p = v; return o; }

#endif
