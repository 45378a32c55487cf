// Another path of platform/platform_infos_def.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_PLATFORM_PLATFORM_INFO_DEF_H_
#define BASCULE_ASCENDC_PLATFORM_PLATFORM_INFO_DEF_H_

#include "platform/platform_infos_def.h"

#endif  // BASCULE_ASCENDC_PLATFORM_PLATFORM_INFO_DEF_H_
