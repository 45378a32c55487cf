// Host code includes it beside log/log.h. Codes of errors are in the sentences here.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_LOG_ERROR_CODE_H_
#define BASCULE_ASCENDC_LOG_ERROR_CODE_H_

#include "op_common/log/log.h"

#endif  // BASCULE_ASCENDC_LOG_ERROR_CODE_H_
