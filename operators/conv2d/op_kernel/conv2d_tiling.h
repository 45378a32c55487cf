// What tiling tells the kernels of conv2d and its gradient.
// SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_TILING_H
#define CONV2D_TILING_H

#include "../../common/cube_product_tiling.h"

// Planes with the zeros beside an image. Between two lines there are as many zeros as on one side:
// what ends one begins the next. With strides a plane is cut into phases, of lines and of columns:
// what lies a stride apart stands side by side.
struct Conv2dPlanes {
  uint64_t count;   // images times channels
  uint64_t atOnce;  // planes of a unit of a vector core
  uint64_t size;    // elements of a phase
  uint32_t height;  // of an image
  uint32_t width;
  uint32_t top;  // zeros
  uint32_t left;
  uint32_t strideH;
  uint32_t strideW;
  uint32_t phasesH;  // those that windows look at
  uint32_t phasesW;
  uint32_t lines;  // of a phase
  uint32_t pitch;  // elements of a line
};

// The matrix of windows over planes: a row for each channel and point of a filter, in the order of
// a filter's elements. Its columns are positions, `pitch` of them to a line of the result; a row is
// a plane from some element on.
struct Conv2dRows {
  Conv2dPlanes planes;
  uint32_t filterH;
  uint32_t filterW;
  uint32_t dilationH;
  uint32_t dilationW;
  uint32_t channels;  // of a group
  uint32_t outWidth;  // positions of a line that count
  // Of `run` rows of windows each `runStep`th lies `runPitch` elements behind the one before.
  uint32_t run;
  uint32_t runStep;
  uint32_t runPitch;
  uint32_t reserved;
};

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
  CubeProductTiling product;  // of filters and rows of windows
  Conv2dRows rows;
  uint64_t planeBytes;  // of the workspace
  uint64_t outLines;    // of all results
  uint64_t blockUnits;
  uint32_t outHeight;
  uint32_t makesPlanes;  // 0: x has no zeros beside it and no stride
  uint32_t compacts;     // 1: results have a pitch, which vector cores take away
  uint32_t reserved;
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
