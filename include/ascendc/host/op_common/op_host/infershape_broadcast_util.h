// Shapes that broadcast against each other.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_BROADCAST_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_BROADCAST_UTIL_H_

#include <algorithm>
#include <vector>

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/shape_util.h"

namespace Ops {
namespace Base {

// Unknown dimensions stay unknown unless the other is neither unknown nor 1. False where the shapes
// do not go together.
BASCULE_HIDDEN inline bool BroadcastShape(const gert::Shape* in1, const gert::Shape* in2,
                                          gert::Shape* out) {
  if (IsUnknownRank(*in1) || IsUnknownRank(*in2)) {
    SetUnknownRank(*out);
    return true;
  }
  const gert::Shape a = *in1;
  const gert::Shape b = *in2;
  const size_t rank = std::max(a.GetDimNum(), b.GetDimNum());
  out->SetDimNum(rank);
  for (size_t i = 0; i < rank; ++i) {
    const auto from_end = [&](const gert::Shape& shape) {
      const size_t back = rank - i;
      return back > shape.GetDimNum() ? int64_t{1} : shape.GetDim(shape.GetDimNum() - back);
    };
    const int64_t x = from_end(a);
    const int64_t y = from_end(b);
    if (x == y || y == 1) {
      out->SetDim(i, x);
    } else if (x == 1 || x == UNKNOWN_DIM) {
      out->SetDim(i, y);
    } else if (y == UNKNOWN_DIM) {
      out->SetDim(i, x);
    } else {
      return false;
    }
  }
  return true;
}
BASCULE_HIDDEN inline bool BroadcastShape(const std::vector<const gert::Shape*>& shapes,
                                          gert::Shape* out) {
  if (shapes.empty()) return false;
  gert::Shape all = *shapes[0];
  for (const gert::Shape* shape : shapes) {
    const gert::Shape so_far = all;
    if (!BroadcastShape(&so_far, shape, &all)) return false;
  }
  *out = all;
  return true;
}
// Of all inputs.
BASCULE_HIDDEN inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context) {
  std::vector<const gert::Shape*> shapes;
  for (size_t i = 0; i < context->GetComputeNodeInputNum(); ++i) {
    OP_CHECK_NULL_WITH_CONTEXT(context, context->GetInputShape(i));
    shapes.push_back(context->GetInputShape(i));
  }
  gert::Shape* output = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, output);
  OP_CHECK_IF(!BroadcastShape(shapes, output),
              OP_LOGE(context, "the shapes of the inputs do not broadcast against each other"),
              return ge::GRAPH_FAILED);
  return ge::GRAPH_SUCCESS;
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_BROADCAST_UTIL_H_
