// SPDX-License-Identifier: Apache-2.0
#ifndef PRODUCTS_TILING_H
#define PRODUCTS_TILING_H

#include <cstdint>

struct ProductsTilingData {
  uint64_t length;      // elements of each tensor
  uint32_t tileLength;  // elements of one tile
  uint32_t swap;        // 1: the outputs are exchanged
};

#endif  // PRODUCTS_TILING_H
