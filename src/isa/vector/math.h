// Elementary functions: the rows and, for math.cpp, the SIMD forms.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_MATH_H_
#define BASCULE_ISA_VECTOR_MATH_H_

#include "isa/row.h"
#include "isa/vector/math_list.h"

namespace bascule::isa {

// kExpRow, …
#define BASCULE_DECLARE_ROW(name, sources, types, forms, ulp, document) \
  extern const Row k##name##Row;
BASCULE_MATHS(BASCULE_DECLARE_ROW)
#undef BASCULE_DECLARE_ROW

// The form for the CPU target in use: SimdExpFloat(), SimdExpHalf(), …
#define BASCULE_DECLARE_SIMD(name, type, number, lane) FlatFunction Simd##name##lane();
#define BASCULE_DECLARE_SIMDS(name, sources, types, forms, ulp, document) \
  BASCULE_##types(BASCULE_DECLARE_SIMD, name)
BASCULE_MATHS(BASCULE_DECLARE_SIMDS)
#undef BASCULE_DECLARE_SIMDS
#undef BASCULE_DECLARE_SIMD

// An integer to the power of another, wrapped around as products are. A negative exponent leaves
// what is left of the fraction without its digits behind the point: of 1 and -1 a sign, of others
// nothing; of 0, which has no such power, the largest integer.
int32_t IntegerPower(int32_t base, int32_t exponent);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_MATH_H_
