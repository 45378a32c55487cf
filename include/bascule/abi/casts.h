// The pairs of element types that Cast converts on Atlas A2, with the rounding modes of each:
//
//   X(source, its number, destination, its number, modes)
//
// in the order in which a search should meet them. Source: the tables of 类型转换/Cast.md of the
// Ascend C documentation; half to int32_t takes CAST_NONE as well, which the page's example
// describes. What values beyond the destination, infinities and NaN become is said in
// bascule/numeric/convert.h.
//
// The runtime makes its conversions from this list, and the kernel headers refuse what is not in
// it. Preprocessor only. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_CASTS_H_
#define BASCULE_ABI_CASTS_H_

// Modes as bits by their number: NONE is 1, RINT 2, FLOOR 4, CEIL 8, ROUND 16, TRUNC 32, ODD 64.
#define BASCULE_CAST_EXACT 0x01
#define BASCULE_CAST_ROUNDED 0x3e
#define BASCULE_CAST_ROUNDED_OR_NONE 0x3f
#define BASCULE_CAST_ANY 0x7f

// clang-format off
#define BASCULE_CASTS(X)                                                                  \
  X(Half, BASCULE_FLOAT16, Float, BASCULE_FLOAT, BASCULE_CAST_EXACT)                      \
  X(Float, BASCULE_FLOAT, Half, BASCULE_FLOAT16, BASCULE_CAST_ANY)                        \
  X(Bfloat, BASCULE_BFLOAT16, Float, BASCULE_FLOAT, BASCULE_CAST_EXACT)                   \
  X(Float, BASCULE_FLOAT, Bfloat, BASCULE_BFLOAT16, BASCULE_CAST_ROUNDED)                 \
  X(Int32, BASCULE_INT32, Float, BASCULE_FLOAT, BASCULE_CAST_ROUNDED_OR_NONE)             \
  X(Float, BASCULE_FLOAT, Int32, BASCULE_INT32, BASCULE_CAST_ROUNDED)                     \
  X(Half, BASCULE_FLOAT16, Int32, BASCULE_INT32, BASCULE_CAST_ROUNDED_OR_NONE)            \
  X(Int32, BASCULE_INT32, Half, BASCULE_FLOAT16, BASCULE_CAST_ANY)                        \
  X(Half, BASCULE_FLOAT16, Int8, BASCULE_INT8, BASCULE_CAST_ROUNDED_OR_NONE)              \
  X(Int8, BASCULE_INT8, Half, BASCULE_FLOAT16, BASCULE_CAST_EXACT)                        \
  X(Half, BASCULE_FLOAT16, UInt8, BASCULE_UINT8, BASCULE_CAST_ROUNDED_OR_NONE)            \
  X(UInt8, BASCULE_UINT8, Half, BASCULE_FLOAT16, BASCULE_CAST_EXACT)                      \
  X(Int16, BASCULE_INT16, Half, BASCULE_FLOAT16, BASCULE_CAST_ROUNDED_OR_NONE)            \
  X(Half, BASCULE_FLOAT16, Int16, BASCULE_INT16, BASCULE_CAST_ROUNDED)                    \
  X(Int16, BASCULE_INT16, Float, BASCULE_FLOAT, BASCULE_CAST_EXACT)                       \
  X(Float, BASCULE_FLOAT, Int16, BASCULE_INT16, BASCULE_CAST_ROUNDED)                     \
  X(Int32, BASCULE_INT32, Int16, BASCULE_INT16, BASCULE_CAST_EXACT)                       \
  X(Int32, BASCULE_INT32, Int64, BASCULE_INT64, BASCULE_CAST_EXACT)                       \
  X(Int64, BASCULE_INT64, Int32, BASCULE_INT32, BASCULE_CAST_EXACT)                       \
  X(Float, BASCULE_FLOAT, Float, BASCULE_FLOAT, BASCULE_CAST_ROUNDED)                     \
  X(Bfloat, BASCULE_BFLOAT16, Int32, BASCULE_INT32, BASCULE_CAST_ROUNDED)                 \
  X(Float, BASCULE_FLOAT, Int64, BASCULE_INT64, BASCULE_CAST_ROUNDED)                     \
  X(Int64, BASCULE_INT64, Float, BASCULE_FLOAT, BASCULE_CAST_ROUNDED)                     \
  X(Half, BASCULE_FLOAT16, Int4, BASCULE_INT4, BASCULE_CAST_ROUNDED_OR_NONE)              \
  X(Int4, BASCULE_INT4, Half, BASCULE_FLOAT16, BASCULE_CAST_EXACT)
// clang-format on

#endif  // BASCULE_ABI_CASTS_H_
