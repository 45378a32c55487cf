// What the product's parts share: the panels its operands are laid out in.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_CUBE_MMAD_H_
#define BASCULE_ISA_CUBE_MMAD_H_

#include <cstdint>

#include "bascule/abi/types.h"

namespace bascule::isa {

constexpr uint64_t kSide = 16;  // rows and columns of a block of C

// Where the elements of A and B are.
struct MmadShape {
  uint64_t m = 0, n = 0, k = 0;
  uint64_t wide = 0;        // elements along k in a fractal
  uint64_t k_fractals = 0;  // of A, from one row of fractals to the next
  uint64_t n_fractals = 0;
  bool one_row = false;                  // A is k elements in a row
  bool fresh = false;                    // C starts from 0, whatever it holds
  const char* const* squares = nullptr;  // see RunOptions; of float and in SIMD forms only

  // Element index of A(row, at) and B(at, column).
  uint64_t A(uint64_t row, uint64_t at) const {
    if (one_row) return at;
    return ((row / kSide * k_fractals + at / wide) * kSide + row % kSide) * wide + at % wide;
  }
  uint64_t B(uint64_t at, uint64_t column) const {
    return ((at / wide * n_fractals + column / kSide) * kSide + column % kSide) * wide + at % wide;
  }
  // First element of row `row` of the strip that holds column `column` of C.
  uint64_t C(uint64_t row, uint64_t column) const {
    return (column / kSide * ((m + kSide - 1) / kSide * kSide) + row) * kSide;
  }
};

// The whole product for one combination of types; C holds what it starts from, unless it is fresh.
using MmadFunction = void (*)(const MmadShape& shape, const void* a, const void* b, void* c);

MmadFunction SimdMmadHalf();
MmadFunction SimdMmadBfloat();
MmadFunction SimdMmadFloat();
MmadFunction SimdMmadInt8();
MmadFunction SimdMmadInt4();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_CUBE_MMAD_H_
