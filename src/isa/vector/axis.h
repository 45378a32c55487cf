// Reductions of one axis of a matrix, cumulative sums, and ReduceXorSum.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_AXIS_H_
#define BASCULE_ISA_VECTOR_AXIS_H_

#include "isa/row.h"

namespace bascule::isa {

// A sum or mean of every row. Neighbours are added, as ReduceRepeat does it, and rounded to the
// element type at every node; then the sums of the repeats in the same way. Operands: destination,
// source, temporary space.
extern const Row kSumRow;
extern const Row kMeanRow;

// A sum, extreme, mean, product, "any" or "all" of every row or of every column. Sums and products
// join neighbouring halves; the larger or smaller of two is that of Max and Min: NaN wins. Operands
// as above.
extern const Row kReduceSumOfAxisRow;
extern const Row kReduceMaxOfAxisRow;
extern const Row kReduceMinOfAxisRow;
extern const Row kReduceMeanRow;
extern const Row kReduceProdRow;
extern const Row kReduceAnyRow;
extern const Row kReduceAllRow;

// One element: the sum of the differing bits' numbers, as near as an int16_t comes. Operands:
// destination, two sources, temporary space.
extern const Row kReduceXorSumRow;

// Every row or column plus all before it, each sum rounded. Operands: destination, the last row of
// it (with BASCULE_CUMSUM_LAST_ROW), source, temporary space.
extern const Row kCumSumRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_AXIS_H_
