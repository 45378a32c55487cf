// Types of kernels: which cores run a block, and what a kernel's code says of itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_KERNEL_TYPE_H_
#define BASCULE_ENGINE_KERNEL_TYPE_H_

#include <cstdint>

#include "bascule/abi/library.h"
#include "bascule/abi/types.h"

namespace bascule::engine {

// The cores of one block, in the order they are started.
struct BlockCores {
  uint16_t aic = 0;
  uint16_t aiv = 1;

  bool mixed() const { return aic + aiv > 1; }
};
// Slots a block's cores are counted by: 0 the cube core, then the vector cores.
constexpr uint32_t kBlockSlots = 3;

BlockCores CoresOf(uint32_t kernel_type);
// "KERNEL_TYPE_MIX_AIC_1_2"
const char* KernelTypeName(uint32_t kernel_type);
// How many such blocks `platform` runs at once.
uint32_t ResidentBlocks(const BasculePlatform& platform, BlockCores cores);

// The type that stands in front of the kernel's first instruction (BASCULE_KERNEL_MARK);
// BASCULE_KERNEL_UNSAID when nothing does. `entry` has to be a function's address. Reads code, and
// nothing else; takes microseconds.
uint32_t MarkedKernelType(const void* entry);

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_KERNEL_TYPE_H_
