// Sorts the lines of files with parlaylib by all processors, and prints milliseconds by the clock:
// the median of seven, the least and the most.
//
//   g++ -O3 -std=c++17 -march=x86-64-v3 -I PARLAYLIB/include -pthread baselines/strings.cc -o strings
//   ./strings FILE...

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <parlay/primitives.h>
#include <parlay/sequence.h>

using Lines = parlay::sequence<std::string_view>;

static Lines lines_of(const std::string& text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    std::ifstream file(argv[i]);
    if (!file) {
      fprintf(stderr, "strings: %s cannot be read\n", argv[i]);
      return 1;
    }
    std::stringstream all;
    all << file.rdbuf();
    const std::string text = all.str();
    const Lines input = lines_of(text);
    double ms[7];
    for (double& t : ms) {
      Lines lines = input;
      auto start = std::chrono::steady_clock::now();
      parlay::sort_inplace(lines);
      t = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      if (!std::is_sorted(lines.begin(), lines.end())) return 2;
    }
    std::sort(std::begin(ms), std::end(ms));
    printf("parlaylib %s: %zu lines, %.1f ms (%.1f to %.1f), %zu workers\n", argv[i], input.size(), ms[3], ms[0], ms[6],
           parlay::num_workers());
  }
}
