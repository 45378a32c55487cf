// What vector instructions mean by params.vector: the numbers of `mode` and `flags`, and the use of
// `extra`. C and C++17, append-only.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_VECTOR_H_
#define BASCULE_ABI_VECTOR_H_

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

#endif  // BASCULE_ABI_VECTOR_H_
