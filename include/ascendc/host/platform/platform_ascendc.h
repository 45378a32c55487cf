// Another path of platform_ascendc::PlatformAscendC.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_PLATFORM_PLATFORM_ASCENDC_H_
#define BASCULE_ASCENDC_PLATFORM_PLATFORM_ASCENDC_H_

#include "tiling/platform/platform_ascendc.h"

#endif  // BASCULE_ASCENDC_PLATFORM_PLATFORM_ASCENDC_H_
