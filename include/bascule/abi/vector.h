// What vector instructions mean by params.vector: the numbers of `mode` and `flags`, and the use of
// `extra`. C and C++17, append-only.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_VECTOR_H_
#define BASCULE_ABI_VECTOR_H_

#include "bascule/abi/types.h"

// Compare, Compares: mode. In the order of CMPMODE.
enum {
  BASCULE_COMPARE_LT = 0,
  BASCULE_COMPARE_GT,
  BASCULE_COMPARE_EQ,
  BASCULE_COMPARE_LE,
  BASCULE_COMPARE_GE,
  BASCULE_COMPARE_NE,
  BASCULE_COMPARE_COUNT
};

// Select: mode, in the order of SELMODE.
enum {
  BASCULE_SELECT_REPEATED_BITS = 0,  // every repeat uses the same bits
  BASCULE_SELECT_SCALAR,             // bits go on over repeats; the second source is the scalar
  BASCULE_SELECT_TENSOR              // bits go on over repeats
};
// Select: flags. The bits come from two words at extra[0] and extra[1], not from operand 3.
enum { BASCULE_SELECT_REGISTER = 1 };

// GatherMask: mode. 1 to 7 are the fixed patterns; extra[BASCULE_EXTRA_RESULT] is where the number
// of elements taken goes.
enum { BASCULE_GATHER_MASK_BITS = 0, BASCULE_GATHER_MASK_LAST_PATTERN = 7 };

// ReduceRepeat, ReduceDataBlock, ReducePairElem: mode. extra[0] is the stride of the destination
// between repeats in bytes; extra[BASCULE_EXTRA_RESULT], where not 0, the address of
// BasculeRegisters.
enum { BASCULE_REDUCE_SUM = 0, BASCULE_REDUCE_MAX, BASCULE_REDUCE_MIN, BASCULE_REDUCE_COUNT };
// ReduceRepeat: flags, in the order of ReduceOrder. An index is stored as an integer of the
// element's width; alone it has 32 bits.
enum {
  BASCULE_ORDER_VALUE_INDEX = 0,
  BASCULE_ORDER_INDEX_VALUE,
  BASCULE_ORDER_ONLY_VALUE,
  BASCULE_ORDER_ONLY_INDEX,
  BASCULE_ORDER_COUNT
};
// ReduceMax, ReduceMin: flags.
enum { BASCULE_REDUCE_WITH_INDEX = 1 };

// Gather, Gatherb: extra[0] is the address of the source's element 0 relative to operand 1 in bytes
// (Gather only), extra[1] the bytes the source tensor has, 0 where that is not known.

// MrgSort: mode is the bits of the queues that take part; the scalar holds their lengths in
// records, 16 bits each; extra[0] and extra[1] hold where they begin relative to operand 1 in
// bytes, 32 bits each; extra[BASCULE_EXTRA_RESULT] is where the records taken of each go, 16 bits
// each. flags:
enum { BASCULE_MERGE_STOP_AT_END = 1 };  // when a queue has been used up

// Transpose: mode; extra[0] holds N, C, H and W, 16 bits each from the lowest.
enum {
  BASCULE_TRANSPOSE_16X16 = 0,
  BASCULE_TRANSPOSE_NCHW_TO_NHWC,
  BASCULE_TRANSPOSE_NHWC_TO_NCHW
};

// TransDataTo5HD: extra[0] is the address of 16 addresses of the destination followed by 16 of the
// source; operands 0 and 1 begin at the lowest of theirs. flags: which half of a datablock of 8-bit
// elements.
enum { BASCULE_5HD_DST_HIGH_HALF = 1, BASCULE_5HD_SRC_HIGH_HALF = 2 };

// Nd2Nz, Nz2Nd: one matrix. The scalar is the distance of rows on the side that has rows, in
// elements; extra holds the following. The strips of Nd2Nz are 32 bytes wide and its strides in
// datablocks; those of Nz2Nd are 16 elements wide, rows within one follow each other, and its
// stride is in units of 16 elements.
enum {
  BASCULE_ND2NZ_ROWS = 0,
  BASCULE_ND2NZ_COLUMNS = 1,
  BASCULE_ND2NZ_STRIP_STRIDE = 2,
  BASCULE_ND2NZ_ROW_STRIDE = 3
};
enum { BASCULE_NZ2ND_ROWS = 0, BASCULE_NZ2ND_COLUMNS = 1, BASCULE_NZ2ND_STRIP_STRIDE = 2 };

// CastDequant: the scalar holds what SetDeqScale(float, int16_t, bool) has set: a float in bits 0
// to 31, of which 10 digits behind the point count, a signed offset in bits 37 to 45, and in bit 46
// whether the result has a sign. flags:
enum {
  BASCULE_DEQUANT_VECTOR = 1,     // instead, operand 2 holds 16 such words for lanes 0 to 15
  BASCULE_DEQUANT_HIGH_HALF = 2,  // results go to bytes 16 to 31 of a datablock, not 0 to 15
  BASCULE_DEQUANT_OFFSET_BIT = 37,
  BASCULE_DEQUANT_SIGN_BIT = 46
};

