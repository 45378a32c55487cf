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

// From columns (for each channel and point of a filter what it adds at each position of its window)
// to images. What lies a stride apart in an image is a phase, of lines or of columns.
struct Conv2dFold {
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
  uint32_t top;  // padding
  uint32_t left;
  uint32_t lines;        // of a phase at once
  uint32_t bands;        // all lines of a phase
  uint32_t columns;      // of a phase at once
  uint32_t columnTiles;  // where there are several, there is one line at once
  uint32_t pitch;        // elements from one line of a phase to the next
  uint32_t outPitch;     // and of an image, on chip
  uint32_t room;         // elements of a phase on chip
  uint32_t reserved;
  uint64_t positions;  // of a column
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
// Of the gradient only: that of x is a convolution.
constexpr uint64_t CONV2D_TURNED = 3;
// Points of filters that vector cores turn.
constexpr uint64_t CONV2D_MOST_TURNED = 512;

struct Conv2dGradTilingData {
  // The gradient of x itself, or its columns for `imagesAtOnce` images; buffers for all products.
  Conv2dTilingData ofX;
  CubeProductTiling ofFilters;
  CubeProductTiling ofBias;
  Conv2dRows rows;
  Conv2dPlanes dout;  // with the pitch of the rows of windows
  Conv2dFold fold;
  uint64_t planeBytes;  // of the workspace
  uint64_t doutBytes;
  uint64_t images;
  uint64_t imagesAtOnce;
  uint64_t imageUnits;  // tiles of an image's columns
  uint64_t blockUnits;  // of the products that are computed once
  uint32_t hasBias;
  uint32_t makesPlanes;  // 0: x has no zeros beside it and no stride
  uint32_t makesDout;    // 0: lines of dout are as far apart as those of planes
  uint32_t channels;     // of an image
  uint64_t filters;
  uint64_t doutImageBytes;
  uint64_t doutFirst;    // element of a plane of dout that the first window's product is with
  uint64_t doutSize;     // elements of such a plane
  uint64_t filterBytes;  // of the workspace
};

#endif  // CONV2D_TILING_H
