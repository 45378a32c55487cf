// Elementwise arithmetic: the rows and, for arithmetic.cpp, the SIMD forms.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_ARITHMETIC_H_
#define BASCULE_ISA_VECTOR_ARITHMETIC_H_

#include "isa/row.h"
#include "isa/vector/arithmetic_list.h"

namespace bascule::isa {

// kMulRow, …
#define BASCULE_DECLARE_ROW(name, reads_dst, sources, types, document) \
  extern const Row k##name##Row;
BASCULE_ARITHMETIC(BASCULE_DECLARE_ROW)
#undef BASCULE_DECLARE_ROW

// The form for the CPU target in use: SimdMulFloat(), SimdMulHalf(), …
#define BASCULE_DECLARE_SIMD(name, to, to_number, from, from_number, lane) \
  FlatFunction Simd##name##lane();
#define BASCULE_DECLARE_SIMDS(name, reads_dst, sources, types, document) \
  BASCULE_##types(BASCULE_DECLARE_SIMD, name)
BASCULE_ARITHMETIC(BASCULE_DECLARE_SIMDS)
#undef BASCULE_DECLARE_SIMDS
#undef BASCULE_DECLARE_SIMD

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_ARITHMETIC_H_
