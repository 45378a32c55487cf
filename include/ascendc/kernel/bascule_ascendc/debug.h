// Printing, checks and time in a kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_DEBUG_H
#define BASCULE_ASCENDC_DEBUG_H

#include <time.h>

#include <cassert>
#include <cstdarg>
#include <cstdio>

#include "bascule_ascendc/tensor.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// A half goes through "..." as the double its value is.
template <typename T>
auto Printable(T value) {
  if constexpr (std::is_same_v<T, half>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return value;
  }
}

[[noreturn]] inline void AssertFailed(const Site& site, const char* condition,
                                      const char* format = nullptr, ...) {
  char said[512] = "";
  if (format != nullptr) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(said, sizeof(said), format, arguments);
    va_end(arguments);
    for (size_t end = std::strlen(said); end > 0 && said[end - 1] == '\n'; --end)
      said[end - 1] = '\0';
  }
  char text[1024];
  std::snprintf(text, sizeof(text), "the assertion %s failed%s%s", condition,
                said[0] != '\0' ? ": " : "", said);
  Fail(text, site);
}

// What ASSERT is worth: nothing, alone and behind a value.
struct Asserted {};
constexpr Asserted operator+(Asserted nothing) { return nothing; }
template <typename T>
constexpr T operator+(T value, Asserted /*nothing*/) {
  return value;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// To standard output, one call at a time.
template <typename... Arguments>
__aicore__ inline void printf(const char* format, Arguments... arguments) {
  if constexpr (sizeof...(Arguments) == 0) {
    std::fputs(format, stdout);
  } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::printf(format, bascule_ascendc::Printable(arguments)...);
#pragma GCC diagnostic pop
  }
}
template <typename... Arguments>
__aicore__ inline void PRINTF(const char* format, Arguments... arguments) {
  AscendC::printf(format, arguments...);
}

// The first `count` elements, after a line that says which tensor it is.
template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t count) {
  std::printf("DumpTensor: desc=%u, block=%lld, addr=0x%llx, position=UB, dump_size=%u\n[", desc,
              static_cast<long long>(GetBlockIdx()),
              static_cast<unsigned long long>(tensor.GetPhyAddr() & 0xffffffffu), count);
  for (uint32_t i = 0; i < count; ++i) {
    std::printf("%s%g", i == 0 ? "" : ", ", static_cast<double>(tensor.GetValue(i)));
  }
  std::printf("]\n");
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t count) {
  std::printf("DumpTensor: desc=%u, block=%lld, addr=%p, position=GM, dump_size=%u\n[", desc,
              static_cast<long long>(GetBlockIdx()), static_cast<const void*>(tensor.GetPhyAddr()),
              count);
  for (uint32_t i = 0; i < count; ++i) {
    std::printf("%s%g", i == 0 ? "" : ", ", static_cast<double>(tensor.GetValue(i)));
  }
  std::printf("]\n");
}

// Ends the launch.
__aicore__ inline void Trap(bascule_ascendc::Site site = {}) {
  bascule_ascendc::Fail("the kernel called Trap", site);
}

// A counter of 50 MHz, as on Atlas A2.
__aicore__ inline int64_t GetSystemCycle(bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->poll_budget -= 16;
  if (core->poll_budget < 0) core->api->yield(core, &site);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 50000000 + now.tv_nsec / 20;
}

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// `count` elements from `input` on, wherever they are, after a line that says where.
template <typename T>
void DumpMemory(T* input, uint32_t desc, uint32_t count, const Site& site) {
  static constexpr struct {
    uint8_t memory;
    AscendC::TPosition position;
    const char* name;
  } kPlaces[] = {{BASCULE_UB, AscendC::TPosition::VECCALC, "UB"},
                 {BASCULE_L1, AscendC::TPosition::A1, "L1"},
                 {BASCULE_L0A, AscendC::TPosition::A2, "L0A"},
                 {BASCULE_L0B, AscendC::TPosition::B2, "L0B"},
                 {BASCULE_L0C, AscendC::TPosition::CO1, "L0C"}};
  const auto print = [&](const char* name, const auto& tensor) {
    std::printf("dump: desc=%u, block=%lld, position=%s, dump_size=%u\n[", desc,
                static_cast<long long>(AscendC::GetBlockIdx()), name, count);
    for (uint32_t i = 0; i < count; ++i)
      std::printf("%s%g", i == 0 ? "" : ", ", static_cast<double>(tensor.GetValue(i, site)));
    std::printf("]\n");
  };
  const BasculeCore* core = Core();
  const auto at = reinterpret_cast<uint64_t>(input);
  for (const auto& place : kPlaces) {
    const auto begin = reinterpret_cast<uint64_t>(core->memory_begin[place.memory]);
    if (begin == 0 || at < begin ||
        at >= reinterpret_cast<uint64_t>(core->memory_end[place.memory]))
      continue;
    print(place.name,
          AscendC::LocalTensor<T>(place.position, static_cast<uint32_t>(at - begin), count));
    return;
  }
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(input, count, site);
  print("GM", tensor);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

// What is in memory, printed; `desc` is a number of the kernel's own.
#define BASCULE_ASC_DUMP(name)                                             \
  template <typename T>                                                    \
  __aicore__ inline void name(T* input, uint32_t desc, uint32_t dump_size, \
                              bascule_ascendc::Site site = {}) {           \
    bascule_ascendc::DumpMemory(input, desc, dump_size, site);             \
  }
BASCULE_PRIVATE_BEGIN
BASCULE_ASC_DUMP(asc_dump)
BASCULE_ASC_DUMP(asc_dump_gm)
BASCULE_ASC_DUMP(asc_dump_ubuf)
BASCULE_ASC_DUMP(asc_dump_l1buf)
BASCULE_ASC_DUMP(asc_dump_cbuf)
BASCULE_PRIVATE_END
#undef BASCULE_ASC_DUMP

#define ascendc_assert(condition, ...)                                                   \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      bascule_ascendc::AssertFailed(bascule_ascendc::Site(), #condition, ##__VA_ARGS__); \
    }                                                                                    \
  } while (false)
// The toolkit's samples have `count = tiles ASSERT(tiles != 0 && "…");`, without a semicolon
// between, because builds for an NPU see nothing there. So what stands here begins with an
// operator.
#define ASSERT(condition, ...)                                                                \
  +((condition)                                                                               \
        ? bascule_ascendc::Asserted{}                                                         \
        : (bascule_ascendc::AssertFailed(bascule_ascendc::Site(), #condition, ##__VA_ARGS__), \
           bascule_ascendc::Asserted{}))
// What follows the condition may be statements in braces; they run first.
#define ASCENDC_ASSERT(condition, ...)                                    \
  do {                                                                    \
    if (!(condition)) {                                                   \
      __VA_ARGS__;                                                        \
      bascule_ascendc::AssertFailed(bascule_ascendc::Site(), #condition); \
    }                                                                     \
  } while (false)
#define KERNEL_LOG(level, ...) \
  do {                         \
  } while (false)

#endif  // BASCULE_ASCENDC_DEBUG_H
