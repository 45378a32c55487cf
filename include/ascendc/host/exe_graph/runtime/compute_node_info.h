// What host functions know of an operator's tensors besides their shapes.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_

#include <cstddef>
#include <vector>

#include "bascule_host_base.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_format.h"
#include "graph/types.h"

namespace gert {

class CompileTimeTensorDesc {
 public:
  BASCULE_HIDDEN CompileTimeTensorDesc() : dtype_(ge::DT_UNDEFINED) {}
  BASCULE_HIDDEN CompileTimeTensorDesc(ge::DataType dtype, ge::Format format)
      : dtype_(dtype), format_(format) {}
  BASCULE_HIDDEN CompileTimeTensorDesc(ge::DataType dtype, const StorageFormat& format)
      : dtype_(dtype), format_(format) {}
  // ge::DT_UNDEFINED: not known yet.
  BASCULE_HIDDEN ge::DataType GetDataType() const { return dtype_; }
  BASCULE_HIDDEN const StorageFormat& GetFormat() const { return format_; }
  BASCULE_HIDDEN ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  BASCULE_HIDDEN ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  BASCULE_HIDDEN ExpandDimsType GetExpandDimsType() const { return ExpandDimsType(); }
  BASCULE_HIDDEN void SetDataType(ge::DataType dtype) { dtype_ = dtype; }
  BASCULE_HIDDEN void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  BASCULE_HIDDEN void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }

 private:
  ge::DataType dtype_;
  StorageFormat format_;
};

// How many tensors an input or output of the OpDef is, and which is the first: none for an optional
// one that was left out, any number for a dynamic one.
class AnchorInstanceInfo {
 public:
  BASCULE_HIDDEN AnchorInstanceInfo() = default;
  BASCULE_HIDDEN AnchorInstanceInfo(size_t start, size_t count) : start_(start), count_(count) {}
  BASCULE_HIDDEN size_t GetInstanceNum() const { return count_; }
  BASCULE_HIDDEN size_t GetInstanceStart() const { return start_; }

 private:
  size_t start_ = 0;
  size_t count_ = 0;
};

class ComputeNodeInfo {
 public:
  BASCULE_HIDDEN ComputeNodeInfo(const char* name, const char* type, const RuntimeAttrs* attributes)
      : name_(name), type_(type), attributes_(attributes) {}

  BASCULE_HIDDEN const char* GetNodeName() const { return name_; }
  BASCULE_HIDDEN const char* GetNodeType() const { return type_; }
  BASCULE_HIDDEN size_t GetIrInputsNum() const { return input_instances_.size(); }
  BASCULE_HIDDEN size_t GetIrOutputsNum() const { return output_instances_.size(); }
  BASCULE_HIDDEN size_t GetInputsNum() const { return inputs_.size(); }
  BASCULE_HIDDEN size_t GetOutputsNum() const { return outputs_.size(); }
  BASCULE_HIDDEN const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir_index) const {
    return ir_index < input_instances_.size() ? &input_instances_[ir_index] : nullptr;
  }
  BASCULE_HIDDEN const AnchorInstanceInfo* GetOutputInstanceInfo(size_t ir_index) const {
    return ir_index < output_instances_.size() ? &output_instances_[ir_index] : nullptr;
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetInputTdInfo(size_t index) const {
    return index < inputs_.size() ? &inputs_[index] : nullptr;
  }
  BASCULE_HIDDEN const CompileTimeTensorDesc* GetOutputTdInfo(size_t index) const {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }
  BASCULE_HIDDEN const RuntimeAttrs* GetAttrs() const { return attributes_; }

 private:
  friend class ExtendedKernelContext;

  const char* name_;
  const char* type_;
  const RuntimeAttrs* attributes_;
  std::vector<AnchorInstanceInfo> input_instances_;
  std::vector<AnchorInstanceInfo> output_instances_;
  std::vector<CompileTimeTensorDesc> inputs_;  // those that are there
  std::vector<CompileTimeTensorDesc> outputs_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_
