// bfloat16 numbers of host code.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_BFLOAT16_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_BFLOAT16_H_

#include "bascule/numeric/bfloat16.h"

namespace Ops {
namespace Base {

using bfloat16 = bascule::bfloat16_t;

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_BFLOAT16_H_
