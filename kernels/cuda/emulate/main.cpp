// Runs a plan's steps on the host with the kernels' own sources, for tests on
// machines without a CUDA device: emulate PLAN MEMORY.
//
// PLAN has one step a line: "set OFFSET BYTES PATTERN" or "run SYMBOL GRID
// BLOCK SHARED ARGUMENT…", where an argument is a number or @OFFSET. MEMORY is
// a file of bytes that offsets point into; it is replaced by the result.
// The build gives dynamic shared memory and __shared__ their host forms: see
// internal/algo/msd/emulate_test.go.
#include "emulate/fibers.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#define GS_TARGET_SM_90
#include "emulate/match.cuh"
#include "stage/msd.cu"
#undef GS_INSTANCE
#undef GS_HISTOGRAM_keys
#include "stage/onesweep.cu"

typedef std::vector<u64> Args;
typedef std::function<void(const Args&)> Kernel;

template <typename T> T argument(u64 v) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(v);
  else
    return T(v);
}
template <typename... A, size_t... I> Kernel adapt(void (*f)(A...), std::index_sequence<I...>) {
  return [f](const Args& a) {
    if (a.size() != sizeof...(A)) std::printf("%zu arguments for %zu parameters\n", a.size(), sizeof...(A)), std::exit(3);
    f(argument<A>(a[I])...);
  };
}
template <typename... A> Kernel adapt(void (*f)(A...)) { return adapt(f, std::index_sequence_for<A...>()); }

#define KERNEL(name) {#name, adapt(name)}
#define WIDTH(w)                                                                                                                  \
  KERNEL(gs_msd_histogram_##w##_keys), KERNEL(gs_msd_first_##w##_keys), KERNEL(gs_msd_second_##w##_keys),                         \
      KERNEL(gs_msd_runs_##w##_keys), KERNEL(gs_msd_slow_##w##_keys), KERNEL(gs_onesweep_histogram_##w##_keys),                   \
      KERNEL(gs_onesweep_loop_##w##_keys), KERNEL(gs_onesweep_finish_##w##_keys)
static const std::map<std::string, Kernel> kernels = {WIDTH(32),          WIDTH(64),          KERNEL(gs_msd_halves_32_keys), KERNEL(gs_msd_scan),
                                                      KERNEL(gs_msd_prepare), KERNEL(gs_onesweep_clear)};

int main(int, char** argv) {
  std::ifstream in(argv[2], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  char* const memory = static_cast<char*>(std::aligned_alloc(4096, (bytes.size() + 4095) / 4096 * 4096));
  std::memcpy(memory, bytes.data(), bytes.size());
  std::ifstream plan(argv[1]);
  for (std::string line; std::getline(plan, line);) {
    std::istringstream words(line);
    std::string op;
    words >> op;
    if (op == "set") {
      u64 offset, size;
      u32 pattern;
      words >> offset >> size >> pattern;
      for (u64 i = 0; i < size; i += 4) std::memcpy(memory + offset + i, &pattern, 4);
      continue;
    }
    std::string symbol, word;
    u32 grid, block, shared;
    words >> symbol >> grid >> block >> shared;
    Args args;
    while (words >> word) args.push_back(word[0] == '@' ? reinterpret_cast<u64>(memory) + std::stoull(word.substr(1)) : std::stoull(word));
    const auto k = kernels.find(symbol);
    if (k == kernels.end()) std::printf("no kernel %s\n", symbol.c_str()), std::exit(3);
    emulated::launch(grid, block, shared, [&] { k->second(args); });
  }
  std::ofstream out(argv[2], std::ios::binary);
  out.write(memory, bytes.size());
  return out.good() ? 0 : 3;
}
