// Another path of opdev/platform.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACLNN_OPDEV_PLATFORM_H_
#define BASCULE_ASCENDC_ACLNN_OPDEV_PLATFORM_H_

#include "opdev/platform.h"

#endif  // BASCULE_ASCENDC_ACLNN_OPDEV_PLATFORM_H_
