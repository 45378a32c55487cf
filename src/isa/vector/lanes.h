// Turns a call form (count, mask, repeats and strides) into calls on consecutive elements.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_LANES_H_
#define BASCULE_ISA_VECTOR_LANES_H_

#include "isa/row.h"

namespace bascule::isa {

// Runs `flat` on every lane the instruction selects, repeat after repeat, so that a repeat sees
// what the one before it wrote. Lanes the mask leaves out are not touched.
void RunBinaryLanes(const BasculeInstruction& instruction, FlatBinary flat);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_LANES_H_
