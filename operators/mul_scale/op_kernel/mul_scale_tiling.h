// SPDX-License-Identifier: Apache-2.0
#ifndef MUL_SCALE_TILING_H
#define MUL_SCALE_TILING_H

#include "../../common/element_tiles_tiling.h"

struct MulScaleTilingData {
  ElementTilesTiling tiles;
  float scale;
};

#endif  // MUL_SCALE_TILING_H
