// Functions in the form of MindSpore's `aot`: for lone kernels, and to count gradients.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_AOT_FUNCTIONS_H_
#define BASCULE_HOST_AOT_FUNCTIONS_H_

#include <cstdint>

#include "host/library.h"

namespace bascule::host {

// The name of the exported function that calls `op` with `inputs` inputs, the rest being outputs.
// The same for the same; Error when all are in use. Thread-safe.
const char* BindAotFunction(Operator& op, uint32_t inputs);

// A number for `op`, by which bascule_aot_count_gradient knows it. Thread-safe.
int64_t NumberOf(Operator& op);

}  // namespace bascule::host

#endif  // BASCULE_HOST_AOT_FUNCTIONS_H_
