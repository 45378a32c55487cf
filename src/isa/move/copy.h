// Data movement: DataCopy and DataCopyPad, between global memory and on-chip memories and within
// them. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_MOVE_COPY_H_
#define BASCULE_ISA_MOVE_COPY_H_

#include "isa/row.h"

namespace bascule::isa {

// Blocks of whole datablocks. Pipe: MTE2 from global memory, MTE3 to it, V within the unified
// buffer. Source: "DataCopy" of the SIMD API documentation.
extern const Row kDataCopyRow;

// Blocks of any number of bytes; on chip each starts on a datablock, and what follows it up to the
// next datablock is padding. Without padding values the filler is the block's first element.
// Source: "DataCopyPad" of the SIMD API documentation.
extern const Row kDataCopyPadRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_MOVE_COPY_H_
