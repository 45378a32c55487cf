// How elementwise work is cut: written by an operator's tiling function, read by every block of its
// kernel. SPDX-License-Identifier: Apache-2.0
#ifndef ELEMENT_TILES_TILING_H
#define ELEMENT_TILES_TILING_H

#include <cstdint>

struct ElementTilesTiling {
  uint64_t totalLength;  // elements of each tensor
  uint64_t blockLength;  // elements of one block; the last block may have fewer
  uint32_t tileLength;   // elements of one tile; the last tile of a block may have fewer
  uint32_t reserved;     // what follows begins at a multiple of 8 bytes on every compiler
};

#endif  // ELEMENT_TILES_TILING_H
