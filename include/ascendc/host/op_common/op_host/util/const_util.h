// What tensors hold, as the shapes and numbers host code reads them for.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_CONST_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_CONST_UTIL_H_

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

namespace Ops {
namespace Base {

// The dimensions are the tensor's elements; false where they are not known.
template <typename T>
BASCULE_HIDDEN inline bool GetValueToShape(const gert::Tensor* tensor, gert::Shape& shape) {
  if (tensor == nullptr || tensor->GetData<T>() == nullptr || tensor->GetShapeSize() < 0) {
    return false;
  }
  const size_t count = static_cast<size_t>(tensor->GetShapeSize());
  shape.SetDimNum(count);
  for (size_t i = 0; i < count; ++i) {
    shape.SetDim(i, static_cast<int64_t>(tensor->GetData<T>()[i]));
  }
  return true;
}
BASCULE_HIDDEN inline bool GetValueToShape(const gert::Tensor* tensor, gert::Shape& shape) {
  if (tensor == nullptr) return false;
  return tensor->GetDataType() == ge::DT_INT32 ? GetValueToShape<int32_t>(tensor, shape)
                                               : GetValueToShape<int64_t>(tensor, shape);
}
// Element `index` of an integer tensor.
template <typename T>
BASCULE_HIDDEN inline bool GetConstValue(const gert::Tensor* tensor, T& value, size_t index = 0) {
  if (tensor == nullptr || tensor->GetAddr() == nullptr || tensor->GetShapeSize() < 0 ||
      index >= static_cast<size_t>(tensor->GetShapeSize())) {
    return false;
  }
  switch (tensor->GetDataType()) {
    case ge::DT_INT32:
      value = static_cast<T>(tensor->GetData<int32_t>()[index]);
      return true;
    case ge::DT_INT64:
      value = static_cast<T>(tensor->GetData<int64_t>()[index]);
      return true;
    default:
      return false;
  }
}
template <typename Context, typename T>
BASCULE_HIDDEN inline bool GetConstInt(const Context* context, size_t input, T& value) {
  return GetConstValue(context->GetInputTensor(input), value);
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_CONST_UTIL_H_
