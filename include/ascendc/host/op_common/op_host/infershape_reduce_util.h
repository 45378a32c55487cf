// Shapes with dimensions reduced.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_REDUCE_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_REDUCE_UTIL_H_

#include <cstdint>

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/shape_util.h"

namespace Ops {
namespace Base {

// The axes may count from the end. Without keep_dims the reduced dimensions go, else they are 1.
template <typename T>
BASCULE_HIDDEN inline ge::graphStatus ReduceDims(const gert::Shape* shape, const T* axes,
                                                 int32_t axis_count, bool keep_dims,
                                                 gert::Shape* out) {
  const gert::Shape in = *shape;
  const int64_t rank = static_cast<int64_t>(in.GetDimNum());
  bool reduced[gert::Shape::kMaxDimNum] = {};
  for (int32_t i = 0; i < axis_count; ++i) {
    int64_t axis = static_cast<int64_t>(axes[i]);
    if (axis < 0) axis += rank;
    if (rank == 0 && (axis == 0 || axis == -1)) continue;
    OP_CHECK_IF(axis < 0 || axis >= rank,
                OP_LOGE("", "the axis %lld is none of %lld dimensions",
                        static_cast<long long>(axes[i]), static_cast<long long>(rank)),
                return ge::GRAPH_FAILED);
    reduced[axis] = true;
  }
  out->SetDimNum(0);
  for (size_t i = 0; i < in.GetDimNum(); ++i) {
    if (!reduced[i]) {
      out->AppendDim(in.GetDim(i));
    } else if (keep_dims) {
      out->AppendDim(1);
    }
  }
  return ge::GRAPH_SUCCESS;
}
template <typename T>
BASCULE_HIDDEN inline ge::graphStatus ReduceDimsWithKeepDims(const gert::Shape* shape,
                                                             const T* axes, int32_t axis_count,
                                                             gert::Shape* out) {
  return ReduceDims(shape, axes, axis_count, true, out);
}
template <typename T>
BASCULE_HIDDEN inline ge::graphStatus ReduceDimsWithoutKeepDims(const gert::Shape* shape,
                                                                const T* axes, int32_t axis_count,
                                                                gert::Shape* out) {
  return ReduceDims(shape, axes, axis_count, false, out);
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_REDUCE_UTIL_H_
