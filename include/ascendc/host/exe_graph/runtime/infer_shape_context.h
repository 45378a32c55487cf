// What a shape-inference function reads and fills.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_

#include <cstddef>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
 public:
  BASCULE_HIDDEN InferShapeContext(BasculeHostCall* call, const char* type)
      : ExtendedKernelContext(call, type), outputs_(call->output_count) {
    for (uint32_t i = 0; i < call->input_count; ++i) {
      inputs_.push_back(bascule_host::ToGert(call->inputs[i].shape));
    }
  }

  BASCULE_HIDDEN const Shape* GetInputShape(size_t index) const {
    return GetOptionalInputShape(IrIndex(index));
  }
  BASCULE_HIDDEN const Shape* GetOptionalInputShape(size_t ir_index) const {
    return IsPresent(ir_index) ? &inputs_[ir_index] : nullptr;
  }
  BASCULE_HIDDEN const Shape* GetRequiredInputShape(size_t ir_index) const {
    return GetOptionalInputShape(ir_index);
  }
  // Starts as the shape of a scalar.
  BASCULE_HIDDEN Shape* GetOutputShape(size_t index) {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }

 private:
  std::vector<Shape> inputs_;
  std::vector<Shape> outputs_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_
