// Runs a plan's steps on the host with the kernels' own sources, for tests on
// machines without a CUDA device: emulate PLAN MEMORY.
//
// PLAN has one step a line: "set OFFSET BYTES PATTERN", "copy TO FROM BYTES" or "run SYMBOL TOGETHER
// COLUMNSxROWS BLOCK SHARED ARGUMENT…", where TOGETHER is the number of blocks
// that run at once and an argument is a number or @OFFSET. MEMORY is a file of bytes that
// offsets point into, and that the kernels change. The build gives dynamic
// shared memory, __shared__ and looks at other blocks' words their host forms, and
// writes main with the list of all kernels: see internal/kernel/kerneltest.
#ifndef GS_EMULATE_PLAN
#define GS_EMULATE_PLAN

#include "emulate/fibers.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "emulate/warp.cuh"

namespace emulated {

typedef std::vector<u64> Args;
typedef std::function<void(const Args&)> Kernel;
typedef std::map<std::string, Kernel> Kernels;

template <typename T> T argument(u64 v) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(v);
  else
    return T(v);
}
template <typename... A, size_t... I> Kernel adapt(void (*f)(A...), std::index_sequence<I...>) {
  return [f](const Args& a) {
    if (a.size() != sizeof...(A))
      std::printf("%zu arguments for %zu parameters\n", a.size(), sizeof...(A)), std::exit(3);
    f(argument<A>(a[I])...);
  };
}
template <typename... A> Kernel adapt(void (*f)(A...)) { return adapt(f, std::index_sequence_for<A...>()); }

// run is main.
inline int run(char** argv, const Kernels& kernels) {
  const int file = open(argv[2], O_RDWR);
  struct stat about;
  if (file < 0 || fstat(file, &about) != 0) std::perror(argv[2]), std::exit(3);
  void* const mapped = mmap(nullptr, about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) std::perror(argv[2]), std::exit(3);
  char* const memory = static_cast<char*>(mapped);
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
    if (op == "copy") {
      u64 to, from, size;
      words >> to >> from >> size;
      std::memcpy(memory + to, memory + from, size);
      continue;
    }
    std::string symbol, word;
    u32 together, columns, rows, threads, shared;
    char by;
    words >> symbol >> together >> columns >> by >> rows >> threads >> shared;
    Args args;
    while (words >> word)
      args.push_back(word[0] == '@' ? reinterpret_cast<u64>(memory) + std::stoull(word.substr(1)) : std::stoull(word));
    const auto k = kernels.find(symbol);
    if (k == kernels.end()) std::printf("no kernel %s\n", symbol.c_str()), std::exit(3);
    const u32 rounds = gridRound;
    launch(columns, rows, threads, shared, together, [&] { k->second(args); });
    std::printf("%u\n", gridRound - rounds);  // barriers of all blocks
  }
  return 0;
}

}  // namespace emulated

// An entry of Kernels.
#define GS_KERNEL(name) {#name, emulated::adapt(name)}

#endif
