// What a fuzz target is made of. Built as usual, a target is a test: runner.cpp feeds it its seeds
// and a fixed sequence of mutations of them. With -DBASCULE_LIBFUZZER=ON (clang) it is a program of
// libFuzzer, for minutes and hours by hand; tests/fuzz/CMakeLists.txt says how.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_FUZZ_FUZZ_H_
#define BASCULE_TESTS_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace bascule::fuzz {

// Good inputs, which mutations begin with.
std::vector<std::string> Seeds();

// Seeds for a target that takes numbers out of its input: one number everywhere, and numbers in
// steps.
inline std::vector<std::string> NumberSeeds(const std::vector<char>& alike, size_t bytes) {
  std::vector<std::string> seeds;
  for (const char number : alike) seeds.emplace_back(bytes, number);
  for (const size_t step : {3, 5, 7, 11, 13, 29}) {
    std::string& text = seeds.emplace_back();
    for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(i * step);
  }
  return seeds;
}

// How many inputs got through without an error: a target of which none does tests its first check
// only, and the runner refuses it.
inline uint64_t passed = 0;

// Ends the process: what the target found is a bug.
[[noreturn]] inline void Found(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

// An error has a sentence and a status.
inline void CheckSentence(const std::string& text) {
  if (text.size() < 8) Found("an error without a sentence: '" + text + "'");
}

// Takes an input apart. Beyond its end everything is 0.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  template <typename Value>
  Value Take() {
    Value value = {};
    const size_t bytes = size_ < sizeof(value) ? size_ : sizeof(value);
    std::memcpy(&value, data_, bytes);
    data_ += bytes;
    size_ -= bytes;
    return value;
  }
  // A number below `limit`.
  uint32_t Below(uint32_t limit) { return Take<uint8_t>() % limit; }
  // One that matters: small ones, limits, and their neighbours.
  int64_t Number() {
    static constexpr int64_t kInteresting[] = {
        0,          1,         -1,        2,         3,         7,         8,         16,
        31,         32,        33,        63,        64,        100,       127,       128,
        255,        256,       1000,      1000000,   65535,     65536,     INT32_MAX, INT32_MIN,
        UINT32_MAX, INT64_MAX, INT64_MIN, 1LL << 40, 1LL << 48, 1LL << 61, 1LL << 62, -2};
    const uint32_t which = Take<uint8_t>();
    if (which < std::size(kInteresting) * 4) return kInteresting[which / 4];
    return which < 200 ? Take<int16_t>() : Take<int64_t>();
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace bascule::fuzz

#endif  // BASCULE_TESTS_FUZZ_FUZZ_H_