// Functions on the rows of a matrix, SoftMax to WelfordFinalize: extra[0] holds the rows in its low
// and the columns in its high half, as they lie in memory; extra[1] in its low half the columns
// that are data, the others being padding, and in its high half another number of the function;
// extra[2] two floats, the low half first. mode:
enum {
  BASCULE_ROWS_NZ = 1,       // matrices lie as blocks of 16 columns, one behind the other
  BASCULE_ROWS_COMPACT = 2,  // a value of a row is one element, not a datablock of equal ones
  BASCULE_ROWS_UPDATE = 4,   // what came before takes part
  BASCULE_ROWS_RSTD = 8,     // 1 / root(variance + epsilon) comes out in the place of the variance
  BASCULE_ROWS_NO_GAMMA = 16,
  BASCULE_ROWS_NO_BETA = 32,
  BASCULE_ROWS_IN_PLACE = 64  // elements behind the data are those of the source
};

// The calls of the library below have one form (BASCULE_FORM_COUNT with a count of 1), and a last
// operand that stands for the temporary space: extra[2] bytes, of which nothing is read; 0: the
// caller gave none. Two numbers in one word stand for 32 bits each, the first from the lowest.

// Sum, Mean, Reduce… of an axis: extra[0] holds rows and columns of the source, extra[1] the
// elements from one row to the next. mode:
enum {
  BASCULE_REDUCE_LAST_AXIS = 0,  // a result for every row
  BASCULE_REDUCE_FIRST_AXIS      // a result for every column
};
// Mean: flags. The mean of halves is computed in float.
enum { BASCULE_MEAN_IN_FLOAT = 1 };

// ReduceXorSum: the count is that of the elements.

// CumSum: extra[0] holds rows and columns; the columns follow one another without a gap. flags:
enum { BASCULE_CUMSUM_ALONG_ROWS = 1, BASCULE_CUMSUM_LAST_ROW = 2 };

// Broadcast: extra[0] is the address of a BasculeBroadcast.
#define BASCULE_MAX_AXES 9
typedef struct BasculeBroadcast {
  uint32_t axes;
  uint32_t dst_shape[BASCULE_MAX_AXES];
  uint32_t src_shape[BASCULE_MAX_AXES];  // equal to that of the destination, or 1
} BasculeBroadcast;

// Transpose with tiling: mode is the number of a TransposeType; extra[0] holds B and N, extra[1] S
// and H / N. For two or three axes of ND (types 7, 13 to 15) they are the sizes of the source from
// the first axis on, the first of them 1 for two axes.

// TransData: mode. extra[0] holds N and C, extra[1] D and H, extra[3] W.
enum {
  BASCULE_TRANSDATA_NCDHW_TO_NDC1HWC0 = 0,
  BASCULE_TRANSDATA_NDC1HWC0_TO_NCDHW,
  BASCULE_TRANSDATA_NCDHW_TO_FRACTAL_Z_3D,
  BASCULE_TRANSDATA_FRACTAL_Z_3D_TO_NCDHW,
  BASCULE_TRANSDATA_COUNT
};

// Pad, UnPad: extra[0] holds height and width of the source as it lies in memory, extra[1] the
// columns of it that are data and those to the left, extra[3] those to the right; the scalar is
// what the columns beside the data are filled with.

// Select with a mask of bytes, DropOut: extra[0] holds rows and columns of the source, extra[1] the
// elements of the mask from one row to the next. flags:
enum {
  BASCULE_SELECT_SCALAR_FIRST = 1,  // Select: a zero in the mask takes the scalar
  BASCULE_DROPOUT_BITS = 2          // DropOut: the mask has a bit for an element, not a byte
};

// TopK: extra[0] holds rows and columns of the source, extra[1] k and the elements from one row of
// values to the next, extra[3] those from one row of indices to the next. flags:
enum {
  BASCULE_TOPK_SMALLEST = 1,
  BASCULE_TOPK_INDEX_PER_ROW = 2  // operand 3 has an index for every element, not only for a row's
};
// TopK of finished rows: extra[0] holds rows and k, extra[1] the elements from one row of indices
// to the next and the index that rows get whose byte is not 0.

// AscendQuant: extra[0] holds the number of elements and of scales, which take turns; 0 scales: the
// scalar is one, in float. extra[1] is the offset as a float, unless operand 3 has one for every
// scale.

// AscendDequant: extra[0] holds rows and columns of the source, extra[1] the columns that are
// converted and the elements of the destination from one row to the next; the scalar is a float
// scale, unless operand 2 has one for every column.

// AscendAntiQuant: extra[0] holds rows and columns of the source. extra[1] holds rows and columns
// of the scales and offsets, 0 where the scalar is the one scale and extra[3] the one offset, both
// in float.

#endif  // BASCULE_ABI_VECTOR_H_
