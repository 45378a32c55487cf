// Comparisons and choices by bits: the rows and, for compare.cpp, the SIMD forms.
//
// Bit i of a byte string is bit i % 8 of byte i / 8. A comparison with NaN is false in every mode,
// not-equal included: the hardware's answer, unlike IEEE 754's. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_COMPARE_H_
#define BASCULE_ISA_VECTOR_COMPARE_H_

#include "bascule/abi/vector.h"
#include "isa/row.h"

namespace bascule::isa {

// One bit per lane of whole repeats, consecutive in operand 0. A count is rounded down to whole
// repeats of 256 bytes: the hardware does not compute the rest. Masks have no effect. Without a
// destination (no address) one repeat is compared and the register at extra[BASCULE_EXTRA_RESULT]
// takes the bits of the selected lanes.
extern const Row kCompareRow;
extern const Row kComparesRow;  // with the scalar

// The compare mask register to operand 0, and from operand 1: 16 bytes.
extern const Row kGetCmpMaskRow;
extern const Row kSetCmpMaskRow;

// Operand 1 where the bit is set, operand 2 or the scalar elsewhere; operand 3 holds the bits.
extern const Row kSelectRow;

// The elements whose bit is set, packed. mask[0] elements of each of `count` repeats are looked at.
extern const Row kGatherMaskRow;

// Compares groups × 64 consecutive elements of `a` with those of `b`, or with the scalar where `b`
// is null; 8 bytes of bits per group.
using CompareFunction = void (*)(const void* a, const void* b, uint64_t scalar, uint32_t mode,
                                 uint64_t groups, uint8_t* bits);
CompareFunction SimdCompareFloat();
CompareFunction SimdCompareHalf();
CompareFunction SimdCompareInt32();

// Element i of `a` where bit i is set, of `b` (or the scalar where `b` is null) elsewhere. Reads
// the bytes of `bits` that hold `count` bits, no more.
using SelectFunction = void (*)(void* dst, const void* a, const void* b, uint64_t scalar,
                                const uint8_t* bits, uint64_t count);
SelectFunction SimdSelect16();
SelectFunction SimdSelect32();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_COMPARE_H_
