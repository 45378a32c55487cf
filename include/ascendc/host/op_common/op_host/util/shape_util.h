// Shapes by the names public operator projects use.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_SHAPE_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_SHAPE_UTIL_H_

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/shape.h"
#include "op_common/log/log.h"

namespace Ops {
namespace Base {

using ::bascule_graph::UNKNOWN_DIM;
constexpr int64_t UNKNOWN_RANK_DIM = -2;

BASCULE_HIDDEN inline bool IsUnknownRank(const gert::Shape& shape) {
  return shape.GetDimNum() == 1 && shape.GetDim(0) == UNKNOWN_RANK_DIM;
}
BASCULE_HIDDEN inline void SetUnknownRank(gert::Shape& shape) {
  shape.SetDimNum(0);
  shape.AppendDim(UNKNOWN_RANK_DIM);
}
// Whether a dimension is unknown, or their number.
BASCULE_HIDDEN inline bool IsUnknownShape(const gert::Shape& shape) {
  for (size_t i = 0; i < shape.GetDimNum(); ++i) {
    if (shape.GetDim(i) < 0) return true;
  }
  return false;
}
BASCULE_HIDDEN inline void SetUnknownShape(int64_t rank, gert::Shape& shape) {
  shape.SetDimNum(static_cast<size_t>(rank));
  for (size_t i = 0; i < shape.GetDimNum(); ++i) shape.SetDim(i, UNKNOWN_DIM);
}
// The shape, or that of one element for a scalar.
BASCULE_HIDDEN inline const gert::Shape& EnsureNotScalar(const gert::Shape& shape) {
  static const gert::Shape one = {1};
  return shape.IsScalar() ? one : shape;
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_SHAPE_UTIL_H_
