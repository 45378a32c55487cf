// SPDX-License-Identifier: Apache-2.0
#ifndef AXPY_TILING_H
#define AXPY_TILING_H

#include "../../common/element_tiles_tiling.h"

struct AxpyTilingData {
  ElementTilesTiling tiles;
  float alpha;
};

#endif  // AXPY_TILING_H
