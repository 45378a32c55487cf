// Platforms as data: core counts and memory sizes.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_PLATFORM_H_
#define BASCULE_ENGINE_PLATFORM_H_

#include "bascule/abi/library.h"

namespace bascule::engine {

// The platform operators are planned for: Atlas A2.
const BasculePlatform& Ascend910B();

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_PLATFORM_H_
