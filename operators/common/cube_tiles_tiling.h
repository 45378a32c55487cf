// What tiling tells kernels whose products vector cores finish.
// SPDX-License-Identifier: Apache-2.0
#ifndef CUBE_TILES_TILING_H
#define CUBE_TILES_TILING_H

#include "cube_product_tiling.h"

struct CubeTilesTilingData {
  CubeProductTiling product;
  CubeProductBuffers buffers;
  uint64_t blockUnits;  // tiles of a block
  uint64_t blockBytes;  // of the workspace
  uint32_t option;      // the operator's own
  uint32_t reserved;
};

#endif  // CUBE_TILES_TILING_H
