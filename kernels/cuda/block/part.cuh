// One block's part of a larger sort: keys that agree above some bits, in shared
// memory or registers, sorted and written to their place in the whole.
#ifndef GS_BLOCK_PART
#define GS_BLOCK_PART

#include "block/digits.cuh"
#include "block/split.cuh"

namespace gs {

// TopDigit is the digit at a bit that need not be a multiple of 8.
template <typename K> struct TopDigit {
  u32 shift;
  GS_DEVICE u32 operator()(K k) const { return u32(k >> shift) % kDigits; }
};

// binsOfDigits number the keys whose top digits, the 8 bits below bit `top`, are
// first to last. sample is any key of the input: all agree from bit `top` upwards.
template <typename G> GS_DEVICE Bins<typename G::Key> binsOfDigits(typename G::Key sample, u32 top, u32 first, u32 last) {
  typedef typename G::Key K;
  const u32 shift = top - kDigitBits, bits = 32 - __clz(int(last - first));
  return {K(lowest(sample, top) + (K(first) << shift)), shiftFor<G>(shift + bits)};
}

// sortPart sorts the part's n keys, of a share that begins at 0, and writes them.
// differ are bits in which this thread's keys differ from any one of the part.
template <typename G>
GS_DEVICE void sortPart(const TileShared<G>& s, const Bins<typename G::Key>& bins, const Share& share, u32 n, typename G::Key differ, TileKeys<G>& t,
                        typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  clearBins<G>(s);
  __syncthreads();
  if (splitTile<G>(s, bins, share, n, t, [](auto&) {})) {
    placeInBins<G>(s, bins, keys, values, n, codec, mode);
  } else {
    // Not block/refine.cuh: with 8 keys to a thread its registers do not suffice,
    // and the compiler's spills lie on the path of uniform keys too.
    digitPasses<G>(s, Alone(), share, blockVarying<G>(s.warpVarying, differ), t);
    storeTile<G>(t, share, keys, values, n, codec, mode);
  }
}

}  // namespace gs

#endif
