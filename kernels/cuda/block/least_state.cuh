// The state of a search for a key by its place in the order, in device memory: it is found
// digit by digit from the top (radix select), one launch a digit.
//
// A key's digits are those of the encoded key, and below them, where equal keys must be told
// apart, those of its position: then no two are equal. Candidates are the keys that have the
// digits found so far.
#ifndef GS_BLOCK_LEAST_STATE
#define GS_BLOCK_LEAST_STATE

#include "warp/codec.cuh"
#include "warp/match.cuh"

namespace gs {

// Two blocks of 512 threads on a multiprocessor, with kLeastVectors vectors of 16 bytes for
// each thread, have 64 KB in flight; some 40 KB hide the memory's latency. A digit is counted in
// kLeastCopies copies, so that keys which are all equal wait for an eighth of a warp at most.
constexpr u32 kLeastThreads = 512, kLeastBlocks = 2, kLeastVectors = 4, kLeastWarps = kLeastThreads / 32;
constexpr u32 kLeastDigitBits = 11, kLeastBins = 1 << kLeastDigitBits, kLeastCopies = 4;
// Up to kLeastShort candidates are gathered, and the last block of the launch finds the key among them.
constexpr u32 kLeastShort = 4096;
GS_CONSTANT(LeastThreads, kLeastThreads)
GS_CONSTANT(LeastBlocks, kLeastBlocks)
GS_CONSTANT(LeastDigitBits, kLeastDigitBits)
GS_CONSTANT(LeastShort, kLeastShort)

// LeastState is all zero before the first launch. A launch's last block, which finds all others'
// writes done, changes what is not a cursor; the next launch reads it.
struct LeastState {
  u32 refused, unused;  // the status record: never refused
  u64 bits;             // and the key that was found
  u64 key, place;       // the digits found so far, of the encoded key and of the position
  u64 rank;             // how many candidates lie before the one wanted
  u64 count;            // candidates
  u64 less;             // keys that had all but the last digit found, and one below that
  u64 written;          // cursor of the output
  u64 listed;           // candidates in the list, and its cursor
  u32 isListed;         // they are all there
  u32 shorts;           // cursor of the gathered candidates
  u32 found;            // all digits are
  u32 done;             // blocks of this launch that have ended
  u64 counts[kLeastBins];  // of the digit that is being found; zero between launches
};
GS_CONSTANT(LeastStateBytes, sizeof(LeastState))

// LeastLevel says which digit a launch finds: bits [shift, shift + bits) of the key, or of the
// position. The digits before it end at bit top, of the position if placedBefore, and the last of
// them has lastBits. The first digit has none before it: lastBits 0. A launch behind the last digit has bits 0.
struct LeastLevel {
  u32 shift, bits, top, lastBits;
  bool placed, placedBefore;
};

// unpackLevel takes apart what the planner packed: six fields of a byte.
GS_DEVICE LeastLevel unpackLevel(u64 packed) {
  const u32 low = u32(packed), high = u32(packed >> 32);
  return LeastLevel{low & 255, low >> 8 & 255, low >> 16 & 255, low >> 24, (high & 1) != 0, (high >> 8 & 1) != 0};
}

// LeastRange tells numbers by the digits found: those that have them, [base + before, base + before
// + most], and those that have all but the last of them, and one below that, [base, base + before).
template <typename T> struct LeastRange {
  T base, before, most;
  // Of all numbers; and of those whose bits from `top` on are those of known, the last lastBits of which are one digit.
  GS_DEVICE LeastRange() : base(0), before(0), most(T(~T(0))) {}
  GS_DEVICE LeastRange(u64 known, u32 top, u32 lastBits)
      : base(T(known >> top >> lastBits << lastBits << top)),
        before(T((known >> top << top) - base)),
        most(T((u64(1) << top) - 1)) {}
  GS_DEVICE bool less(T x) const { return T(x - base) < before; }
  GS_DEVICE bool match(T x) const { return T(x - base - before) <= most; }
};

// LeastFilter tells candidates of a launch from keys that lie before all of them, which no
// launch before has seen to do so.
template <typename K> struct LeastFilter {
  LeastRange<K> keys;
  LeastRange<u64> places;  // of candidates, if placed: then all keys of `keys` are equal
  bool placed;
  GS_DEVICE LeastFilter(const LeastLevel& l, u64 key, u64 place) : placed(l.placedBefore) {
    if (placed) {
      keys = LeastRange<K>(key, 0, 0), places = LeastRange<u64>(place, l.top, l.lastBits);
    } else if (l.lastBits != 0) {
      keys = LeastRange<K>(key, l.top, l.lastBits);
    }
  }
  GS_DEVICE bool less(K e, u64 place) const { return placed ? keys.match(e) && places.less(place) : keys.less(e); }
  GS_DEVICE bool match(K e, u64 place) const { return keys.match(e) && (!placed || places.match(place)); }
};

// lastOfLaunch reports, to all threads, whether this is the last block of the launch to end; it
// then sees what the others have written. All threads call it, once.
GS_DEVICE bool lastOfLaunch(u32* done) {
  __shared__ u32 isLast;
  __threadfence();  // this thread's writes, before the block is counted as done
  __syncthreads();
  if (threadIdx.x == 0) {
    isLast = atomicAdd(done, 1u) == gridDim.x - 1;
    __threadfence();  // others' writes, after all were counted
  }
  __syncthreads();
  return isLast != 0;
}

}  // namespace gs

#endif
