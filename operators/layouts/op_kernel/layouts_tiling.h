// What tiling tells the kernels. SPDX-License-Identifier: Apache-2.0
#ifndef LAYOUTS_TILING_H
#define LAYOUTS_TILING_H

#include <cstdint>

struct LayoutsTilingData {
  uint64_t images;    // or matrices
  uint64_t channels;  // of an image, or columns of a matrix
  uint64_t plane;     // elements of a channel, or rows of a matrix
  uint64_t blocks;    // of channels, or strips of columns
};

#endif  // LAYOUTS_TILING_H
