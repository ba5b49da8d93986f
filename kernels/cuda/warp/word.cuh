// Unsigned words by width, and the qualifiers of functions that also compile
// for the host. No system header: NVRTC has none.
#ifndef GS_WARP_WORD
#define GS_WARP_WORD

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GS_HOST_DEVICE __host__ __device__ __forceinline__
#define GS_DEVICE __device__ __forceinline__
// GS_COLD functions keep their registers to themselves: what their callers do on other
// ways spills nothing for them.
#define GS_COLD __device__ __noinline__
#else
#define GS_HOST_DEVICE inline
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

// kDigitBits is the radix of all passes. 8 bits: 256 counters per warp in
// shared memory, one thread of a block per digit, 8 votes to match a digit.
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

}  // namespace gs

#endif
