// SPDX-License-Identifier: Apache-2.0
#include "engine/not_passed.h"

#include <sys/mman.h>

#include <atomic>

#include "base/error.h"

namespace bascule::engine {
namespace {

// A user's workspace begins 16 MiB behind the argument; what lies this far is still the argument's.
constexpr uint64_t kEachBytes = uint64_t{64} << 20;
constexpr uint64_t kWindow = uint64_t{1} << 32;
constexpr uint64_t kOffset = kWindow / 2;  // the low 32 bits of the first address
static_assert(kOffset + kKernelArguments * kEachBytes <= kWindow);

std::atomic<uint64_t> reserved{0};

uint64_t Reserve() {
  // Twice as much, for a window that is aligned; what is not needed is given back.
  void* const got =
      mmap(nullptr, 2 * kWindow, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return 0;
  const uint64_t all = reinterpret_cast<uint64_t>(got);
  const uint64_t begin = (all + kWindow - 1) / kWindow * kWindow + kOffset;
  const uint64_t end = begin + kKernelArguments * kEachBytes;
  munmap(got, begin - all);
  munmap(reinterpret_cast<void*>(end), all + 2 * kWindow - end);
  reserved.store(begin, std::memory_order_release);
  return begin;
}

}  // namespace

void* NotPassed(uint32_t position) {
  static const uint64_t begin = Reserve();
  return begin == 0 ? nullptr : reinterpret_cast<void*>(begin + (position - 1) * kEachBytes);
}

uint32_t NotPassedPosition(uint64_t address) {
  const uint64_t begin = reserved.load(std::memory_order_acquire);
  if (begin == 0 || address < begin || address >= begin + kKernelArguments * kEachBytes) return 0;
  return static_cast<uint32_t>((address - begin) / kEachBytes) + 1;
}

std::string DescribeNotPassed(uint32_t position, uint32_t tensors) {
  return Join("argument ", position, " (workspace, tiling data or another tensor), which was not ",
              "passed: the kernel was called by its symbol, with ", tensors, " tensors");
}

}  // namespace bascule::engine
