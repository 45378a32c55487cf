// One matrix product of many, as host code plans it and a cube core computes it.
// SPDX-License-Identifier: Apache-2.0
#ifndef CUBE_PRODUCT_TILING_H
#define CUBE_PRODUCT_TILING_H

#include <cstdint>

constexpr uint32_t CUBE_PRODUCT_AXES = 8;

// hasBias: a row that is added to each row of C, or a column to each column.
constexpr uint32_t CUBE_PRODUCT_NO_BIAS = 0;
constexpr uint32_t CUBE_PRODUCT_BIAS = 1;
constexpr uint32_t CUBE_PRODUCT_BIAS_OF_ROWS = 2;

// Axes beside those of a matrix, outermost first; strides in matrices of each operand.
struct CubeProductAxes {
  uint64_t size[CUBE_PRODUCT_AXES];
  uint64_t strideA[CUBE_PRODUCT_AXES];
  uint64_t strideB[CUBE_PRODUCT_AXES];
  uint64_t total;  // combinations of indices
  uint64_t count;
};

// C = A B, for every combination of outer indices; what inner indices count is summed.
struct CubeProductTiling {
  uint64_t m;
  uint64_t n;
  uint64_t k;
  uint64_t mTiles;
  uint64_t nTiles;
  uint64_t units;  // tiles of all products
  CubeProductAxes outer;
  CubeProductAxes inner;
  uint32_t turnA;    // 1: A is stored as k rows of m
  uint32_t turnB;    // 1: B is stored as n rows of k
  uint32_t onesA;    // 1: all of A is 1, and nothing is stored
  uint32_t swapped;  // 1: the two operands have changed sides, for the kernel that passes them
  uint32_t hasBias;
  uint32_t baseM;  // rows and columns of a tile
  uint32_t baseN;
  uint32_t l1K;  // what of k is in L1, and in L0A and L0B, at once
  uint32_t l0K;
  uint32_t paceM;  // rows from strip to strip in L1, where an operand is stored along k
  uint32_t paceN;
  uint32_t mmadN;  // columns of a tile that are in L0B at once
};

// The memory that all products of a kernel share.
struct CubeProductBuffers {
  uint32_t a1Bytes;
  uint32_t b1Bytes;
  uint32_t biasBytes;
  uint32_t a2Bytes;
  uint32_t b2Bytes;
  uint32_t cBytes;
};

#endif  // CUBE_PRODUCT_TILING_H
