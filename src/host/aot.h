// Calls that arrive in the manner of MindSpore's `aot` functions.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_AOT_H_
#define BASCULE_HOST_AOT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "bascule/abi/library.h"
#include "host/library.h"

namespace bascule::host {

// A call of `op`. Of the `nparam` tensors the first are its inputs: `counts` says how many each
// has, 0 where one was left out. The others are outputs; `nparam` is at least the sum.
void AotCall(Operator& op, std::span<const BasculeAttribute> attributes,
             std::span<const uint32_t> counts, int nparam, void** params, int* ndims,
             int64_t** shapes, const char** dtypes);

// All throw Error. `ndims`, `shapes` and `dtypes` are as MindSpore passes them: the shape pointer
// of a tensor without dimensions is not valid. `extra` is its AotExtra*, or null. Inference is of
// all outputs, in their order.
void AotCall(const BasculeLibraryTable& table, const char* name, const void* extra, int nparam,
             void** params, int* ndims, int64_t** shapes, const char** dtypes);
std::vector<BasculeShape> AotInferShapes(const BasculeLibraryTable& table, const char* name,
                                         const void* extra, int nparam, const int* ndims,
                                         int64_t* const* shapes);
std::vector<int32_t> AotInferDtypes(const BasculeLibraryTable& table, const char* name, int nparam,
                                    const int32_t* dtypes);

}  // namespace bascule::host

#endif  // BASCULE_HOST_AOT_H_
