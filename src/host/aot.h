// Calls that arrive in the manner of MindSpore's `aot` functions.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_AOT_H_
#define BASCULE_HOST_AOT_H_

#include <cstddef>
#include <span>
#include <vector>

#include "bascule/abi/library.h"
#include "host/library.h"

namespace bascule::host {

// Which of an operator's inputs do not come: those with a bit, and those at the end.
struct LeftOut {
  size_t all;     // how many inputs the operator takes
  uint64_t mask;  // bit i: input i was left out
};

// A call of `op`, of whose parameters the first `inputs` are inputs; `nparam` is at least that.
void AotCall(Operator& op, std::span<const BasculeAttribute> attributes, size_t inputs,
             LeftOut left_out, int nparam, void** params, int* ndims, int64_t** shapes,
             const char** dtypes);

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
