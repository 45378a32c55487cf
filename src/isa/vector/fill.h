// Instructions that fill and that copy within the unified buffer: the rows and, for fill.cpp, the
// SIMD forms. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_FILL_H_
#define BASCULE_ISA_VECTOR_FILL_H_

#include "isa/row.h"

namespace bascule::isa {

// The scalar in every selected lane.
extern const Row kDuplicateRow;

// The scalar in `count` elements of global memory; accumulates like every store to it. Pipe: MTE3.
extern const Row kFillRow;

// Lane i of repeat r holds scalar + r · lanes + i. The numbers go on over repeats, selected or not.
extern const Row kCreateVecIndexRow;

// scalar + i · difference for `count` elements; extra[0] holds the bits of the difference. Three
// sums, each rounded: the first 8 elements, which of the eights, which of the sixty-fours.
extern const Row kArangeRow;

// Each of the 8 source elements of a repeat fills a datablock. Sources follow one another without a
// gap.
extern const Row kBrcbRow;

// Selected lanes, unchanged. In counter mode the mask counts the lanes of each repeat, however many
// datablocks they fill, and `count` repeats are made.
extern const Row kCopyRow;

FlatFunction SimdFill16();
FlatFunction SimdFill32();

// Writes T(first + start + i); `first` holds bits.
using IndexFunction = void (*)(void* dst, uint64_t first, uint64_t start, uint64_t count);
IndexFunction SimdIndexFloat();
IndexFunction SimdIndexHalf();
IndexFunction SimdIndexInt16();
IndexFunction SimdIndexInt32();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_FILL_H_
