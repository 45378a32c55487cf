// How the work is cut: written by the host's tiling function, read by every block of the kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MY_MUL_TILING_H
#define MY_MUL_TILING_H

#include <cstdint>

// Tiling key 1: x and y have one shape.
struct MyMulTilingData {
  uint64_t totalLength;  // elements of each tensor
  uint64_t blockLength;  // elements of one block; the last block may have fewer
  uint32_t tileLength;   // elements of one tile; the last tile of a block may have fewer
};

constexpr uint32_t MY_MUL_AXES = 8;

// What an operand has to offer to a tile of the output.
enum MyMulSource : uint32_t {
  MY_MUL_DENSE,   // an element for each of the tile's, in their order
  MY_MUL_SCALAR,  // one element for all
  MY_MUL_GATHER,  // elements that come several times
};

struct MyMulOperand {
  MyMulSource source;
  uint32_t rowMoves;   // 1: each row has elements of its own
  uint64_t rowLength;  // elements of the operand for one row
  uint64_t
      outerStride[MY_MUL_AXES];  // elements from one index to the next; 0 where it is broadcast
  uint32_t tileStride[MY_MUL_AXES];
};

// Tiling key 2: x and y are broadcast to one shape.
//
// Neighbouring axes that x and y treat alike are one axis here. An output is `outer` matrices of
// `rows` rows; a row is as many of the last axes as fit into a tile, and a tile takes several rows.
struct MyMulBroadcastTilingData {
  uint64_t units;  // tiles of the whole output
  uint64_t blockUnits;
  uint64_t rows;
  uint64_t tilesPerMatrix;
  uint64_t rowLength;   // elements of a row
  uint32_t tileRows;    // rows of a tile; the last one of a matrix may have fewer
  uint32_t tileLength;  // elements of a tile, as its buffers have to hold them
  uint32_t outerAxes;
  uint32_t tileAxes;  // the rows of a tile, then the axes of a row
  uint64_t outerSize[MY_MUL_AXES];
  uint32_t tileSize[MY_MUL_AXES];
  MyMulOperand x;
  MyMulOperand y;
};

#endif  // MY_MUL_TILING_H
