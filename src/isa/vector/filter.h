// Choosing elements by masks of bytes or bits: Select with a mask of bytes, DropOut.
// Operands: destination, source, mask, temporary space. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_FILTER_H_
#define BASCULE_ISA_VECTOR_FILTER_H_

#include "isa/row.h"

namespace bascule::isa {

// Where the mask is 0 the first source, else the second; one of them is the scalar.
extern const Row kSelectWithBytesMaskRow;
// Where the mask is not 0 the source times the reciprocal of the scalar, else 0.
extern const Row kDropOutRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_FILTER_H_
