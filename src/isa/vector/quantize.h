// Quantisation and back, by the steps of the documentation, each rounded where an instruction of
// the hardware would round. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_QUANTIZE_H_
#define BASCULE_ISA_VECTOR_QUANTIZE_H_

#include "isa/row.h"

namespace bascule::isa {

// Source times scale plus offset in half, to int8_t: to nearest even, at most -128 or 127.
// Operands: destination, source, scales (none: one scale for all), offsets (none: one for all) of
// the source's type. There is no room for the temporary space; the caller has looked at its size.
extern const Row kAscendQuantRow;

// Source times scale in float, rounded to the destination's type. Operands: destination, source,
// scales (none: one scale for all), temporary space. Of scales of 64 bits the low half is a float.
extern const Row kAscendDequantRow;

// Scale times the sum of source and offset: in half for half, in float for bfloat16_t. Operands:
// destination, source, offsets and scales (none: one for all); the temporary space as above.
extern const Row kAscendAntiQuantRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_QUANTIZE_H_
