// What a function that infers the ranges of unknown dimensions reads and fills. The build compiles
// such functions; shapes here are known when an operator is called, so nobody calls them but tests
// of the operator's author. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H_

#include <cstddef>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  // Every input's range is its shape; outputs start as scalars.
  BASCULE_HIDDEN InferShapeRangeContext(BasculeHostCall* call, const char* type)
      : ExtendedKernelContext(call, type) {
    // Ranges point into these.
    shapes_.reserve(2 * (present().size() + call->output_count));
    tensors_.reserve(present().size());
    for (size_t i = 0; i < present().size(); ++i) {
      const BasculeTensorInfo& input = call->inputs[present()[i]];
      Add(bascule_host::ToGert(input.shape), &inputs_);
      StorageShape both;
      both.SetOriginShape(shapes_.back());
      both.SetStorageShape(shapes_.back());
      tensors_.emplace_back(both, bascule_host::ToGe(input.dtype),
                            static_cast<ge::Format>(input.format), InputData(i));
      tensor_ranges_.emplace_back(&tensors_.back());
    }
    for (uint32_t i = 0; i < call->output_count; ++i) Add(Shape(), &outputs_);
  }

  BASCULE_HIDDEN const Range<Shape>* GetInputShapeRange(size_t index) const {
    return index < inputs_.size() ? &inputs_[index] : nullptr;
  }
  BASCULE_HIDDEN const Range<Shape>* GetOptionalInputShapeRange(size_t ir_index) const {
    return GetInputShapeRange(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Range<Shape>* GetRequiredInputShapeRange(size_t ir_index) const {
    return GetInputShapeRange(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Range<Shape>* GetDynamicInputShapeRange(size_t ir_index, size_t n) const {
    return GetInputShapeRange(InputOf(ir_index, n));
  }
  BASCULE_HIDDEN const Range<Tensor>* GetInputTensorRange(size_t index) const {
    return index < tensor_ranges_.size() ? &tensor_ranges_[index] : nullptr;
  }
  BASCULE_HIDDEN Range<Shape>* GetOutputShapeRange(size_t index) {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }

 private:
  BASCULE_HIDDEN void Add(const Shape& shape, std::vector<Range<Shape>>* list) {
    shapes_.push_back(shape);
    Shape* min = &shapes_.back();
    shapes_.push_back(shape);
    list->emplace_back(min, &shapes_.back());
  }

  std::vector<Shape> shapes_;
  std::vector<Tensor> tensors_;
  std::vector<Range<Tensor>> tensor_ranges_;
  std::vector<Range<Shape>> inputs_;
  std::vector<Range<Shape>> outputs_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H_
