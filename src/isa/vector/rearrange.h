// Calls of the library that only move elements: Broadcast, Transpose with tiling, TransData, Pad,
// UnPad. Operands: destination, source, temporary space.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_REARRANGE_H_
#define BASCULE_ISA_VECTOR_REARRANGE_H_

#include "isa/row.h"

namespace bascule::isa {

extern const Row kBroadcastRow;
// In the blocked formats every plane is made of whole 16×16 blocks; what of them is beyond the
// shape is neither read nor written. Rows of types 4 and 5 are padded to 16 elements.
extern const Row kConfusionTransposeRow;
// Channels and batches beyond the shape, up to a multiple of 16, become 0 in a blocked destination.
extern const Row kTransDataRow;
// Columns are filled up to the pads that are asked for; those between them and the next datablock
// are not written.
extern const Row kPadRow;
extern const Row kUnPadRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_REARRANGE_H_
