// Where the constants of libraries and programs lie (engine/constants.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_CONSTANTS_H_
#define BASCULE_HOST_CONSTANTS_H_

#include <cstdint>

#include "engine/launch.h"

namespace bascule::host {

// An engine::ConstantFinder. It learns of a library's constants from its table of symbols, when
// somebody first asks for one. Without symbols its read-only memory is one constant. Thread-safe.
const engine::GlobalInterval* FindConstant(uint64_t address);

}  // namespace bascule::host

#endif  // BASCULE_HOST_CONSTANTS_H_
