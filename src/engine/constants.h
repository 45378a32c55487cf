// Constants in global memory: what a kernel's file defines as `__gm__ const`. They are no tensors
// of a launch, and where they lie is for the host to know. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_CONSTANTS_H_
#define BASCULE_ENGINE_CONSTANTS_H_

#include <cstdint>

#include "engine/launch.h"

namespace bascule::engine {

// The constant of a program that begins at an address or is the last before it, in read-only
// memory; null where the address is none of such memory. Its interval stays.
using ConstantFinder = const GlobalInterval* (*)(uint64_t address);

// For all launches. Without one there are no constants.
void SetConstantFinder(ConstantFinder finder);

const GlobalInterval* FindConstant(uint64_t address);

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_CONSTANTS_H_
