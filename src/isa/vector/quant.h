// Instructions that scale integers on their way to fewer bits.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_QUANT_H_
#define BASCULE_ISA_VECTOR_QUANT_H_

#include "isa/row.h"

namespace bascule::isa {

// max(0, (src0 + src1) · scale) in half: the sum wraps around, its exact product with the half in
// params.scalar is rounded once. Source: "AddDeqRelu" of the SIMD API documentation.
extern const Row kAddDeqReluRow;

// src · scale + offset from int16_t to 8 bits, rounded once to nearest even, the nearest value
// there is. A datablock of 16 sources gives 16 bytes, the lower or upper half of a datablock of the
// destination. Parameters: BASCULE_DEQUANT_…. Source: "CastDequant" and "SetDeqScale" of the SIMD
// API documentation.
extern const Row kCastDequantRow;

// For the CPU target in use.
FlatFunction SimdAddDeqRelu();

// `count` lanes (at most 16) of a datablock; `scale` and `offset` have one number for each lane.
using DequantFunction = void (*)(void* dst, const int16_t* src, const double* scale,
                                 const double* offset, uint32_t count);
DequantFunction SimdDequantInt8();
DequantFunction SimdDequantUInt8();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_QUANT_H_
