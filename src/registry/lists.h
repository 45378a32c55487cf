// Which tensors of a call belong to which input and output of its operator. A call passes its
// tensors in one row; a required or optional parameter is one of them, a dynamic one any number.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_LISTS_H_
#define BASCULE_REGISTRY_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bascule/abi/library.h"

namespace bascule::registry {

// As a caller says it: how many tensors each input and each output has, in the order of the
// definition. Empty: the caller only passed tensors.
struct Counts {
  std::span<const uint32_t> inputs;
  std::span<const uint32_t> outputs;
};

bool IsDynamic(const BasculeOperatorDef& def);

class Lists {
 public:
  // One tensor for each parameter. No allocation.
  Lists() = default;
  // Throws Error unless the operator takes this many tensors, and where nobody said how they are
  // shared among several dynamic parameters. Without counts a single dynamic parameter gets what
  // the others leave.
  static Lists Of(const BasculeOperatorEntry& op, size_t inputs, size_t outputs,
                  const Counts& given = {});

  // Whether each parameter is one tensor by its definition.
  bool plain() const { return counts_.empty(); }
  // The parameter that a tensor belongs to.
  uint32_t Input(size_t tensor) const {
    return plain() ? static_cast<uint32_t>(tensor) : inputs_[tensor];
  }
  uint32_t Output(size_t tensor) const {
    return plain() ? static_cast<uint32_t>(tensor) : outputs_[tensor];
  }
  // Of each parameter, inputs first; empty when plain.
  std::span<const uint32_t> counts() const { return counts_; }
  std::span<const uint32_t> input_counts() const { return {counts_.data(), input_parameters_}; }
  std::span<const uint32_t> output_counts() const {
    return std::span<const uint32_t>(counts_).subspan(input_parameters_);
  }
  size_t InputTensors() const { return inputs_.size(); }  // of lists that are not plain
  size_t OutputTensors(const BasculeOperatorDef& def) const {
    return plain() ? def.output_count : outputs_.size();
  }

  // For sentences: "x", or "x[2]" for a member of a list.
  std::string InputName(const BasculeOperatorDef& def, size_t tensor) const;
  std::string OutputName(const BasculeOperatorDef& def, size_t tensor) const;

 private:
  std::vector<uint32_t> counts_;   // of inputs, then of outputs
  std::vector<uint32_t> inputs_;   // the parameter of each tensor
  std::vector<uint32_t> outputs_;  // likewise
  size_t input_parameters_ = 0;
};

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_LISTS_H_
