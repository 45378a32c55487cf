// Normalisation of the rows, columns and groups of a matrix, and its gradients.
//
// Mean and variance are those of the data of a row, computed in float: the sum of all elements over
// their number, then the sum of the squares of what they are away from it. All targets give the
// same bits. Epsilon is the first float of extra[2].
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_NORM_H_
#define BASCULE_ISA_VECTOR_NORM_H_

#include "isa/row.h"

namespace bascule::isa {

// dst, mean, variance, src, gamma, beta; with BASCULE_ROWS_RSTD 1 / root(variance + epsilon) in the
// place of the variance.
extern const Row kLayerNormRow;
// dst, mean, variance, src, gx, beta, gamma: LayerNorm of alpha src + gx; alpha is the second
// float.
extern const Row kDeepNormRow;
extern const Row kRmsNormRow;  // dst, src, gamma: src / root(mean of squares + epsilon) gamma
// dst, rstd, mean, variance, src, gamma, beta: with mean and variance given.
extern const Row kNormalizeRow;
// dx, res, dy, src, variance, mean, gamma; res is (src - mean) rstd.
extern const Row kLayerNormGradRow;
extern const Row kLayerNormGradBetaRow;  // dgamma, dbeta, res, dy: sums over the rows
// dst, mean, variance, src, gamma, beta: over the rows of each column; gamma and beta by row.
extern const Row kBatchNormRow;
// dst, mean, variance, src, gamma, beta: a row is a group of channels, extra[1] holds the number of
// channels in its high half, the scalar the elements of a channel and, in its high half, the number
// of groups.
extern const Row kGroupNormRow;
// mean, m, in_mean, in_m, src: one step of Welford's method on one row; the first float is 1 over
// the number of steps.
extern const Row kWelfordUpdateRow;
// mean, variance, in_mean, in_m, counts: the columns of Welford's method brought together. The
// floats are 1 over the columns and 1 over all elements, extra[1] holds the steps in its high half.
// Without counts the scalar holds the counts of the first extra[3] columns and, in its high half,
// of the others; that 0: all have as many.
extern const Row kWelfordFinalizeRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_NORM_H_
