// Digits by splitters: 255 keys of a sample, in order, at equal distances. A key's digit is how many of
// them are smaller. Keys that are a splitter share out among the digits on both sides of it, and all between
// equal ones, by their places in the input: so one value that most keys have spreads, too, in the order that a
// stable sort wants. Of a sample of m keys a digit has about 1 ± √(256/m) times the mean.
#ifndef GS_BLOCK_SPLITTERS
#define GS_BLOCK_SPLITTERS

#include "block/quantiles.cuh"

namespace gs {

// Splitters lie in a model's place. Every 16 leave a place free, as of Quantiles.
template <typename K> struct Splitters {
  static constexpr u32 kMany = kDigits - 1, kBytes = (kDigits + kDigits / 16) * sizeof(K);
  static_assert(sizeof(K) < 8 || kBytes <= FoldedModel<K>::kAllBytes, "fits in a model's place");
  K* keys;

  GS_DEVICE explicit Splitters(void* base) : keys(static_cast<K*>(base)) {}
  GS_DEVICE static u32 at(u32 number) { return number + number / 16; }
  GS_DEVICE K operator[](u32 number) const { return keys[at(number)]; }

  // digits finds those of kItems keys from number kFirst on, of `place` in the input, 32 places apart, of which
  // unit/2^32 is one of all.
  template <u32 kFirst, u32 kItems, u32 kAll> GS_DEVICE void digits(const K (&key)[kAll], u32 place, u32 unit, u32 (&digit)[kItems]) const {
#pragma unroll
    for (u32 i = 0; i < kItems; i++) digit[i] = 0;
#pragma unroll 1
    for (u32 step = kDigits / 2; step > 0; step /= 2) {
#pragma unroll
      for (u32 i = 0; i < kItems; i++) {
        if ((*this)[digit[i] + step - 1] < key[kFirst + i]) digit[i] += step;
      }
    }
#pragma unroll
    for (u32 i = 0; i < kItems; i++) {
      if (digit[i] < kMany && (*this)[digit[i]] == key[kFirst + i]) digit[i] = shared(key[kFirst + i], digit[i], (place + 32 * i) * unit);
    }
  }

 private:
  // shared is the digit of a key that is the splitter number `first`, and maybe others, and comes behind part/2^32 of
  // all keys. Half a digit's keys go to that before these splitters and half to that behind.
  GS_DEVICE u32 shared(K key, u32 first, u32 part) const {
    u32 end = 0;
#pragma unroll 1
    for (u32 step = kDigits / 2; step > 0; step /= 2) {
      if ((*this)[end + step - 1] <= key) end += step;
    }
    return first + (u32(u64(end - first) * part >> 31) + 1) / 2;
  }
};

// SplitterDigits puts the digits of a group of a thread's keys. No generic lambda: NVRTC has none.
template <typename G> struct SplitterDigits {
  const Splitters<typename G::Key>& m;
  const TileKeys<G>& t;
  PackedDigits<G::kItems>& digits;
  u32 at, n, unit;
  template <u32 kFirst, u32 kGroup> GS_DEVICE void operator()(Constant<kFirst>, Constant<kGroup>) const {
    u32 digit[kGroup];
    m.template digits<kFirst, kGroup>(t.k, at + 32 * kFirst, unit, digit);
#pragma unroll
    for (u32 i = 0; i < kGroup; i++) digits.put(kFirst + i, at + 32 * (kFirst + i) < n ? digit[i] : kDigits - 1);
  }
};

}  // namespace gs

#endif
