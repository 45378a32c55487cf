// How the work is cut: written by the host's tiling function, read by every block of the kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOFTMAX_TILING_H
#define SOFTMAX_TILING_H

#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"

// What a tile holds.
constexpr uint32_t SOFTMAX_ROWS = 0;     // whole rows of the axis, which is the last one
constexpr uint32_t SOFTMAX_PIECES = 1;   // a piece of one row, which does not fit as a whole
constexpr uint32_t SOFTMAX_COLUMNS = 2;  // columns of an axis with others behind it

// A tensor is outer x length x inner, the axis in the middle. A unit is what a block does at once:
// the rows or the columns of a tile.
struct SoftmaxTilingData {
  uint64_t outer;
  uint64_t length;
  uint64_t inner;
  uint64_t units;
  uint64_t blockUnits;  // of one block; the last block may have fewer
  uint32_t kind;
  uint32_t tileLength;  // elements of a tile
  uint32_t tileRows;    // rows of a unit; of columns, elements of the axis in one tile
  uint32_t width;       // of columns: how many of `inner` side by side
  uint32_t outers;      // of columns: how many of `outer` side by side
  uint32_t buffers;     // of each queue
  AscendC::tiling::SoftMaxTiling library;
};

#endif  // SOFTMAX_TILING_H
