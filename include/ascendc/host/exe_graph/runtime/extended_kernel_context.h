// What the contexts of all host functions share: the tensors' descriptions, the attributes, the
// name.
//
// Two ways to count inputs, as in the official interface: `index` counts the tensors that are
// there, `ir_index` the inputs of the OpDef. They differ once an optional input is left out. What
// does not exist is a null pointer. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/shape.h"

namespace bascule_host {

// A rank of -1 is the one dimension -2 in gert.
BASCULE_HIDDEN inline gert::Shape ToGert(const BasculeShape& shape) {
  gert::Shape result;
  if (shape.rank < 0) return result.AppendDim(-2);
  result.SetDimNum(static_cast<size_t>(shape.rank));
  for (int64_t i = 0; i < shape.rank; ++i) result[static_cast<size_t>(i)] = shape.dims[i];
  return result;
}

BASCULE_HIDDEN inline void FromGert(const gert::Shape& shape, BasculeShape* result) {
  if (shape.GetDimNum() == 1 && shape.GetDim(0) == -2) {
    result->rank = -1;
    return;
  }
  result->rank = static_cast<int64_t>(shape.GetDimNum());
  for (size_t i = 0; i < shape.GetDimNum(); ++i) result->dims[i] = shape[i];
}

BASCULE_HIDDEN inline ge::DataType ToGe(int32_t dtype) {
  return dtype < 0 ? ge::DT_UNDEFINED : static_cast<ge::DataType>(dtype);
}

}  // namespace bascule_host

namespace gert {

class ExtendedKernelContext {
 public:
  BASCULE_HIDDEN explicit ExtendedKernelContext(BasculeHostCall* call, const char* type)
      : call_(call), type_(type), attributes_(call->attributes, call->attribute_count) {
    for (uint32_t i = 0; i < call->input_count; ++i) {
      if (call->inputs[i].present != 0) present_.push_back(i);
      inputs_.push_back(Describe(call->inputs[i]));
    }
    for (uint32_t i = 0; i < call->output_count; ++i)
      outputs_.push_back(Describe(call->outputs[i]));
  }
  ExtendedKernelContext(const ExtendedKernelContext&) = delete;
  ExtendedKernelContext& operator=(const ExtendedKernelContext&) = delete;

  BASCULE_HIDDEN const char* GetNodeName() const { return call_->operator_name; }
  BASCULE_HIDDEN const char* GetNodeType() const { return type_; }
  BASCULE_HIDDEN const RuntimeAttrs* GetAttrs() const { return &attributes_; }
  BASCULE_HIDDEN size_t GetComputeNodeInputNum() const { return present_.size(); }
  BASCULE_HIDDEN size_t GetComputeNodeOutputNum() const { return outputs_.size(); }

  BASCULE_HIDDEN const CompileTimeTensorDesc* GetInputDesc(size_t index) const {
    return index < present_.size() ? &inputs_[present_[index]] : nullptr;
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir_index) const {
    return IsPresent(ir_index) ? &inputs_[ir_index] : nullptr;
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir_index) const {
    return GetOptionalInputDesc(ir_index);
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetOutputDesc(size_t index) const {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }

 protected:
  BASCULE_HIDDEN bool IsPresent(size_t ir_index) const {
    return ir_index < call_->input_count && call_->inputs[ir_index].present != 0;
  }
  // Where the index-th tensor that is there stands among the inputs; one past the last when there
  // is none.
  BASCULE_HIDDEN size_t IrIndex(size_t index) const {
    return index < present_.size() ? present_[index] : call_->input_count;
  }

  BasculeHostCall* call_;

 private:
  BASCULE_HIDDEN static CompileTimeTensorDesc Describe(const BasculeTensorInfo& tensor) {
    return CompileTimeTensorDesc(bascule_host::ToGe(tensor.dtype),
                                 static_cast<ge::Format>(tensor.format));
  }

  const char* type_;
  RuntimeAttrs attributes_;
  std::vector<uint32_t> present_;
  std::vector<CompileTimeTensorDesc> inputs_;
  std::vector<CompileTimeTensorDesc> outputs_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H_
