// SPDX-License-Identifier: Apache-2.0
#ifndef GELU_TILING_H
#define GELU_TILING_H

#include "../../common/element_tiles_tiling.h"

struct GeluTilingData {
  ElementTilesTiling tiles;
  uint32_t isTanh;  // the approximation by tanh in place of the exact function
};

#endif  // GELU_TILING_H
