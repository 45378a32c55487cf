// The elementwise arithmetic instructions, one line each:
//
//   X(name, reads_dst, sources, types, document)
//
// `types` is one of the groups below. What a name computes is a function object of that name twice:
// on one element in arithmetic.cpp (the reference), on vectors in arithmetic_simd.cpp. half is
// computed in float and rounded once; so is everything where source and destination differ, and on
// its way to 8 bits it takes the nearest value there is, 0 for NaN. Sums of products round the
// product and then the sum. Integers wrap around. The pages are under
// SIMD-API/基础API/Memory矢量计算 of the Ascend C documentation; special values are those of its
// page on boundary values, in the mode that keeps infinities and NaN. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_ISA_VECTOR_ARITHMETIC_LIST_H_
#define BASCULE_ISA_VECTOR_ARITHMETIC_LIST_H_

// clang-format off
#define BASCULE_ARITHMETIC(X)                                      \
  X(Mul, false, 2, NumberTypes, "基础算术/Mul.md")                 \
  X(Add, false, 2, NumberTypes, "基础算术/Add.md")                 \
  X(Sub, false, 2, NumberTypes, "基础算术/Sub.md")                 \
  X(Div, false, 2, FloatTypes, "基础算术/Div.md")                  \
  X(Max, false, 2, NumberTypes, "基础算术/Max.md")                 \
  X(Min, false, 2, NumberTypes, "基础算术/Min.md")                 \
  X(And, false, 2, WordTypes, "逻辑计算/And.md")                   \
  X(Or, false, 2, WordTypes, "逻辑计算/Or.md")                     \
  X(Xor, false, 2, WordTypes, "高阶API/数学计算/Xor接口/Xor-82.md") \
  X(AddRelu, false, 2, NarrowTypes, "复合计算/AddRelu.md")         \
  X(SubRelu, false, 2, NarrowTypes, "复合计算/SubRelu.md")         \
  X(MulAddDst, true, 2, WideningTypes, "复合计算/MulAddDst.md")    \
  X(FusedMulAdd, true, 2, FloatTypes, "复合计算/FusedMulAdd.md")   \
  X(MulAddRelu, true, 2, FloatTypes, "复合计算/MulAddRelu.md")     \
  X(Adds, false, 1, NumberTypes, "基础算术/Adds.md")               \
  X(Muls, false, 1, NumberTypes, "基础算术/Muls.md")               \
  X(Maxs, false, 1, NumberTypes, "基础算术/Maxs.md")               \
  X(Mins, false, 1, NumberTypes, "基础算术/Mins.md")               \
  X(LeakyRelu, false, 1, FloatTypes, "基础算术/LeakyRelu.md")      \
  X(Axpy, true, 1, WideningTypes, "复合计算/Axpy.md")              \
  X(ShiftLeft, false, 1, ShiftTypes, "逻辑计算/ShiftLeft.md")      \
  X(ShiftRight, false, 1, ShiftTypes, "逻辑计算/ShiftRight.md")    \
  X(Abs, false, 1, FloatTypes, "基础算术/Abs.md")                  \
  X(Relu, false, 1, ReluTypes, "基础算术/Relu.md")                 \
  X(Sqrt, false, 1, FloatTypes, "基础算术/Sqrt.md")                \
  X(Rsqrt, false, 1, FloatTypes, "基础算术/Rsqrt.md")              \
  X(Reciprocal, false, 1, FloatTypes, "基础算术/Reciprocal.md")    \
  X(Not, false, 1, WordTypes, "逻辑计算/Not.md")                   \
  X(AddReluCast, false, 2, ReluCastTypes, "复合计算/AddReluCast.md") \
  X(SubReluCast, false, 2, ReluCastTypes, "复合计算/SubReluCast.md") \
  X(MulCast, false, 2, MulCastTypes, "复合计算/MulCast.md")        \
  X(ShiftRightRounded, false, 1, SignedTypes, "逻辑计算/ShiftRight.md")

// Groups of element types: T(name, C++ type and number of the destination, of the sources, lane
// kind).
#define BASCULE_Float(T, name) T(name, float, BASCULE_FLOAT, float, BASCULE_FLOAT, Float)
#define BASCULE_Half(T, name) T(name, half_t, BASCULE_FLOAT16, half_t, BASCULE_FLOAT16, Half)
#define BASCULE_Int16(T, name) T(name, int16_t, BASCULE_INT16, int16_t, BASCULE_INT16, Int16)
#define BASCULE_UInt16(T, name) T(name, uint16_t, BASCULE_UINT16, uint16_t, BASCULE_UINT16, UInt16)
#define BASCULE_Int32(T, name) T(name, int32_t, BASCULE_INT32, int32_t, BASCULE_INT32, Int32)
#define BASCULE_UInt32(T, name) T(name, uint32_t, BASCULE_UINT32, uint32_t, BASCULE_UINT32, UInt32)

#define BASCULE_FloatTypes(T, name) BASCULE_Float(T, name) BASCULE_Half(T, name)
#define BASCULE_NumberTypes(T, name) \
  BASCULE_FloatTypes(T, name) BASCULE_Int16(T, name) BASCULE_Int32(T, name)
#define BASCULE_NarrowTypes(T, name) BASCULE_FloatTypes(T, name) BASCULE_Int16(T, name)
#define BASCULE_ReluTypes(T, name) BASCULE_FloatTypes(T, name) BASCULE_Int32(T, name)
#define BASCULE_WordTypes(T, name) BASCULE_Int16(T, name) BASCULE_UInt16(T, name)
#define BASCULE_SignedTypes(T, name) BASCULE_Int16(T, name) BASCULE_Int32(T, name)
#define BASCULE_ShiftTypes(T, name) \
  BASCULE_WordTypes(T, name) BASCULE_Int32(T, name) BASCULE_UInt32(T, name)
#define BASCULE_WideningTypes(T, name) \
  BASCULE_FloatTypes(T, name)          \
  T(name, float, BASCULE_FLOAT, half_t, BASCULE_FLOAT16, HalfToFloat)
#define BASCULE_ReluCastTypes(T, name)                                 \
  T(name, int8_t, BASCULE_INT8, half_t, BASCULE_FLOAT16, HalfToInt8)   \
  T(name, int8_t, BASCULE_INT8, int16_t, BASCULE_INT16, Int16ToInt8)   \
  T(name, half_t, BASCULE_FLOAT16, float, BASCULE_FLOAT, FloatToHalf)
#define BASCULE_MulCastTypes(T, name)                                  \
  T(name, int8_t, BASCULE_INT8, half_t, BASCULE_FLOAT16, HalfToInt8)   \
  T(name, uint8_t, BASCULE_UINT8, half_t, BASCULE_FLOAT16, HalfToUInt8)
// clang-format on

#endif  // BASCULE_ISA_VECTOR_ARITHMETIC_LIST_H_
