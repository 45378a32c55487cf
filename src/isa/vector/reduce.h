// Reductions: the rows and, for reduce.cpp, the SIMD forms.
//
// A sum within a repeat, a datablock or a pair is a binary tree of neighbours, rounded to the
// element type at every node; a lane that is not selected is not there, and its neighbour passes
// unchanged. Of equal largest or smallest elements the one with the lowest index counts; NaN is
// larger and smaller than any number, and +0 is larger than -0. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_REDUCE_H_
#define BASCULE_ISA_VECTOR_REDUCE_H_

#include "bascule/abi/vector.h"
#include "isa/row.h"

namespace bascule::isa {

// One result per repeat, per datablock (one whose lanes are all left out keeps its place's value)
// or per pair.
extern const Row kReduceRepeatRow;
extern const Row kReduceDataBlockRow;
extern const Row kReducePairElemRow;

// One element. A count is summed repeat by repeat in order; repeats are summed by trees, whose
// results go to operand 2 and are summed again. extra[BASCULE_EXTRA_RESULT], where not 0, is the
// address of BasculeRegisters.
extern const Row kReduceSumRow;

// One element, and with BASCULE_REDUCE_WITH_INDEX its index; lanes are numbered through the
// repeats, whatever their strides. Operand 2 takes pairs of value and index in its repeat, one per
// repeat, extra[1] elements in all.
extern const Row kReduceMaxRow;
extern const Row kReduceMinRow;

// Sums each `per_group` (2 to 128, a power of two) consecutive elements.
using SumFunction = void (*)(const void* src, uint64_t groups, uint32_t per_group, void* sums);
SumFunction SimdSumFloat();
SumFunction SimdSumHalf();

// The index in its group of the largest or smallest of each `per_group` (8 to 128, a power of two,
// 16 at least for half) consecutive elements.
using ExtremeFunction = void (*)(const void* src, uint64_t groups, uint32_t per_group, bool largest,
                                 uint32_t* indices);
ExtremeFunction SimdExtremeFloat();
ExtremeFunction SimdExtremeHalf();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_REDUCE_H_
