// Cast: conversion between element types.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_CAST_H_
#define BASCULE_ISA_VECTOR_CAST_H_

#include "bascule/abi/casts.h"
#include "isa/row.h"

namespace bascule::isa {

// params.mode is the rounding mode (bascule::numeric::Rounding). From int32_t to half the exact
// product with the half in params.scalar, the scale of SetDeqScale, is rounded to nearest even,
// once, whatever the mode. Lanes are those of the wider element type; four-bit elements come in
// pairs.
extern const Row kCastRow;

// The form of a pair for the CPU target in use: SimdCastFloatToHalf(), … Its scalar holds the mode
// in the low and the scale in the high 32 bits.
#define BASCULE_DECLARE_CAST(from, from_number, to, to_number, modes) \
  FlatFunction SimdCast##from##To##to();
BASCULE_CASTS(BASCULE_DECLARE_CAST)
#undef BASCULE_DECLARE_CAST

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_CAST_H_
