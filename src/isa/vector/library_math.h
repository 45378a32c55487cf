// Elementary functions that need more than one pass over an element: plain loops on every target.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_LIBRARY_MATH_H_
#define BASCULE_ISA_VECTOR_LIBRARY_MATH_H_

#include "isa/row.h"

namespace bascule::isa {

// The exact remainder with the sign of the first source, as C has it.
extern const Row kFmodRow;
// The logarithm of the magnitude of the gamma function, and the derivative of the logarithm of the
// gamma function: NaN at negative integers, an infinity of the other sign at a zero.
extern const Row kLgammaRow;
extern const Row kDigammaRow;
// Source times scalar, rounded, plus the destination; halves are widened first where the
// destination is float.
extern const Row kAxpyOfLibraryRow;

// For tests.
double Digamma(double x);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_LIBRARY_MATH_H_
