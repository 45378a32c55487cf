// What instructions of the cube unit take beside their operands, in BasculeVectorParams.
//
// A fractal has 512 bytes: 16 rows of one datablock. L0A holds a matrix A of m x k as fractals of
// 16 rows, row of fractals by row of fractals; L0B holds B of k x n as fractals of 16 columns, each
// column a datablock of elements along k, likewise; L0C holds C of m x n as strips 16 columns wide,
// rows within a strip follow each other (NZ). C and CPP constants only.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_CUBE_H_
#define BASCULE_ABI_CUBE_H_

enum { BASCULE_FRACTAL_BYTES = 512, BASCULE_FRACTAL_ROWS = 16 };

// LoadData and LoadDataWithTranspose, extra: how many pieces, from piece to piece in the source, in
// pieces, and in the destination, in fractals. A piece is a fractal; with LoadDataWithTranspose a
// square of elements, which consists of 4, 2, 1 or 2 fractals for 4, 8, 16 and 32 bits and whose
// fractals lie a distance apart in the destination.
enum {
  BASCULE_LOAD_PIECES = 0,
  BASCULE_LOAD_FROM_STRIDE = 1,
  BASCULE_LOAD_TO_STRIDE = 2,
  BASCULE_LOAD_TO_FRACTAL_STRIDE = 3
};
// flags
enum {
  BASCULE_LOAD_TRANSPOSE = 1,  // each fractal of 16 x 16
  BASCULE_LOAD_BACKWARDS = 2   // the source begins with its last piece
};

// LoadData of an image, extra, from the low bits on: height, width and channels, 16 bits each;
// padding left, right, top and bottom and the window's steps along width and height, 8 bits each;
// the window's width and height, 16 bits, and their dilations, 8 bits each; of the matrix' part
// columns, rows, first column and first row, 16 bits each. The scalar holds what padding is.
// BASCULE_LOAD_TRANSPOSE: A is turned.
enum {
  BASCULE_IMAGE_SIZE = 0,
  BASCULE_IMAGE_PAD_AND_STRIDE = 1,
  BASCULE_IMAGE_FILTER = 2,
  BASCULE_IMAGE_PART = 3
};

// Mmad, extra: sizes of the product. mode: where C starts from. flags.
enum { BASCULE_MMAD_M = 0, BASCULE_MMAD_N = 1, BASCULE_MMAD_K = 2 };
enum { BASCULE_MMAD_FROM_ZERO = 0, BASCULE_MMAD_FROM_C = 1, BASCULE_MMAD_FROM_BIAS = 2 };
enum {
  BASCULE_MMAD_ALIGN_K = 1  // float: operands have an even number of fractals along k
};

// Fixpipe, extra: columns and rows; from strip to strip in the source, in rows of 16 elements; in
// the destination from row to row in elements (ROWS), else from strip to strip in datablocks. The
// scalar holds the word of a quantisation by one number; operand 2 those of one by column. mode:
// what becomes of the elements.
enum {
  BASCULE_FIXPIPE_N = 0,
  BASCULE_FIXPIPE_M = 1,
  BASCULE_FIXPIPE_FROM_STRIDE = 2,
  BASCULE_FIXPIPE_TO_STRIDE = 3
};
enum {
  BASCULE_FIXPIPE_AS_IS = 0,
  BASCULE_FIXPIPE_CAST = 1,   // float to half or bfloat16
  BASCULE_FIXPIPE_SCALE = 2,  // by the scalar's word
  BASCULE_FIXPIPE_SCALE_BY_COLUMN = 3
};
// flags
enum {
  BASCULE_FIXPIPE_ROWS = 1,  // rows and no strips
  BASCULE_FIXPIPE_RELU = 2,  // what is less than 0 becomes 0
  BASCULE_FIXPIPE_SPLIT = 4  // strips of float are 8 columns wide
};
// A word: a float in bits 0 to 31, of which 10 digits behind the point count, and
enum {
  BASCULE_FIXPIPE_SHIFT = 32,   // 4 bits: one less than how far int32 moves right
  BASCULE_FIXPIPE_SHIFTS = 36,  // whether it does
  BASCULE_FIXPIPE_OFFSET = 37,  // 9 bits, signed
  BASCULE_FIXPIPE_SIGNED = 46   // whether 8 bits have a sign
};

#endif  // BASCULE_ABI_CUBE_H_
