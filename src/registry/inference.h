// From what a caller passes to what a kernel needs: dtype column, attributes, output shapes, plan.
//
// Works on the operator's C definition and on shapes; knows no engine and touches no tensor's
// memory. Everything throws Error with a sentence that names the operator and the argument.
// Thread-safe. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_INFERENCE_H_
#define BASCULE_REGISTRY_INFERENCE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bascule/abi/library.h"
#include "registry/lists.h"

namespace bascule::registry {

// "(3, 5)", "(3,)", "()", unknown dimensions as "?", unknown rank as "(...)".
std::string ShapeText(const BasculeShape& shape);

// Elements of a fully known shape. Throws when the product is beyond 64 bits.
int64_t ElementCount(const BasculeShape& shape, const char* operator_name, const char* tensor_name);

bool SameShape(const BasculeShape& a, const BasculeShape& b);

[[noreturn]] void RefuseCounts(const BasculeOperatorEntry& op, size_t inputs, size_t outputs);
// Throws unless the operator, whose parameters are one tensor each, takes this many.
inline void CheckCounts(const BasculeOperatorEntry& op, size_t inputs, size_t outputs) {
  if (inputs != op.def->input_count || outputs != op.def->output_count) [[unlikely]]
    RefuseCounts(op, inputs, outputs);
}

// Whether a tensor can have this rank and these dimensions; -1: not known.
inline bool IsShape(const BasculeTensorInfo& info) {
  if (info.present == 0) return true;
  const BasculeShape& shape = info.shape;
  if (shape.rank < -1 || shape.rank > BASCULE_MAX_RANK) return false;
  bool all = true;
  for (int64_t d = 0; d < shape.rank; ++d) all &= shape.dims[d] >= -1;
  return all;
}
// Throws for ranks and dimensions that no tensor has. As many inputs as `lists` has, here and
// below.
void CheckShapes(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                 const Lists& lists = {});

// The column of the dtype and format lists that the inputs' dtypes and formats select. A row-major
// format fits ND, and ND it. The members of a list have one element type; an empty list, as an
// input that was left out, fits every column.
uint32_t ChooseColumn(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                      const Lists& lists = {});

// All attributes of the schema in its order: the caller's values, else the defaults.
std::vector<BasculeAttribute> CompleteAttributes(const BasculeOperatorEntry& op,
                                                 std::span<const BasculeAttribute> given);

// How a host function of an operator is called; gives what it returns.
using HostCaller = int (*)(BasculeHostFunction function, BasculeHostCall* call);
inline int CallDirectly(BasculeHostFunction function, BasculeHostCall* call) {
  return function(call);
}

// Checks number, presence and dtypes of the inputs and fills the outputs' shapes, dtypes and
// formats.
void InferOutputs(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                  std::span<const BasculeAttribute> attributes,
                  std::span<BasculeTensorInfo> outputs, HostCaller caller = CallDirectly,
                  std::span<const void* const> input_data = {}, const Lists& lists = {});

// What tiling decided for one combination of dtypes, shapes and attributes.
struct Plan {
  const BasculeKernelVariant* variant = nullptr;
  uint32_t block_count = 0;  // 0: no output has an element, or no input; nothing is launched
  uint32_t kernel_type = BASCULE_KERNEL_UNSAID;  // filled by who launches
  uint64_t tiling_key = 0;
  uint64_t workspace_bytes = 0;
  std::vector<uint64_t> tiling_data;  // in words, so that it is aligned
  uint64_t tiling_bytes = 0;
  std::vector<BasculeTensorInfo> outputs;
};

// Bit i: the host functions of the operator read what input i holds (ValueDepend).
uint64_t ValueInputs(const BasculeOperatorDef& def);

// Runs the operator's tiling, unless all its outputs are empty, or all inputs but those that host
// functions read. `input_data` is what those inputs
// hold, dense; null or shorter: not known. `given_outputs`, where the caller knows them, serve an
// operator without shape inference. Refuses what cannot be launched: no blocks, more blocks or
// workspace than any machine has, tiling data beyond its buffer.
Plan MakePlan(const BasculeOperatorEntry& op, const BasculePlatform& platform,
              std::span<const BasculeTensorInfo> inputs,
              std::span<const BasculeAttribute> attributes, HostCaller caller = CallDirectly,
              std::span<const void* const> input_data = {},
              std::span<const BasculeTensorInfo> given_outputs = {}, const Lists& lists = {});

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_INFERENCE_H_
