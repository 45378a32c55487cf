// SPDX-License-Identifier: Apache-2.0
#include "engine/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace bascule::engine {
namespace {

constexpr uint64_t kAlignment = uint64_t{1} << 32;
// Address space costs nothing, and pointers computed by a kernel miss by more than a page.
constexpr uint64_t kGuardBytes = 1024 * 1024;

uint64_t PageBytes() {
  static const uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* ReserveNear(uint64_t address, uint64_t bytes) {
  return mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// Room for `body` bytes at a multiple of the alignment, with guards around, below the memory that
// was made last: mostly it is free. Zero where it is not.
uint64_t ReserveBelowLast(uint64_t last, uint64_t body) {
  if (last <= kAlignment) return 0;
  const uint64_t base = last - kAlignment;
  const uint64_t bytes = body + 2 * kGuardBytes;
  void* const got = ReserveNear(base - kGuardBytes, bytes);
  if (got == MAP_FAILED) return 0;
  if (reinterpret_cast<uint64_t>(got) == base - kGuardBytes) return base;
  munmap(got, bytes);
  return 0;
}

// The same anywhere: twice the alignment, of which all but the memory and its guards is given back
// at once. Where somebody counts the pages (qemu), this takes milliseconds.
uint64_t ReserveAnywhere(uint64_t body) {
  const uint64_t reserve = 2 * kAlignment;
  void* const wide = ReserveNear(0, reserve);
  if (wide == MAP_FAILED) {
    throw Error(BASCULE_OUT_OF_MEMORY,
                Join("no room for the on-chip memory of a core: reserving ", reserve >> 30,
                     " GiB of address space failed (", std::strerror(errno),
                     "). Is the address space limited (ulimit -v)?"));
  }
  const uint64_t start = reinterpret_cast<uint64_t>(wide);
  const uint64_t base = (start + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
  const uint64_t first = base - kGuardBytes;
  const uint64_t end = base + body + kGuardBytes;
  if (first > start) munmap(wide, first - start);
  if (start + reserve > end) munmap(reinterpret_cast<void*>(end), start + reserve - end);
  return base;
}

}  // namespace

OnChipMemory::OnChipMemory(uint64_t bytes) : bytes_(bytes) {
  static std::atomic<uint64_t> last{0};
  const uint64_t page = PageBytes();
  const uint64_t body = (bytes + page - 1) / page * page;
  uint64_t base = ReserveBelowLast(last.load(std::memory_order_relaxed), body);
  if (base == 0) base = ReserveAnywhere(body);
  last.store(base, std::memory_order_relaxed);
  mapping_ = reinterpret_cast<void*>(base - kGuardBytes);
  mapping_bytes_ = body + 2 * kGuardBytes;
  begin_ = reinterpret_cast<char*>(base);
  if (mprotect(begin_, body, PROT_READ | PROT_WRITE) != 0) {
    const int why = errno;
    munmap(mapping_, mapping_bytes_);
    throw Error(BASCULE_OUT_OF_MEMORY, Join("no memory for a core: ", std::strerror(why), "."));
  }
}

OnChipMemory::~OnChipMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

OnChipMemory::OnChipMemory(OnChipMemory&& other) noexcept { *this = std::move(other); }

OnChipMemory& OnChipMemory::operator=(OnChipMemory&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  return *this;
}

}  // namespace bascule::engine
