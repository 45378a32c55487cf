// What a shape-inference function reads and fills.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_

#include <cstddef>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
 public:
  BASCULE_HIDDEN InferShapeContext(BasculeHostCall* call, const char* type)
      : ExtendedKernelContext(call, type), outputs_(call->output_count) {
    for (size_t i = 0; i < present().size(); ++i) {
      const BasculeTensorInfo& input = call->inputs[present()[i]];
      const Shape shape = bascule_host::ToGert(input.shape);
      StorageShape both;
      both.SetOriginShape(shape);
      both.SetStorageShape(shape);
      inputs_.emplace_back(both, bascule_host::ToGe(input.dtype),
                           static_cast<ge::Format>(input.format), InputData(i));
    }
  }

  BASCULE_HIDDEN const Shape* GetInputShape(size_t index) const {
    return index < inputs_.size() ? &inputs_[index].GetOriginShape() : nullptr;
  }
  BASCULE_HIDDEN const Shape* GetOptionalInputShape(size_t ir_index) const {
    return GetInputShape(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Shape* GetRequiredInputShape(size_t ir_index) const {
    return GetInputShape(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Shape* GetDynamicInputShape(size_t ir_index, size_t n) const {
    return GetInputShape(InputOf(ir_index, n));
  }
  BASCULE_HIDDEN const Tensor* GetInputTensor(size_t index) const {
    return index < inputs_.size() ? &inputs_[index] : nullptr;
  }
  BASCULE_HIDDEN const Tensor* GetOptionalInputTensor(size_t ir_index) const {
    return GetInputTensor(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Tensor* GetRequiredInputTensor(size_t ir_index) const {
    return GetInputTensor(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Tensor* GetDynamicInputTensor(size_t ir_index, size_t n) const {
    return GetInputTensor(InputOf(ir_index, n));
  }
  // Starts as the shape of a scalar.
  BASCULE_HIDDEN Shape* GetOutputShape(size_t index) {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }

 private:
  std::vector<Tensor> inputs_;
  std::vector<Shape> outputs_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_
