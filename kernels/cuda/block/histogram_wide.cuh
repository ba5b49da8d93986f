// The histogram for large inputs: one column of counters per lane, so that the
// additions of a warp never meet.
//
// One table of 256 counters (block/histogram.cuh) lets the 32 lanes of an addition
// fall into banks as they like: 3.15 different words in the fullest bank on average,
// of random digits, and as many cycles. Here lane l adds in bank l alone, whatever
// the keys. That takes 32 counters per digit value; two share a word, so that the
// tables of 64-bit keys fit one multiprocessor.
#ifndef GS_BLOCK_HISTOGRAM_WIDE
#define GS_BLOCK_HISTOGRAM_WIDE

#include "block/histogram.cuh"

namespace gs {

constexpr u32 kWideThreads = 1024;
GS_CONSTANT(WideThreads, kWideThreads)

// Columns is where the counters lie. A row is 128 bytes: of one digit number and of
// two digit values, v < 128 and v + 128, a word per lane. Its lower half counts the
// lane's keys with either value, its upper half those with v + 128. Rows of the digit
// numbers 0 to 3 take turns, and so do those of 4 to 7 behind them: then the byte
// address has v in the bits 9 to 15, and the bit above, 16, is both the digit's
// highest and the addend of the upper half. So one shift and two logical operations
// make address and addend.
template <typename K> struct Columns {
  static constexpr u32 kRows = sizeof(K) * kDigits / 2, kBytes = kRows * 128;
  static constexpr u32 kVector = KeyVector<K>::kKeys;
  static constexpr u32 kAhead = 4;                          // independent 16-byte loads per thread
  static constexpr u32 kVectors = kAhead * 32;              // of a chunk: what a warp reads at once
  static constexpr u32 kChunk = kVectors * kVector;         // its keys
  static constexpr u32 kLane = kAhead * kVector;            // its keys per lane
  static constexpr u32 kWarps = kWideThreads / 32;
  static constexpr u32 kEnds = kVector - 1 + kChunk - 1;    // most keys outside all chunks, one a thread
  static constexpr u32 kLaneEnds = (kEnds + 31) / 32;
  // Chunks that each warp may count before the counters must be emptied: a lower half
  // that has counted 65,535 keys is full. All warps of the block add in the same columns.
  static constexpr u32 kSteps = (65535 - kLaneEnds) / (kLane * kWarps);
  static_assert(kDigitBits == 8 && sizeof(K) >= 4 && kVector + kChunk <= kWideThreads, "");

  char* counters;  // shared
  u32 lane4;       // the lane's byte in a row
  u32 one;         // 1 as the compiler does not know it: a logical operation takes but one constant

  GS_DEVICE explicit Columns(void* shared) : counters(static_cast<char*>(shared)), lane4(laneID() * 4),
      one(blockDim.y) {}

  // add counts k in this lane's column.
  GS_DEVICE void add(K k) const {
#pragma unroll
    for (u32 p = 0; p < sizeof(K); p++) {
      const u32 word = u32(k >> (p / 4 * 32)), at = p % 4 * 8;
      const u32 x = at < 9 ? word << (9 - at) : word >> (at - 9);
      atomicAdd(reinterpret_cast<u32*>(counters + ((x & 0xfe00u) | lane4) + (p / 4 * 65536 + p % 4 * 128)),
                (x & 0x10000u) | one);
    }
  }

  // empty adds up each row and adds the sums to c->counts. All threads, between
  // barriers. A thread takes a row and begins in its own lane's bank, so that no two
  // lanes of a warp read in one bank.
  GS_DEVICE void empty(Control* c) const {
    if (threadIdx.x >= kRows) return;
    const u32* const words = reinterpret_cast<const u32*>(counters);
    const u32 row = threadIdx.x, p = row / 512 * 4 + row % 4, v = row % 512 / 4;
    u32 both = 0, upper = 0;
#pragma unroll 8
    for (u32 i = 0; i < 32; i++) {
      const u32 word = words[row * 32 + (row + i) % 32];
      both += word & 0xffffu;
      upper += word >> 16;
    }
    if (both != upper) atomicAdd(&c->counts[p][v], u64(both - upper));
    if (upper != 0) atomicAdd(&c->counts[p][v + 128], u64(upper));
  }
};

// histogramWide is histogram in blocks of kWideThreads threads, any number of them,
// with Columns<K>::kBytes of dynamic shared memory. Its counters are emptied after
// `steps` chunks a warp, 0: after as many as fit. low, of 64-bit keys: not 0 if passes may leave out the lowest digits.
// A sample says how many, which the first of several blocks takes while the others count.
//
// A chunk is read by one warp, its vectors side by side. So a key's right neighbour
// is in the same thread, in the next lane, or in lane 0's next vector: one rotation
// of the warp's first keys a vector, and one load a chunk, for the chunk's last key.
template <typename K>
GS_DEVICE void histogramWide(const K* keys, u64 n, Control* c, u32 codec, u32 mode, const u32* gate, u32 low,
                             u32 steps) {
  typedef Columns<K> C;
  constexpr u32 kVector = C::kVector;
  if (gate != nullptr && *gate != kGateOpen) return;
  extern __shared__ uint4 dynamicShared[];
  __shared__ u32 blockSeen;
  const C columns(dynamicShared);
  const u32 lane = laneID();
  if (steps == 0) steps = C::kSteps;
  if (threadIdx.x == 0) blockSeen = 0;

  u32 seen = 0;
  bool watch = true;  // same in the whole warp
  const bool narrowed = c->narrowed != 0;
  const auto sorted = [&](K k) {
    return narrowed ? Narrower<K>(c->narrow).narrow(encode(codec, k)) : encode(codec, k);
  };
  const WholeVectors<K, u64> whole(keys, n);
  const u64 head = whole.head, chunks = (n - head) / C::kChunk;
  auto count = [&](u64 chunk) {
    KeyVector<K> v[C::kAhead];
#pragma unroll
    for (u32 j = 0; j < C::kAhead; j++) v[j].raw = __ldcs(whole.body + chunk * C::kVectors + j * 32 + lane);
#pragma unroll
    for (u32 j = 0; j < C::kAhead; j++) {
      encodeAll(codec, v[j].k);
      if (narrowed) {
        const Narrower<K> narrower(c->narrow);
#pragma unroll
        for (u32 i = 0; i < kVector; i++) v[j].k[i] = narrower.narrow(v[j].k[i]);
      }
#pragma unroll
      for (u32 i = 0; i < kVector; i++) columns.add(v[j].k[i]);
    }
    // A descent and an ascent together rule out every shortcut.
    if (!watch) return;
    const u64 end = head + (chunk + 1) * C::kChunk;
#pragma unroll
    for (u32 j = 0; j < C::kAhead; j++) {
      const bool more = j + 1 < C::kAhead;
      K next = __shfl_sync(kAllLanes, more && lane == 0 ? v[(j + 1) % C::kAhead].k[0] : v[j].k[0], (lane + 1) % 32);
      if (!more && lane == 31) next = end < n ? sorted(keys[end]) : v[j].k[kVector - 1];
      if (more || lane != 31 || end < n) seen |= relation(v[j].k[kVector - 1], next);
#pragma unroll
      for (u32 i = 0; i + 1 < kVector; i++) seen |= relation(v[j].k[i], v[j].k[i + 1]);
    }
    watch = !(__any_sync(kAllLanes, seen & kSeenDescent) && __any_sync(kAllLanes, seen & kSeenAscent));
  };
  u32 counter = blockIdx.x, counting = gridDim.x;
  if constexpr (sizeof(K) == 8) {
    static_assert(sizeof(LowShared) <= C::kBytes, "fits where counters will be");
    if (low != 0 && !narrowed) {
      if (blockIdx.x == 0) sampleLow<kWideThreads>(keys, n, codec, c, dynamicShared);
      if (gridDim.x > 1) counter--, counting--;
    }
  }
  const u64 stride = u64(counting) * C::kWarps;
  // first is the chunk of the block's first warp, the same in all threads.
  for (u64 first = u64(counter) * C::kWarps; counter < counting; first += steps * stride) {
    for (u32 i = threadIdx.x; i < C::kBytes / 16; i += kWideThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    // The ends that are no whole chunk: keys before the first vector, then those
    // behind the last chunk.
    if (first == 0 && threadIdx.x < kVector + C::kChunk) {
      const bool front = threadIdx.x < kVector;
      const u64 i = front ? threadIdx.x : head + chunks * C::kChunk + threadIdx.x - kVector;
      if (i < (front ? head : n)) {
        const K k = sorted(keys[i]);
        columns.add(k);
        if (i + 1 < n) seen |= relation(k, sorted(keys[i + 1]));
      }
    }
    u64 chunk = first + threadIdx.x / 32;
    for (u32 s = 0; s < steps && chunk < chunks; s++, chunk += stride) count(chunk);
    __syncthreads();
    columns.empty(c);
    if (first + steps * stride >= chunks) break;
    __syncthreads();
  }
  if (seen != 0) atomicOr(&blockSeen, seen);
  __syncthreads();
  endHistogram<sizeof(K)>(c, n, mode, blockSeen);
}

}  // namespace gs

#endif
