// SPDX-License-Identifier: Apache-2.0
#ifndef LEAKY_RELU_TILING_H
#define LEAKY_RELU_TILING_H

#include "../../common/element_tiles_tiling.h"

struct LeakyReluTilingData {
  ElementTilesTiling tiles;
  float slope;
};

#endif  // LEAKY_RELU_TILING_H
