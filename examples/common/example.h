// What the host programs of the examples share: their command line, the device, arrays on it, and
// the comparison of a result with what it has to be. Host code only.
#ifndef EXAMPLES_COMMON_EXAMPLE_H
#define EXAMPLES_COMMON_EXAMPLE_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"

#define CHECK_ACL(call)                                                                       \
  do {                                                                                        \
    if ((call) != ACL_SUCCESS) {                                                              \
      std::printf("%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, aclGetRecentErrMsg()); \
      std::exit(2);                                                                           \
    }                                                                                         \
  } while (0)

// `program [length [blocks]]`
struct Arguments {
  uint32_t length = 100003;
  uint32_t blocks = 8;

  Arguments(int argc, char** argv) {
    if (argc > 1) length = Number(argc, argv, 1);
    if (argc > 2) blocks = Number(argc, argv, 2);
  }

 private:
  static uint32_t Number(int argc, char** argv, int at) {
    const long number = std::atol(argv[at]);
    if (number < 1 || number > 1 << 28 || argc > 3) {
      std::printf("usage: %s [length [blocks]], both from 1 on\n", argv[0]);
      std::exit(2);
    }
    return static_cast<uint32_t>(number);
  }
};

// Device 0 and a stream, from beginning to end of the program.
class Device {
 public:
  Device() {
    CHECK_ACL(aclInit(nullptr));
    CHECK_ACL(aclrtSetDevice(0));
    CHECK_ACL(aclrtCreateStream(&stream_));
  }
  ~Device() {
    CHECK_ACL(aclrtDestroyStream(stream_));
    CHECK_ACL(aclrtResetDevice(0));
    CHECK_ACL(aclFinalize());
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  aclrtStream stream() const { return stream_; }
  // A launch only puts the kernel on the stream. Its errors come from here.
  void Wait() const { CHECK_ACL(aclrtSynchronizeStream(stream_)); }

 private:
  aclrtStream stream_ = nullptr;
};

// An array in the device's memory.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    CHECK_ACL(aclrtMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T),
                          ACL_MEM_MALLOC_HUGE_FIRST));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    const size_t bytes = count_ * sizeof(T);
    CHECK_ACL(aclrtMemcpy(data_, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  ~DeviceArray() { CHECK_ACL(aclrtFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  uint8_t* data() const { return data_; }
  std::vector<T> ToHost() const {
    std::vector<T> values(count_);
    const size_t bytes = count_ * sizeof(T);
    CHECK_ACL(aclrtMemcpy(values.data(), bytes, data_, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }

 private:
  uint8_t* data_ = nullptr;
  size_t count_;
};

// The host has no half; its 16 bits travel as aclFloat16.
inline std::vector<aclFloat16> ToHalf(const std::vector<float>& values) {
  std::vector<aclFloat16> halves(values.size());
  for (size_t i = 0; i < values.size(); ++i) halves[i] = aclFloatToFloat16(values[i]);
  return halves;
}
inline std::vector<float> ToFloat(const std::vector<aclFloat16>& halves) {
  std::vector<float> values(halves.size());
  for (size_t i = 0; i < halves.size(); ++i) values[i] = aclFloat16ToFloat(halves[i]);
  return values;
}

// Numbers between -8 and 8, multiples of 1/16, which half and float hold exactly.
inline std::vector<float> Numbers(uint32_t count, uint32_t step) {
  std::vector<float> numbers(count);
  for (uint32_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<float>(static_cast<int>(uint64_t{i} * step % 257) - 128) / 16;
  }
  return numbers;
}

// How many elements of a block's share, rounded up to 32 bytes: copies are fastest, and some are
// only possible, from addresses that are multiples of 32. The last blocks may find less, or
// nothing.
inline uint32_t ShareOf(uint32_t length, uint32_t blocks, size_t element_bytes) {
  const uint32_t lanes = static_cast<uint32_t>(32 / element_bytes);
  return ((length + blocks - 1) / blocks + lanes - 1) / lanes * lanes;
}

// Compares with |result - expected| <= tolerance * |expected|, says how it went, and is true if all
// is right. Tolerance 0 means equal.
inline bool Right(const char* what, const std::vector<float>& result,
                  const std::vector<double>& expected, double tolerance) {
  size_t wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(result[i] - expected[i]);
    if (difference <= tolerance * std::fabs(expected[i])) continue;
    if (wrong++ == 0) {
      std::printf("%s: element %zu is %.9g, expected %.9g\n", what, i,
                  static_cast<double>(result[i]), expected[i]);
    }
  }
  if (wrong != 0) {
    std::printf("%s: %zu of %zu elements are wrong\n", what, wrong, expected.size());
  } else {
    // The sum of the results' bits: two runs with the same sum computed the same.
    uint32_t sum = 2166136261u;
    for (const float number : result) {
      uint32_t bits = 0;
      std::memcpy(&bits, &number, sizeof(bits));
      sum = (sum ^ bits) * 16777619u;
    }
    std::printf("%s: %zu elements are right, with tolerance %g (bits %08x)\n", what,
                expected.size(), tolerance, sum);
  }
  return wrong == 0;
}

#endif  // EXAMPLES_COMMON_EXAMPLE_H
