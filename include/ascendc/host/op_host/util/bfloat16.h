// Another path of op_common/op_host/util/bfloat16.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_HOST_UTIL_BFLOAT16_H_
#define BASCULE_ASCENDC_OP_HOST_UTIL_BFLOAT16_H_

#include "op_common/op_host/util/bfloat16.h"

#endif  // BASCULE_ASCENDC_OP_HOST_UTIL_BFLOAT16_H_
