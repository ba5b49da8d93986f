// Module hostscatter: the histogram of radix-host-scatter, whose keys the host
// moves. internal/algo/hostscatter plans it; the arguments are those of
// kernels/opencl/hostscatter.cl. Any number of threads, so that there is no
// policy table.
//
// Stage count: adds the numbers of keys by digit to counts[256].
// In: keys[n], read through codec. Launch: any grid and block; the threads of all
// blocks take the keys one after the other. A block counts in shared memory, so that few
// additions go to counts, which are atomic and need no order.
#include "warp/codec.cuh"

using namespace gs;

#define GS_COUNT(bits) \
  GS_GLOBAL __launch_bounds__(1024) \
      gs_hostscatter_count_##bits(const WordOf<bits>* keys, u32* counts, u64 n, u32 codec, u32 shift) { \
    __shared__ u32 mine[kDigits]; \
    for (u32 d = threadIdx.x; d < kDigits; d += blockDim.x) mine[d] = 0; \
    __syncthreads(); \
    const u64 stride = u64(blockDim.x) * gridDim.x; \
    for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) { \
      atomicAdd(&mine[u32(encode(codec, keys[i]) >> shift) & (kDigits - 1)], 1u); \
    } \
    __syncthreads(); \
    for (u32 d = threadIdx.x; d < kDigits; d += blockDim.x) { \
      if (mine[d]) atomicAdd(&counts[d], mine[d]); \
    } \
  }

GS_COUNT(8)
GS_COUNT(16)
GS_COUNT(32)
GS_COUNT(64)
