// Functions that follow MindSpore's `aot` convention and were written without bascule, called with
// tensors of any framework.
// Source: the "aot" section of mindspore.ops.Custom's documentation. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_HOST_FUNCTION_H_
#define BASCULE_HOST_FUNCTION_H_

#include <span>
#include <string>

#include "bascule/c_api.h"
#include "host/library.h"

namespace bascule::host {

// Parameters, their pointers, numbers of dimensions, shapes and element types, a stream (null) and
// what Init left (null).
using AotFunction = int (*)(int nparam, void** params, int* ndims, int64_t** shapes,
                            const char** dtypes, void* stream, void* extra);

// The function `symbol` of the library at `path`, as an operator that takes any number of tensors.
// The same file content and symbol give the same operator. Throws Error.
Operator& OpenFunction(const std::string& path, const std::string& symbol);

// Calls it, inputs first. What it returns but 0, and what it throws, becomes an Error.
void CallFunction(Operator& op, std::span<const BasculeTensor* const> inputs,
                  std::span<BasculeTensor* const> outputs);

}  // namespace bascule::host

#endif  // BASCULE_HOST_FUNCTION_H_
