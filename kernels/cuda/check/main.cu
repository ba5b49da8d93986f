// Stand-alone harness for the modules onesweep and small on real hardware:
//   onesweep_check [quick] [correctness] [large] [bench] [small]
// With no part named it runs all. Exit status 1 if anything is wrong.
#include <cstring>

#include "sorter.h"

int main(int argc, char** argv) {
  bool quick = false, any = false, part[4] = {};
  const char* const names[] = {"correctness", "large", "bench", "small"};
  for (int i = 1; i < argc; i++) {
    if (!std::strcmp(argv[i], "quick")) quick = true;
    for (int j = 0; j < 4; j++)
      if (!std::strcmp(argv[i], names[j])) part[j] = any = true;
  }
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  std::printf("%s, sm_%d%d, %d multiprocessors\n", p.name, p.major, p.minor, p.multiProcessorCount);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int failed = 0;
  if (!any || part[0]) failed += checkCorrectness(quick);
  if (!any || part[2]) benchmark();
  if (!any || part[3]) failed += checkSmall();
  if (!any || part[1]) failed += checkLarge();
  return failed != 0;
}
