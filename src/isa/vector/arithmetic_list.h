// The elementwise arithmetic instructions, one line each:
//
//   X(name, reads_dst, sources, types, document)
//
// `types` is one of the groups below. What a name computes is a function object of that name twice: on one
// element in arithmetic.cpp (the reference), on vectors in arithmetic_simd.cpp. half is computed in float and
// rounded once. The pages are under SIMD-API/基础API/Memory矢量计算 of the Ascend C documentation; special values
// are those of its page on boundary values, in the mode that keeps infinities and NaN.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_ARITHMETIC_LIST_H_
#define BASCULE_ISA_VECTOR_ARITHMETIC_LIST_H_

// clang-format off
#define BASCULE_ARITHMETIC(X)                         \
  X(Mul, false, 2, FloatTypes, "基础算术/Mul.md")

// Groups of element types: T(name, C++ type of the kernel, number, lane kind).
#define BASCULE_FloatTypes(T, name)  \
  T(name, float, BASCULE_FLOAT, Float)   \
  T(name, half_t, BASCULE_FLOAT16, Half)
// clang-format on

#endif  // BASCULE_ISA_VECTOR_ARITHMETIC_LIST_H_
