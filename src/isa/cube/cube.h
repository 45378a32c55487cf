// The cube unit: fractals into its operands' memories, the product, and its result out.
//
// Source: the pages under "matrix computation (ISASI)" of the SIMD API documentation. Parameters:
// bascule/abi/cube.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_CUBE_CUBE_H_
#define BASCULE_ISA_CUBE_CUBE_H_

#include "isa/row.h"

namespace bascule::isa {

// Fractals from L1 or global memory to L0A, L0B or L1, each as it is or turned. Pipe: MTE1, MTE2
// from global memory.
extern const Row kLoadDataRow;
// Squares of elements from L1 to L0A or L0B, turned. Pipe: MTE1.
extern const Row kLoadDataWithTransposeRow;

// A part of the matrix that an image in L1 (channel block by channel block, rows of pixels) makes
// when a window moves over it: a row for each position, a column for each point of the window, in
// every channel block. To L0A as it is or turned, to L0B turned, so that rows run along k. Pipe:
// MTE1.
extern const Row kLoadDataImageRow;

// One number in blocks of L1, L0A or L0B. Pipe: MTE1, MTE2 in L1.
extern const Row kInitConstRow;
// A bias of half, which becomes float, from L1 to the bias table. Pipe: MTE1.
extern const Row kCopyBiasRow;
// Fractals of which two of every four elements along k are there to L0B, and their index to where
// the product of sparse matrices looks for it. Pipe: MTE1.
extern const Row kLoadDataSparseRow;

// C = A B, or C += A B, or C = bias + A B. half, bfloat16 and float are summed in float, in the
// order of k, every product entering its sum unrounded, of float on demand after it was rounded to
// 11 digits behind the point; int8 and int4 in int32, which saturates.
// Only the m x n elements of C are written. With m = 1, A is one row of k elements. Pipe: M.
extern const Row kMmadRow;

// C from L0C to global memory or L1, cast or quantised on the way. Pipe: FIX. Accumulates like
// every store to global memory.
extern const Row kFixpipeRow;

}  // namespace bascule::isa

#endif  // BASCULE_ISA_CUBE_CUBE_H_
