// Elementwise instructions with two sources: dst = f(src0, src1).
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_BINARY_H_
#define BASCULE_ISA_VECTOR_BINARY_H_

#include "isa/row.h"

namespace bascule::isa {

// Mul. Rounds once to the element type; IEEE special values. half is computed in float, which is
// exact before that rounding. Source: "Mul" of the SIMD API documentation.
extern const Row kMulRow;

// The SIMD forms for the CPU target in use (binary_simd.cpp).
FlatBinary SimdMulFloat();
FlatBinary SimdMulHalf();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_BINARY_H_
