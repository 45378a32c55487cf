// How the work is cut: written by the host's tiling function, read by every block of the kernel.
#ifndef TILING_DATA_H
#define TILING_DATA_H

#include <cstdint>

struct TilingData {
  uint64_t totalLength;  // elements of each tensor
  uint64_t blockLength;  // elements of one block; the last block may have fewer
  uint32_t tileLength;   // elements of one tile; the last tile of a block may have fewer
};

#endif  // TILING_DATA_H
