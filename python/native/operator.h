// One operator of a library: shapes and calls, with Python's tensors and attribute values.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NATIVE_OPERATOR_H_
#define BASCULE_NATIVE_OPERATOR_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <forward_list>
#include <string>
#include <vector>

#include "bascule/c_api.h"

namespace bascule::native {

// Attribute values of one call in the form of the C ABI; owns the text and lists behind them.
class Attributes {
 public:
  const BasculeAttribute* data() const { return values_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(values_.size()); }

 private:
  friend class Operator;
  std::vector<BasculeAttribute> values_;
  // Lists: what values_ points to must not move, and the usual call has none of them.
  std::forward_list<std::string> texts_;
  std::forward_list<std::vector<int64_t>> ints_;
  std::forward_list<std::vector<float>> floats_;
};

class Operator {
 public:
  explicit Operator(const BasculeOperator* op);
  // A lone kernel, of which the runtime knows the name only, with what its caller knows: a schema,
  // and a function that infers.
  Operator(const Operator& kernel, const std::string& schema, nanobind::object infer);

  const BasculeOperator* handle() const { return op_; }
  // The values of a dict, or none for None.
  Attributes AttributesOf(nanobind::handle dict) const { return FromDict(dict); }
  const char* name() const { return bascule_operator_name(op_); }
  const std::string& schema() const { return schema_; }
  const char* AotFunction(uint32_t inputs) const;
  nanobind::dict Statistics() const;
  void CountGradient() const { bascule_operator_count_gradient(op_); }
  int64_t Number() const { return bascule_operator_number(op_); }
  bool is_kernel() const { return bascule_operator_input_count(op_) == BASCULE_ANY_COUNT; }
  uint32_t input_count() const { return static_cast<uint32_t>(input_names_.size()); }
  uint32_t output_count() const { return static_cast<uint32_t>(output_names_.size()); }
  std::string ParameterName(bool output, uint32_t index) const {
    const std::vector<std::string>& names = output ? output_names_ : input_names_;
    return index < names.size() ? names[index] : std::to_string(index + 1);  // nobody named it
  }
  // Whether an input or output is a list of tensors.
  bool IsList(bool output, size_t index) const {
    const std::vector<bool>& lists = output ? output_lists_ : input_lists_;
    return index < lists.size() && lists[index];
  }
  bool has_lists() const { return has_input_lists_ || has_output_lists_; }

  // See the docstrings in module.cpp.
  nanobind::list Infer(nanobind::sequence inputs, nanobind::handle attributes) const;
  void Call(nanobind::sequence inputs, nanobind::sequence outputs, nanobind::handle attributes,
            uint32_t repeat) const;
  nanobind::object Run(nanobind::args arguments);
  nanobind::dict Plan(nanobind::sequence inputs, nanobind::handle attributes) const;

 private:
  struct AttributeSlot {
    std::string name;
    uint32_t kind;  // BASCULE_ATTR_INT, …
  };

  void Add(const AttributeSlot& slot, nanobind::handle value, Attributes* out) const;
  Attributes FromDict(nanobind::handle dict) const;
  void CheckCount(const char* what, size_t expected, size_t got,
                  const std::vector<std::string>& names) const;

  // Inference for a call without attributes, remembered for the next one of the same shapes and
  // dtypes: a training loop asks the same again and again. Guarded by the GIL.
  void InferOutputs(const BasculeTensorInfo* inputs, size_t count,
                    const std::vector<uint32_t>& counts, const Attributes& attributes,
                    BasculeTensorInfo* outputs);
  // For a call whose inputs hold no tensor, so that nothing says whose the outputs are.
  [[noreturn]] void RefuseNoTensor(const std::vector<uint32_t>& counts) const;
  // Raises where only a caller that passes outputs says how many there are.
  void RequireKnownOutputs(const char* instead) const;

  void ReadSchema();
  // Whether any number of tensors may come, for nobody has said how many.
  bool takes_any() const { return is_kernel() && !infer_.is_valid(); }
  void InferByFunction(const BasculeTensorInfo* inputs, BasculeTensorInfo* outputs) const;

  const BasculeOperator* op_;
  std::string schema_;
  nanobind::object infer_;  // of a lone kernel that was described
  std::vector<BasculeTensorInfo> last_inputs_;
  std::vector<BasculeTensorInfo> last_outputs_;
  std::vector<uint32_t> last_counts_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  std::vector<bool> input_lists_;
  std::vector<bool> output_lists_;
  bool has_input_lists_ = false;
  bool has_output_lists_ = false;
  std::vector<AttributeSlot> attributes_;
};

}  // namespace bascule::native

#endif  // BASCULE_NATIVE_OPERATOR_H_
