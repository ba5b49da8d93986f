// Unsigned words by width, and the qualifiers of functions that also compile
// for the host. No system header: NVRTC has none.
#ifndef GS_WARP_WORD
#define GS_WARP_WORD

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GS_HOST_DEVICE __host__ __device__ __forceinline__
#define GS_DEVICE __device__ __forceinline__
// GS_COLD functions keep their registers to themselves: what their callers do on other
// paths spills nothing for them.
#define GS_COLD __device__ __noinline__
#else
#define GS_HOST_DEVICE inline
#endif

// GS_GLOBAL begins a kernel. GS_CONSTANT names a number that the planner needs, GS_SHARED the
// bytes of dynamic shared memory of the kernel gs_<kernel>: tools/cmd/kernels compiles each
// module a second time, with GS_LAYOUT, reads them there and writes them for the planner
// (internal/kernel/layout). Kernels are then templates that nothing instantiates; and without
// GS_LAYOUT nothing is left of the numbers, so that no image holds them.
#if defined(GS_LAYOUT)
#define GS_GLOBAL template <int> __global__ void
#define GS_WORD(name, ...) extern "C" { __device__ unsigned name = (__VA_ARGS__); }
#define GS_CONSTANT(name, ...) GS_WORD(gs_constant_##name, __VA_ARGS__)
#define GS_SHARED(kernel, ...) GS_WORD(gs_shared_##kernel, __VA_ARGS__)
#else
#define GS_GLOBAL extern "C" __global__ void
#define GS_CONSTANT(name, ...)
#define GS_SHARED(kernel, ...)
#endif

namespace gs {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

template <int kBytes> struct Word;
template <> struct Word<1> { typedef u8 type; };
template <> struct Word<2> { typedef u16 type; };
template <> struct Word<4> { typedef u32 type; };
template <> struct Word<8> { typedef u64 type; };
template <int kBits> using WordOf = typename Word<kBits / 8>::type;

// KeyOf and ValueOf are the types of a geometry's items.
template <typename G> using KeyOf = typename G::Key;
template <typename G> using ValueOf = typename G::Value;

// kDigitBits is the radix of all passes. 8 bits: 256 counters per warp in
// shared memory, one thread of a block per digit, 8 votes to match a digit.
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

// chancePlace is a place by chance in the i-th of 1 << log equal parts of n items, n at least so many: hashed as by
// MurmurHash3's finalizer (Appleby), since inputs may have periods.
GS_HOST_DEVICE u64 chancePlace(u32 i, u32 log, u64 n) {
  u32 h = i + 1;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return (n >> log) * i + ((n >> log) * (h ^ h >> 16) >> 32);
}

template <typename T> GS_HOST_DEVICE T least(T a, T b) { return a < b ? a : b; }

// kMostOf is the greatest of some numbers.
template <u32 kFirst, u32... kMore> constexpr u32 kMostOf = kFirst > kMostOf<kMore...> ? kFirst : kMostOf<kMore...>;
template <u32 kFirst> constexpr u32 kMostOf<kFirst> = kFirst;

}  // namespace gs

#endif
