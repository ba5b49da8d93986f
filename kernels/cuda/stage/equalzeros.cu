// Module equalzeros: what an order in which ±0 tie, and all NaNs, takes beside an argsort
// (internal/algo/equalzeros, which plans the launches; kernels/opencl/equalzeros.cl has
// the same stages). Keys are floats of 32 or 64 bits.
//
// Stage canonicalise: In: keys[n]. Out: out[x] = canonical(keys[x]).
// Stage gather: In: in[n], places[n] below n. Out: out[x] = in[places[x]]. Words of 32 or
// 64 bits are keys or values alike.
// What is read and what is written do not overlap. Launch of both: kThreads threads, any
// grid; the blocks take tiles one after the other. No block reads what another one writes.
#include "block/elements.cuh"

using namespace gs;

namespace {

// Eight blocks of 256 threads fill a multiprocessor.
constexpr u32 kThreads = 256, kBlocks = 8;

// canonical is +0 for both zeros, one quiet NaN for all NaNs, and u for all else.
template <typename U> GS_DEVICE U canonical(U u) {
  typedef Float<U> F;
  const U magnitude = u & ~F::sign;
  if (magnitude == 0) return 0;
  return magnitude > F::inf ? F::inf + (F::nans + 1) / 2 : u;
}

}  // namespace

GS_CONSTANT(EqualZerosThreads, kThreads)
GS_CONSTANT(EqualZerosBlocks, kBlocks)
GS_CONSTANT(EqualZerosTile, kThreads * kElementsEach)

#define GS_CANONICALISE(bits) \
  GS_GLOBAL __launch_bounds__(kThreads, kBlocks) \
      gs_equalzeros_canonicalise_##bits##_keys(const WordOf<bits>* keys, WordOf<bits>* out, u64 n) { \
    WordOf<bits> k[kElementsEach]; \
    eachElement<kThreads>(n, [&](u32 j, u64 x) { k[j] = keys[x]; }, [&](u32 j, u64 x) { out[x] = canonical(k[j]); }); \
  }

#define GS_GATHER(bits, suffix, Place) \
  GS_GLOBAL __launch_bounds__(kThreads, kBlocks) \
      gs_equalzeros_gather_##bits##_##suffix(const WordOf<bits>* in, const Place* places, \
                                             WordOf<bits>* out, u64 n) { \
    WordOf<bits> w[kElementsEach]; \
    eachElement<kThreads>(n, [&](u32 j, u64 x) { w[j] = in[places[x]]; }, [&](u32 j, u64 x) { out[x] = w[j]; }); \
  }

GS_CANONICALISE(32)
GS_CANONICALISE(64)
GS_GATHER(32, pairs32, u32)
GS_GATHER(64, pairs32, u32)
GS_GATHER(32, pairs64, u64)
GS_GATHER(64, pairs64, u64)
