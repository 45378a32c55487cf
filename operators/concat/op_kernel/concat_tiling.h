// How the work is cut: written by the host's tiling function, read by every block of the kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef CONCAT_TILING_H
#define CONCAT_TILING_H

#include <cstdint>

// The output is a matrix of bytes: a row for each index before the axis, and in it a stretch of
// each tensor, its dimensions from the axis on. Blocks are a grid over this matrix.
struct ConcatTilingData {
  uint64_t rows;
  uint64_t rowBytes;
  uint64_t rowsPerBlock;
  uint64_t bytesPerBlock;  // of a row; a multiple of an element's
  uint32_t blocksPerRow;
  uint32_t axis;
  uint32_t elementBytes;
  uint32_t tileBytes;
};

#endif  // CONCAT_TILING_H
