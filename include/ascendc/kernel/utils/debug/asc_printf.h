// The path of the toolkit's later versions.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_UTILS_DEBUG_ASC_PRINTF_H
#define BASCULE_ASCENDC_UTILS_DEBUG_ASC_PRINTF_H

#include "bascule_ascendc/debug.h"

#endif  // BASCULE_ASCENDC_UTILS_DEBUG_ASC_PRINTF_H
