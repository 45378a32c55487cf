// Another path of op_common/log/log.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACLNN_OPDEV_OP_LOG_H_
#define BASCULE_ASCENDC_ACLNN_OPDEV_OP_LOG_H_

#include "op_common/log/log.h"

#endif  // BASCULE_ASCENDC_ACLNN_OPDEV_OP_LOG_H_
