// The elementary functions, one line each:
//
//   X(name, sources, types, forms, ulp, document)
//
// `types` is a group below. What a name computes stands twice: on one element, by the C library in
// double, in math.cpp (the reference), on vectors in math_simd.cpp. `ulp` bounds the distance of a
// float result from the exact one, over the whole range and on every CPU target; 0 is for functions
// that are exact. Results of half are rounded from float once and are at most one unit off. Special
// values are those of IEEE 754 and C; Round takes the even neighbour of a half, Sign makes 0 of
// NaN.
//
// The pages of Exp and Ln are under SIMD-API/基础API/Memory矢量计算 of the Ascend C documentation,
// those of the library, which are called with a count only, under SIMD-API.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_MATH_LIST_H_
#define BASCULE_ISA_VECTOR_MATH_LIST_H_

// clang-format off
#define BASCULE_MATHS(X)                                                                    \
  X(Exp, 1, RealTypes, kEveryForm, 1.1f, "基础算术/Exp.md")                                 \
  X(Ln, 1, RealTypes, kEveryForm, 0.9f, "基础算术/Ln.md")                                   \
  X(Log, 1, RealTypes, kCountForm, 0.9f, "高阶API/数学计算/Log接口/Log-79.md")              \
  X(Log2, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Log接口/Log-79.md")             \
  X(Log10, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Log接口/Log-79.md")            \
  X(Sin, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Sin接口/Sin.md")                 \
  X(Cos, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Cos接口/Cos.md")                 \
  X(Tan, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Tan接口/Tan.md")                 \
  X(Asin, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Asin接口/Asin.md")              \
  X(Acos, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Acos接口/Acos.md")              \
  X(Atan, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Atan接口/Atan.md")              \
  X(Sinh, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Sinh接口/Sinh.md")              \
  X(Cosh, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Cosh接口/Cosh.md")              \
  X(Tanh, 1, RealTypes, kCountForm, 2.8f, "高阶API/数学计算/Tanh接口/Tanh.md")              \
  X(Asinh, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Asinh接口/Asinh.md")           \
  X(Acosh, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Acosh接口/Acosh.md")           \
  X(Atanh, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Atanh接口/Atanh.md")           \
  X(Erf, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Erf接口/Erf.md")                 \
  X(Erfc, 1, RealTypes, kCountForm, 0.6f, "高阶API/数学计算/Erfc接口/Erfc.md")              \
  X(Power, 2, PowerTypes, kCountForm, 0.6f, "高阶API/数学计算/Power接口/Power.md")          \
  X(PowerOfTensor, 1, PowerTypes, kCountForm, 0.6f, "高阶API/数学计算/Power接口/Power.md")  \
  X(PowerOfScalar, 1, PowerTypes, kCountForm, 0.6f, "高阶API/数学计算/Power接口/Power.md")  \
  X(Floor, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Floor接口/Floor.md")              \
  X(Ceil, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Ceil接口/Ceil.md")                 \
  X(Trunc, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Trunc接口/Trunc.md")              \
  X(Round, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Round接口/Round.md")              \
  X(Frac, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Frac接口/Frac.md")                 \
  X(Sign, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Sign接口/Sign.md")                 \
  X(ClampMax, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Clamp接口/ClampMax.md")        \
  X(ClampMin, 1, RealTypes, kCountForm, 0, "高阶API/数学计算/Clamp接口/ClampMin.md")        \
  X(Sigmoid, 1, RealTypes, kCountForm, 2.5f, "高阶API/激活函数/Sigmoid接口/Sigmoid.md")     \
  X(Silu, 1, RealTypes, kCountForm, 0.6f, "高阶API/激活函数/Silu接口/Silu.md")              \
  X(Swish, 1, RealTypes, kCountForm, 0.6f, "高阶API/激活函数/Swish接口/Swish.md")           \
  X(Gelu, 1, RealTypes, kCountForm, 0.6f, "高阶API/激活函数/Gelu接口/Gelu.md")              \
  X(FasterGelu, 1, RealTypes, kCountForm, 0.6f, "高阶API/激活函数/Gelu接口/FasterGelu.md") \
  X(FasterGeluV2, 1, RealTypes, kCountForm, 0.6f, "高阶API/激活函数/Gelu接口/FasterGeluV2.md") \
  X(GeGLU, 2, RealTypes, kCountForm, 0.6f, "高阶API/激活函数/GeGLU接口/GeGLU.md")           \
  X(SwiGLU, 2, RealTypes, kCountForm, 0.6f, "高阶API/激活函数/SwiGLU接口/SwiGLU.md")        \
  X(ReGlu, 2, GateTypes, kCountForm, 0.5f, "高阶API/激活函数/ReGlu接口/ReGlu.md")

// Groups of element types: T(name, C++ type of the kernel, number, lane kind).
#define BASCULE_RealTypes(T, name)       \
  T(name, float, BASCULE_FLOAT, Float)   \
  T(name, half_t, BASCULE_FLOAT16, Half)
#define BASCULE_GateTypes(T, name)                \
  BASCULE_RealTypes(T, name)                      \
  T(name, bfloat16_t, BASCULE_BFLOAT16, Bfloat)
#define BASCULE_PowerTypes(T, name)      \
  BASCULE_RealTypes(T, name)             \
  T(name, int32_t, BASCULE_INT32, Int32)
// clang-format on

#endif  // BASCULE_ISA_VECTOR_MATH_LIST_H_
