// Temporary space of the mathematical functions.
// Source: the GetXxxMaxMinTmpSize and GetXxxTmpBufferFactorSize pages of the mathematics chapter.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_MATH_MATH_TILING_H_
#define BASCULE_ASCENDC_TILING_MATH_MATH_TILING_H_

#include "tiling/platform/platform_ascendc.h"
#include "tiling/tmp_size.h"

namespace AscendC {

// Functions of one shape. Every line makes
//     GetXxxMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue)
//     GetXxxTmpBufferFactorSize(typeSize, maxLiveNodeCount, extraBuf)
// and those of the second list take the platform before that.
// clang-format off
#define BASCULE_TMP_SIZE_FUNCTIONS(F)                                                        \
  F(Acos) F(Acosh) F(Asin) F(Asinh) F(Atan) F(Atanh) F(Axpy) F(Ceil) F(Clamp) F(Cos) F(Cosh) \
  F(Digamma) F(Erf) F(Erfc) F(Floor) F(Fmod) F(Frac) F(Hypot) F(Lgamma) F(Log) F(Log2)       \
  F(Log10) F(Round) F(Sign) F(Sin) F(Sinh) F(Tan) F(Tanh) F(Trunc) F(Xor)
#define BASCULE_TMP_SIZE_FUNCTIONS_OF_PLATFORM(F)                                            \
  F(BitwiseAnd) F(BitwiseNot) F(BitwiseOr) F(BitwiseXor) F(Fma) F(IsFinite) F(IsInf)         \
  F(IsNan) F(LogicalAnd) F(LogicalAnds) F(LogicalNot) F(LogicalOr) F(LogicalOrs)             \
  F(LogicalXor) F(Rint) F(Round) F(SinCos) F(Where)
// clang-format on

#define BASCULE_TMP_SIZE(name)                                                                  \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(const TensorShape& srcShape,              \
                                                      const uint32_t typeSize, const bool,      \
                                                      uint32_t& maxValue, uint32_t& minValue) { \
    bascule_host::MaxMinTmpBytes("Get" #name "MaxMinTmpSize", srcShape, typeSize, &maxValue,    \
                                 &minValue);                                                    \
  }                                                                                             \
  BASCULE_HIDDEN inline void Get##name##TmpBufferFactorSize(                                    \
      const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {                \
    bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuf);                            \
  }
BASCULE_TMP_SIZE_FUNCTIONS(BASCULE_TMP_SIZE)
#undef BASCULE_TMP_SIZE

#define BASCULE_TMP_SIZE(name)                                                               \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(                                       \
      const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,                 \
      const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {         \
    bascule_host::MaxMinTmpBytes("Get" #name "MaxMinTmpSize", srcShape, typeSize, &maxValue, \
                                 &minValue);                                                 \
  }                                                                                          \
  BASCULE_HIDDEN inline void Get##name##TmpBufferFactorSize(                                 \
      const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,                     \
      uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {                                      \
    bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuf);                         \
  }
BASCULE_TMP_SIZE_FUNCTIONS_OF_PLATFORM(BASCULE_TMP_SIZE)
#undef BASCULE_TMP_SIZE

// Exp says whether it could tell.
BASCULE_HIDDEN inline bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                               const bool, uint32_t& maxValue, uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetExpMaxMinTmpSize", srcShape, typeSize, &maxValue, &minValue);
  return true;
}
BASCULE_HIDDEN inline void GetExpTmpBufferFactorSize(const uint32_t typeSize,
                                                     uint32_t& maxLiveNodeCount,
                                                     uint32_t& extraBuffer) {
  bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuffer);
}

BASCULE_HIDDEN inline void GetSinMaxMinTmpSize(const SinConfig&, const TensorShape& srcShape,
                                               const uint32_t typeSize, const bool isReuseSource,
                                               uint32_t& maxValue, uint32_t& minValue) {
  GetSinMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
BASCULE_HIDDEN inline void GetSinTmpBufferFactorSize(const SinConfig&, const uint32_t typeSize,
                                                     uint32_t& maxLiveNodeCount,
                                                     uint32_t& extraBuf) {
  bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuf);
}
BASCULE_HIDDEN inline void GetCosMaxMinTmpSize(const CosConfig&, const TensorShape& srcShape,
                                               const uint32_t typeSize, const bool isReuseSource,
                                               uint32_t& maxValue, uint32_t& minValue) {
  GetCosMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
BASCULE_HIDDEN inline void GetCosTmpBufferFactorSize(const CosConfig&, const uint32_t typeSize,
                                                     uint32_t& maxLiveNodeCount,
                                                     uint32_t& extraBuf) {
  bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuf);
}

// The shape of the result is that of the larger operand: the other may be a scalar.
BASCULE_HIDDEN inline void GetPowerMaxMinTmpSize(const TensorShape& srcShape1,
                                                 const TensorShape& srcShape2, const bool,
                                                 const uint32_t typeSize, const bool,
                                                 uint32_t& maxValue, uint32_t& minValue) {
  const bool first = bascule_host::Elements("GetPowerMaxMinTmpSize", srcShape1) >=
                     bascule_host::Elements("GetPowerMaxMinTmpSize", srcShape2);
  bascule_host::MaxMinTmpBytes("GetPowerMaxMinTmpSize", first ? srcShape1 : srcShape2, typeSize,
                               &maxValue, &minValue);
}
BASCULE_HIDDEN inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool,
                                                       const uint32_t typeSize,
                                                       uint32_t& maxLiveNodeCount,
                                                       uint32_t& extraBuffer) {
  bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuffer);
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_MATH_MATH_TILING_H_
