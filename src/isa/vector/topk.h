// TopK: the largest or smallest of every row, in order, with their indices.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_TOPK_H_
#define BASCULE_ISA_VECTOR_TOPK_H_

#include "isa/row.h"

namespace bascule::isa {

// Of equals the first comes first; NaN comes before everything, whichever end is asked for.
// Operands: values, their indices, source, the indices of its elements (without an address: they
// are numbered from 0). There is no room for the temporary space; the caller has looked at its
// size.
extern const Row kTopKRow;
// Gives the rows whose byte in the mask is not 0 one index. Operands: indices, mask.
extern const Row kTopKFinishRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_TOPK_H_
