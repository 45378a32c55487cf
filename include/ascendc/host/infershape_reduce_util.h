// Another path of op_common/op_host/infershape_reduce_util.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_INFERSHAPE_REDUCE_UTIL_H_
#define BASCULE_ASCENDC_INFERSHAPE_REDUCE_UTIL_H_

#include "op_common/op_host/infershape_reduce_util.h"

#endif  // BASCULE_ASCENDC_INFERSHAPE_REDUCE_UTIL_H_
