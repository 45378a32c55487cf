// Rearranging: Transpose and TransDataTo5HD.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_TRANSPOSE_H_
#define BASCULE_ISA_VECTOR_TRANSPOSE_H_

#include "bascule/abi/vector.h"
#include "isa/row.h"

namespace bascule::isa {

// A 16×16 block of 16-bit elements, in place if wanted, or [N,C,H,W] to [N,H,W,C] and back.
extern const Row kTransposeRow;

// 16 datablocks per repeat are the rows of a matrix whose columns fill 16 datablocks; parameters in
// abi/vector.h.
extern const Row kTransDataTo5HDRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_TRANSPOSE_H_
