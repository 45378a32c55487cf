// On-chip memory of one core, placed so that host addresses and hardware addresses agree.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_MEMORY_H_
#define BASCULE_ENGINE_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace bascule::engine {

// `bytes` bytes at a multiple of 4 GiB: the low 32 bits of a pointer into it are the offset, which
// is what the hardware calls the address. Pages around it cannot be touched. Not cleared between
// uses.
class OnChipMemory {
 public:
  OnChipMemory() = default;
  // Throws Error when the address space has no room.
  explicit OnChipMemory(uint64_t bytes);
  ~OnChipMemory();
  OnChipMemory(OnChipMemory&& other) noexcept;
  OnChipMemory& operator=(OnChipMemory&& other) noexcept;
  OnChipMemory(const OnChipMemory&) = delete;
  OnChipMemory& operator=(const OnChipMemory&) = delete;

  char* begin() const { return begin_; }
  uint64_t bytes() const { return bytes_; }
  bool Holds(const void* address, uint64_t bytes) const {
    const uint64_t offset =
        reinterpret_cast<uint64_t>(address) - reinterpret_cast<uint64_t>(begin_);
    return offset <= bytes_ && bytes <= bytes_ - offset;
  }

 private:
  char* begin_ = nullptr;
  uint64_t bytes_ = 0;
  void* mapping_ = nullptr;
  uint64_t mapping_bytes_ = 0;
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_MEMORY_H_
