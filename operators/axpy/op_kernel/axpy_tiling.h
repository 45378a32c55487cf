// How the work is cut: written by the host's tiling function, read by every block of the kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef AXPY_TILING_H
#define AXPY_TILING_H

#include <cstdint>

struct AxpyTilingData {
  uint64_t totalLength;  // elements of each tensor
  uint64_t blockLength;  // elements of one block; the last block may have fewer
  uint32_t tileLength;   // elements of one tile; the last tile of a block may have fewer
  float alpha;
};

#endif  // AXPY_TILING_H
