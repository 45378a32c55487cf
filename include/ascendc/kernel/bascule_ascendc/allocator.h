// Tensors at addresses the kernel chooses itself, without a TPipe.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ALLOCATOR_H
#define BASCULE_ASCENDC_ALLOCATOR_H

#include "bascule_ascendc/tensor.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr AscendC::TPosition PositionIn(AscendC::Hardware hardware) {
  switch (hardware) {
    case AscendC::Hardware::L1:
      return AscendC::TPosition::A1;
    case AscendC::Hardware::L0A:
      return AscendC::TPosition::A2;
    case AscendC::Hardware::L0B:
      return AscendC::TPosition::B2;
    case AscendC::Hardware::L0C:
      return AscendC::TPosition::CO1;
    case AscendC::Hardware::BIAS:
      return AscendC::TPosition::C2;
    case AscendC::Hardware::FIXBUF:
      return AscendC::TPosition::C2PIPE2GM;
    default:
      return AscendC::TPosition::VECCALC;
  }
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Hands out one memory from its begin to its end; nothing is given back. Sizes in elements.
template <Hardware hardware = Hardware::UB>
class LocalMemAllocator {
 public:
  template <typename T, uint32_t count>
  LocalTensor<T> Alloc(bascule_ascendc::Site site = {}) {
    return Take<T>(count, site);
  }
  template <TPosition position, typename T, uint32_t count>
  LocalTensor<T> Alloc(bascule_ascendc::Site site = {}) {
    return Take<T>(count, site);
  }
  template <typename T>
  LocalTensor<T> Alloc(uint32_t count, bascule_ascendc::Site site = {}) {
    return Take<T>(count, site);
  }
  template <TPosition position, typename T>
  LocalTensor<T> Alloc(uint32_t count, bascule_ascendc::Site site = {}) {
    return Take<T>(count, site);
  }
  // The first free address.
  uint32_t GetCurAddr() const { return address_; }

 private:
  template <typename T>
  LocalTensor<T> Take(uint32_t count, const bascule_ascendc::Site& site) {
    BasculeCore* core = bascule_ascendc::Core();
    constexpr int kMemory = static_cast<int>(hardware);
    const uint64_t size = static_cast<uint64_t>(static_cast<char*>(core->memory_end[kMemory]) -
                                                static_cast<char*>(core->memory_begin[kMemory]));
    const uint64_t bytes = (uint64_t{count} * sizeof(T) + BASCULE_DATABLOCK_BYTES - 1) /
                           BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES;
    if (address_ + bytes > size) {
      char text[160];
      std::snprintf(
          text, sizeof(text), "LocalMemAllocator: %llu bytes were asked for, %llu of %llu are left",
          static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(size - address_),
          static_cast<unsigned long long>(size));
      bascule_ascendc::Fail(text, site);
    }
    LocalTensor<T> tensor(bascule_ascendc::PositionIn(hardware), address_, count);
    address_ += static_cast<uint32_t>(bytes);
    return tensor;
  }

  uint32_t address_ = 0;
};

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_ALLOCATOR_H
