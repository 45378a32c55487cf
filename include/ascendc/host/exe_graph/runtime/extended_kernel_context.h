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
      : call_(call),
        attributes_(call->attributes, call->attribute_count),
        node_(call->operator_name, type, &attributes_) {
    // Runtimes before the fields for dynamic inputs knew of none.
    const bool counted = call->struct_bytes >= offsetof(BasculeHostCall, input_data);
    const bool inputs = counted && call->input_instances != nullptr;
    const bool outputs = counted && call->output_instances != nullptr;
    Count(call->inputs, call->input_count, inputs ? call->input_instances : nullptr,
          inputs ? call->schema_input_count : call->input_count, &node_.input_instances_,
          &node_.inputs_, &present_);
    Count(call->outputs, call->output_count, outputs ? call->output_instances : nullptr,
          outputs ? call->schema_output_count : call->output_count, &node_.output_instances_,
          &node_.outputs_, nullptr);
  }
  ExtendedKernelContext(const ExtendedKernelContext&) = delete;
  ExtendedKernelContext& operator=(const ExtendedKernelContext&) = delete;

  BASCULE_HIDDEN const char* GetNodeName() const { return node_.GetNodeName(); }
  BASCULE_HIDDEN const char* GetNodeType() const { return node_.GetNodeType(); }
  BASCULE_HIDDEN const RuntimeAttrs* GetAttrs() const { return &attributes_; }
  BASCULE_HIDDEN const ComputeNodeInfo* GetComputeNodeInfo() const { return &node_; }
  BASCULE_HIDDEN size_t GetComputeNodeInputNum() const { return node_.GetInputsNum(); }
  BASCULE_HIDDEN size_t GetComputeNodeOutputNum() const { return node_.GetOutputsNum(); }
  BASCULE_HIDDEN const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t ir_index) const {
    return node_.GetInputInstanceInfo(ir_index);
  }
  BASCULE_HIDDEN const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t ir_index) const {
    return node_.GetOutputInstanceInfo(ir_index);
  }

  BASCULE_HIDDEN const CompileTimeTensorDesc* GetInputDesc(size_t index) const {
    return node_.GetInputTdInfo(index);
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir_index) const {
    return node_.GetInputTdInfo(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir_index) const {
    return node_.GetInputTdInfo(InputOf(ir_index, 0));
  }
  // The n-th tensor of a dynamic input.
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetDynamicInputDesc(size_t ir_index, size_t n) const {
    return node_.GetInputTdInfo(InputOf(ir_index, n));
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetOutputDesc(size_t index) const {
    return node_.GetOutputTdInfo(index);
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetRequiredOutputDesc(size_t ir_index) const {
    return node_.GetOutputTdInfo(OutputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetDynamicOutputDesc(size_t ir_index,
                                                                   size_t n) const {
    return node_.GetOutputTdInfo(OutputOf(ir_index, n));
  }

 protected:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // Where the n-th tensor of an input of the OpDef stands among those that are there; kNone: there
  // is no such tensor.
  BASCULE_HIDDEN size_t InputOf(size_t ir_index, size_t n) const {
    return PlaceOf(node_.GetInputInstanceInfo(ir_index), n);
  }
  BASCULE_HIDDEN size_t OutputOf(size_t ir_index, size_t n) const {
    return PlaceOf(node_.GetOutputInstanceInfo(ir_index), n);
  }
  BASCULE_HIDDEN void DescribeNode(bool input, size_t index, const StorageFormat& format) {
    CompileTimeTensorDesc& desc = input ? node_.inputs_[index] : node_.outputs_[index];
    desc = CompileTimeTensorDesc(desc.GetDataType(), format);
  }
  // What the index-th tensor that is there holds; null: not known.
  BASCULE_HIDDEN const void* InputData(size_t index) const {
    if (call_->struct_bytes < sizeof(BasculeHostCall) || call_->input_data == nullptr) {
      return nullptr;
    }
    return index < present_.size() ? call_->input_data[present_[index]] : nullptr;
  }
  // The call's numbers of the inputs that are there.
  BASCULE_HIDDEN const std::vector<uint32_t>& present() const { return present_; }

  BasculeHostCall* call_;

 private:
  BASCULE_HIDDEN static size_t PlaceOf(const AnchorInstanceInfo* instances, size_t n) {
    if (instances == nullptr || n >= instances->GetInstanceNum()) return kNone;
    return instances->GetInstanceStart() + n;
  }
  // Without `present`, all of them are there.
  BASCULE_HIDDEN static void Count(const BasculeTensorInfo* tensors, uint32_t tensor_count,
                                   const uint32_t* instances, uint32_t schema_count,
                                   std::vector<AnchorInstanceInfo>* counted,
                                   std::vector<CompileTimeTensorDesc>* described,
                                   std::vector<uint32_t>* present) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < schema_count; ++i) {
      const size_t start = described->size();
      const uint32_t end = next + (instances != nullptr ? instances[i] : 1);
      for (; next < end && next < tensor_count; ++next) {
        if (present != nullptr && tensors[next].present == 0) continue;
        described->emplace_back(bascule_host::ToGe(tensors[next].dtype),
                                static_cast<ge::Format>(tensors[next].format));
        if (present != nullptr) present->push_back(next);
      }
      counted->emplace_back(start, described->size() - start);
    }
  }

  RuntimeAttrs attributes_;
  ComputeNodeInfo node_;
  std::vector<uint32_t> present_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H_
