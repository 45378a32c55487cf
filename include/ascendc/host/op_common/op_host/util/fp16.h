// Half-precision numbers of host code.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_FP16_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_FP16_H_

#include "bascule/numeric/half.h"

namespace Ops {
namespace Base {

using fp16_t = bascule::half_t;

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_FP16_H_
