// Questions about the processor that public operator projects ask while they plan.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_TILING_BASE_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_TILING_BASE_UTIL_H_

#include "op_common/op_host/util/math_util.h"
#include "op_common/op_host/util/platform_util.h"
#include "op_common/op_host/util/shape_util.h"

namespace Ops {
namespace Base {

// Whether vector instructions work on registers; on this family they work on memory.
template <typename Context>
BASCULE_HIDDEN inline bool IsRegbaseSocVersion(const Context*) {
  return false;
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_TILING_BASE_UTIL_H_
