// Another path of the functions for Broadcast.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_BROADCAST_BROADCAST_TILING_H_
#define BASCULE_ASCENDC_TILING_BROADCAST_BROADCAST_TILING_H_

#include "tiling/transform/transform_tiling.h"

#endif  // BASCULE_ASCENDC_TILING_BROADCAST_BROADCAST_TILING_H_
