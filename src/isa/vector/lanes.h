// Turns a call form (count, mask, repeats and strides) into calls on consecutive elements.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_LANES_H_
#define BASCULE_ISA_VECTOR_LANES_H_

#include "isa/row.h"

namespace bascule::isa {

// Runs `flat` on every lane the instruction selects, repeat after repeat, so that a repeat sees what the
// one before it wrote. Lanes the mask leaves out are not touched. A repeat has as many lanes as 256 bytes
// hold of the widest element type among the operands; operands of narrower types use fewer datablocks.
void RunLanes(const BasculeInstruction& instruction, FlatFunction flat);

// The run functions of elementwise rows.
void RunElementwise(const Row& row, const BasculeInstruction& instruction, const RunOptions& options);
void RunElementwiseReference(const Row& row, const BasculeInstruction& instruction,
                             const RunOptions& options);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_LANES_H_
