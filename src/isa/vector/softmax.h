// Softmax over the rows of a matrix and what belongs to it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_SOFTMAX_H_
#define BASCULE_ISA_VECTOR_SOFTMAX_H_

#include "isa/row.h"

namespace bascule::isa {

// dst, sum, max, src. Sum and largest element of a row are over its data; every element, padding
// too, gets a result. Results of padding mean nothing.
extern const Row kSoftMaxRow;
extern const Row kLogSoftMaxRow;     // the decimal logarithm of SoftMax
extern const Row kSimpleSoftMaxRow;  // sum and max are given
// dst, sum, max, src, exp_max, in_sum, in_max, row_max (V2). With BASCULE_ROWS_UPDATE the sum and
// the largest element of what came before take part.
extern const Row kSoftmaxFlashRow;
extern const Row kSoftmaxFlashV2Row;
// dst, mean, sum, max, src, exp_max, in_mean, in_sum, in_max; extra[1] holds loopCnt in its high
// half, extra[2] alpha.
extern const Row kSoftmaxFlashV3Row;
extern const Row kSoftmaxGradRow;       // dst, grad, src: (grad - sum(grad src)) src
extern const Row kSoftmaxGradFrontRow;  // dst, grad, src: sum(grad src), a value a row
// res, max: rows of res whose value in max has the bits extra[2] become the scalar;
// extra[BASCULE_EXTRA_RESULT] is the address of a uint32_t: whether there was one.
extern const Row kAdjustSoftMaxResRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_SOFTMAX_H_
