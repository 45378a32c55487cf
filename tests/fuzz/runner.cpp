// Runs a fuzz target without a fuzzer: the seeds, then mutations of them in an order that is always
// the same.
//
//     fuzz_elf [COUNT]       so many mutations, 20000 unless told
//     fuzz_elf --seeds DIR   writes the seeds, as a corpus for libFuzzer
//     fuzz_elf FILE…         these inputs only
//
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

constexpr uint64_t kCount = 20000;
constexpr double kSeconds = 8;  // on a machine so busy that the count takes longer
constexpr uint32_t kSeed = 20240229;

using bascule::fuzz::Seeds;

void Run(const std::string& input) {
  // A copy of exactly its size, so that a sanitizer sees the first byte beyond.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

class Mutator {
 public:
  std::string operator()(std::string text) {
    const uint32_t times = 1 + Below(4);
    for (uint32_t i = 0; i < times; ++i) Once(&text);
    return text;
  }

 private:
  uint32_t Below(size_t limit) { return limit == 0 ? 0 : static_cast<uint32_t>(random_() % limit); }

  void Once(std::string* text) {
    static constexpr uint64_t kNumbers[] = {0,          1,          0x7f,       0xff,
                                            0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
                                            1ull << 48, 1ull << 63, ~0ull,      ~0ull >> 1};
    const size_t at = Below(text->size());
    switch (Below(7)) {
      case 0:
        if (!text->empty()) (*text)[at] = static_cast<char>((*text)[at] ^ (1 << Below(8)));
        break;
      case 1:
        if (!text->empty()) (*text)[at] = static_cast<char>(random_());
        break;
      case 2: {
        const uint64_t number = kNumbers[Below(std::size(kNumbers))];
        const size_t bytes = size_t{1} << Below(4);
        for (size_t i = 0; i < bytes && at + i < text->size(); ++i) {
          (*text)[at + i] = static_cast<char>(number >> (8 * i));
        }
        break;
      }
      case 3:
        text->erase(at, Below(16));
        break;
      case 4:
        text->insert(at, 1 + Below(8), static_cast<char>(random_()));
        break;
      case 5:
        if (Below(4) == 0) text->resize(at);
        break;
      default:
        text->insert(at, text->substr(Below(text->size()), Below(32)));
        break;
    }
  }

  std::mt19937 random_{kSeed};  // the same on every machine
};

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const std::vector<std::string> seeds = Seeds();
  if (argc == 3 && std::string(argv[1]) == "--seeds") {
    fs::create_directories(argv[2]);
    for (size_t i = 0; i < seeds.size(); ++i) {
      std::ofstream(fs::path(argv[2]) / std::to_string(i), std::ios::binary) << seeds[i];
    }
    return 0;
  }
  uint64_t count = kCount;
  if (argc == 2 && !fs::exists(argv[1])) {
    count = std::strtoull(argv[1], nullptr, 10);
  } else if (argc > 1) {
    for (int i = 1; i < argc; ++i) {
      std::ifstream file(argv[i], std::ios::binary);
      Run({std::istreambuf_iterator<char>(file), {}});
    }
    return 0;
  }
  for (const std::string& seed : seeds) Run(seed);
  Mutator mutate;
  const auto start = std::chrono::steady_clock::now();
  uint64_t done = 0;
  for (; done < count; ++done) {
    Run(mutate(seeds[done % seeds.size()]));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (argc == 1 && passed.count() > kSeconds) break;
  }
  std::printf("%llu inputs, %llu of them without an error\n",
              static_cast<unsigned long long>(done + seeds.size()),
              static_cast<unsigned long long>(bascule::fuzz::passed));
  if (argc == 1 && bascule::fuzz::passed * 100 < done) {
    bascule::fuzz::Found("fewer than one input in a hundred got through");
  }
  return 0;
}
