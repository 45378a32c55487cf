// What tiling tells the kernels of conv2d and its gradient.
// SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_TILING_H
#define CONV2D_TILING_H

#include "../../common/cube_product_tiling.h"

// Windows over images of channel blocks.
struct Conv2dWindows {
  uint32_t height;  // of an image
  uint32_t width;
  uint32_t outHeight;  // positions of the window
  uint32_t outWidth;
  uint32_t filterH;
  uint32_t filterW;
  uint32_t strideH;
  uint32_t strideW;
  uint32_t dilationH;
  uint32_t dilationW;
  int32_t top;  // padding; less than 0 where the first window begins inside the image
  int32_t left;
  uint32_t blocks;  // of channels of an image
  uint32_t reserved;
};

// A product of windows and filters, or of gradients and windows, for each image of each group.
struct Conv2dProduct {
  Conv2dWindows windows;
  uint64_t images;  // the batch
  uint64_t groups;
  uint64_t units;
  uint32_t filters;    // of a group
  uint32_t upFilters;  // of a group, in whole fractals
  uint32_t tileRows;   // positions of a tile: rows, and columns of one row
  uint32_t tileColumns;
  uint32_t rowTiles;
  uint32_t columnTiles;
  uint32_t filterTiles;
  uint32_t baseFilters;   // of a tile
  uint32_t stripTiles;    // of the filters' gradient: points of a window, in tiles
  uint32_t baseStrips;    // datablocks of points of a tile
  uint32_t blocksAtOnce;  // channel blocks of an image in L1
  uint32_t stripsAtOnce;  // datablocks of points of filters in L1
  uint32_t stripsInL0;    // and in L0, of both
  uint32_t positionsInL0;
};

// Rearranging a tensor on vector cores: `images` of `channels` planes.
struct Conv2dLayout {
  uint64_t images;
  uint64_t channels;
  uint64_t plane;   // elements
  uint64_t blocks;  // of channels
};

struct Conv2dTilingData {
  CubeProductBuffers buffers;
  CubeProductTiling pointwise;  // of windows of one point: a product of matrices
  Conv2dProduct product;
  Conv2dLayout x;    // to blocks
  Conv2dLayout out;  // back from blocks
  uint64_t xBytes;   // of the workspace
  uint64_t filterBytes;
  uint64_t blockUnits;
  uint32_t hasBias;
  uint32_t channels;  // of a group
};

constexpr uint64_t CONV2D_POINTWISE = 1;
constexpr uint64_t CONV2D_WINDOWS = 2;

struct Conv2dGradTilingData {
  CubeProductBuffers buffers;
  CubeProductTiling pointwise[2];  // the gradients of x and of the filters
  CubeProductTiling ofBias;
  Conv2dProduct ofX;
  Conv2dProduct ofFilters;
  Conv2dLayout x;
  Conv2dLayout dout;
  uint64_t xBytes;  // of the workspace
  uint64_t doutBytes;
  uint64_t filterBytes;
  uint64_t dxBytes;
  uint64_t blockUnits;
  uint32_t hasBias;
  uint32_t channels;   // of a group
  uint32_t filters;    // of a group
  uint32_t spread;     // 1: dout gets zeros in between, for strides
  uint32_t outHeight;  // of dout
  uint32_t outWidth;
  uint32_t strideH;
  uint32_t strideW;
};

#endif  // CONV2D_TILING_H
