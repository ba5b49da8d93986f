// Host side of the stand-alone harness: one sort as the planner of
// internal/algo/onesweep lays it out, through the CUDA runtime.
#ifndef GS_CHECK_SORTER
#define GS_CHECK_SORTER

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    cudaError_t e_ = (call);                                                                           \
    if (e_ != cudaSuccess) {                                                                           \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));               \
      std::exit(2);                                                                                    \
    }                                                                                                  \
  } while (0)

// Instance is one policy row with its kernels.
struct Instance {
  int bits, valueBytes;
  const void *histogram, *pass, *finish, *small;
  uint32_t threads, items, blocks, window, histThreads, histBlocks, smallThreads, smallItems;

  uint32_t tile() const { return threads * items; }
  uint32_t smallMax() const { return smallThreads * smallItems; }
  uint32_t keyBytes() const { return bits / 8; }
  static uint32_t shared(uint32_t threads, uint32_t items, uint32_t keyBytes, uint32_t valueBytes) {
    return 2048 * (valueBytes ? 2 : 1) + 1024 * (threads / 32) + 64 + threads * items * (keyBytes + valueBytes);
  }
  std::string name() const;
  void prepare() const;  // raises the kernels' shared-memory limits
};

// Instances of the policy table (stage/onesweep.cu) and of the sweep.
const std::vector<Instance>& tableInstances();
const Instance& tableInstance(int bits, int valueBytes);
std::vector<Instance> sweepInstances(int bits, int valueBytes);

enum Mode : uint32_t { kKeys, kPairs, kArgsort };
enum Path { kAuto, kSmall, kLarge };

struct Sort {
  Instance in;
  Mode mode = kKeys;
  uint32_t codec = 0, stall = 0;
  uint32_t maxRows = 49152;  // look-back rows in scratch
  Path path = kAuto;
  uint64_t n = 0;
  void *keys = nullptr, *values = nullptr, *scratch = nullptr;

  uint64_t scratchBytes() const;
  // run queues the sort. times, if given, receives an event after each step.
  void run(cudaStream_t s, std::vector<std::pair<std::string, cudaEvent_t>>* times = nullptr) const;
};

// Peer: CUB's DeviceRadixSort on copies. Returns the temporary bytes it needs
// when temp is null.
size_t peerSort(int bits, int valueBytes, void* temp, size_t tempBytes, const void* keysIn, void* keysOut, const void* valuesIn,
                void* valuesOut, uint64_t n, cudaStream_t s);

// Device-side generation and verification for inputs too large for the host.
void fillUniform(void* keys, int bits, uint64_t n, uint64_t seed, cudaStream_t s);
int checkCorrectness(bool quick);
int checkLarge();
int checkSmall();  // sorts of one launch: times, and results against the peer's
void benchmark();

#endif
