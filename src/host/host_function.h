// Calls of an operator's host functions: shape and dtype inference, tiling.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_HOST_FUNCTION_H_
#define BASCULE_HOST_HOST_FUNCTION_H_

#include "bascule/abi/library.h"

namespace bascule::host {

// As function(call); but a crash in it (a division by zero, a null pointer) is a failure with a
// message. A registry::HostCaller.
int CallHostFunction(BasculeHostFunction function, BasculeHostCall* call);

}  // namespace bascule::host

#endif  // BASCULE_HOST_HOST_FUNCTION_H_
