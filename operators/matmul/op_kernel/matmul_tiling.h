// What tiling tells the kernels. SPDX-License-Identifier: Apache-2.0
#ifndef MATMUL_TILING_H
#define MATMUL_TILING_H

#include "../../common/cube_product_tiling.h"

struct MatmulTilingData {
  CubeProductTiling product;
  CubeProductBuffers buffers;
  uint64_t blockUnits;  // tiles of a block
};

constexpr uint32_t MATMUL_GRADIENTS = 3;  // of a, b and the bias

struct MatmulGradTilingData {
  CubeProductTiling product[MATMUL_GRADIENTS];
  CubeProductBuffers buffers;
  uint64_t blockUnits;
};

#endif  // MATMUL_TILING_H
