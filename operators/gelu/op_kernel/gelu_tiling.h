// How the work is cut: written by the host's tiling function, read by every block of the kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef GELU_TILING_H
#define GELU_TILING_H

#include <cstdint>

struct GeluTilingData {
  uint64_t totalLength;  // elements of each tensor
  uint64_t blockLength;  // elements of one block; the last block may have fewer
  uint32_t tileLength;   // elements of one tile; the last tile of a block may have fewer
  uint32_t isTanh;       // the approximation by tanh in place of the exact function
};

#endif  // GELU_TILING_H
