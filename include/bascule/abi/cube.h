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
// BASCULE_LOAD_TRANSPOSE: A is turned. In the high 16 bits of the first three words: how far parts
// lie from another, in 16 rows or in datablocks of columns; how many parts there are beside the
// first and, 8 bits further, whether they follow along the columns; with a mode that is not 0,
// which datablock of L1 the image begins with. The mode is the bytes of L1 behind which reading
// goes on with its begin, which is the source's address then.
enum {
  BASCULE_IMAGE_SIZE = 0,
  BASCULE_IMAGE_PAD_AND_STRIDE = 1,
  BASCULE_IMAGE_FILTER = 2,
  BASCULE_IMAGE_PART = 3
};
enum { BASCULE_IMAGE_HIGH = 48 };  // first of those 16 bits

// Fill of L1, L0A or L0B, extra: how often, how many blocks each time, and blocks between. A block
// is a datablock in L1, else a fractal. The scalar holds the bits of an element.
enum { BASCULE_INIT_REPEATS = 0, BASCULE_INIT_BLOCKS = 1, BASCULE_INIT_GAP = 2 };

// LoadDataWithSparse, extra: fractals, and the address of the first's index in BasculeCore's
// sparse_index, which the third operand is copied to. A fractal's index has 128 bytes, 2 bits for
// each element.
enum { BASCULE_SPARSE_INDEX_BYTES = 128 };
enum { BASCULE_SPARSE_PIECES = 0, BASCULE_SPARSE_INDEX = 3 };

// DataCopy to the bias table, converting, extra: blocks, elements of each, bytes from a block's end
// to the next in source and destination.
enum {
  BASCULE_BIAS_BLOCKS = 0,
  BASCULE_BIAS_ELEMENTS = 1,
  BASCULE_BIAS_FROM_GAP = 2,
  BASCULE_BIAS_TO_GAP = 3
};

// Mmad, extra: sizes of the product, and of a sparse one the address of B's index. mode: where C
// starts from. flags.
enum { BASCULE_MMAD_M = 0, BASCULE_MMAD_N = 1, BASCULE_MMAD_K = 2 };
enum { BASCULE_MMAD_FROM_ZERO = 0, BASCULE_MMAD_FROM_C = 1, BASCULE_MMAD_FROM_BIAS = 2 };
enum {
  BASCULE_MMAD_ALIGN_K = 1,    // float: operands have an even number of fractals along k
  BASCULE_MMAD_HF32 = 2,       // float: factors are rounded to 11 digits behind the point …
  BASCULE_MMAD_HF32_ZERO = 4,  // … of two that are as near to the one nearer to 0, else to the even
  BASCULE_MMAD_SPARSE = 8      // int8: B has two of every four elements along k, and an index which
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
