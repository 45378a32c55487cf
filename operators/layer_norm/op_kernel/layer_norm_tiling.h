// How the work is cut: written by the host's tiling functions, read by every block of the kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef LAYER_NORM_TILING_H
#define LAYER_NORM_TILING_H

#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"

// x is rows x length. Each block takes consecutive rows, in tiles of whole rows, or, where
// tileRows is 0, of pieces of one.
struct LayerNormTilingData {
  uint64_t rows;
  uint64_t length;
  uint64_t blockRows;   // of one block; the last block may have fewer
  uint32_t tileLength;  // elements of a tile
  uint32_t tileRows;
  uint32_t buffers;  // of each queue
  uint32_t hasWeight;
  uint32_t hasBias;
  float epsilon;
  AscendC::tiling::LayerNormSeparateTiling library;
};

struct LayerNormGradTilingData {
  uint64_t rows;
  uint64_t length;
  uint64_t blockRows;
  uint32_t tileLength;
  uint32_t tileRows;
  uint32_t hasWeight;
  AscendC::tiling::SoftMaxTiling library;
};

#endif  // LAYER_NORM_TILING_H
