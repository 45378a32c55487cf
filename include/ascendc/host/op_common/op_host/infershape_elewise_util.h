// The output of an elementwise operator has its input's shape.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_ELEWISE_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_ELEWISE_UTIL_H_

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"

namespace Ops {
namespace Base {

BASCULE_HIDDEN inline ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context) {
  const gert::Shape* input = context->GetInputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, input);
  gert::Shape* output = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, output);
  *output = *input;
  return ge::GRAPH_SUCCESS;
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_INFERSHAPE_ELEWISE_UTIL_H_
