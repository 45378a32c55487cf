// What a dtype-inference function reads and fills.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_

#include <cstddef>

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferDataTypeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  // ge::DT_UNDEFINED where there is no such input.
  BASCULE_HIDDEN ge::DataType GetInputDataType(size_t index) const {
    const CompileTimeTensorDesc* input = GetInputDesc(index);
    return input == nullptr ? ge::DT_UNDEFINED : input->GetDataType();
  }
  BASCULE_HIDDEN ge::DataType GetOptionalInputDataType(size_t ir_index) const {
    return GetInputDataType(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN ge::DataType GetRequiredInputDataType(size_t ir_index) const {
    return GetInputDataType(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN ge::DataType GetDynamicInputDataType(size_t ir_index, size_t n) const {
    return GetInputDataType(InputOf(ir_index, n));
  }
  BASCULE_HIDDEN ge::DataType GetOutputDataType(size_t index) const {
    return index < call_->output_count ? bascule_host::ToGe(call_->outputs[index].dtype)
                                       : ge::DT_UNDEFINED;
  }
  BASCULE_HIDDEN ge::graphStatus SetOutputDataType(size_t index, ge::DataType dtype) {
    if (index >= call_->output_count) return ge::GRAPH_FAILED;
    call_->outputs[index].dtype = dtype == ge::DT_UNDEFINED ? -1 : static_cast<int32_t>(dtype);
    return ge::GRAPH_SUCCESS;
  }
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_
