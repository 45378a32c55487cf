// Elementary and activation functions of the library. What each computes, and how exactly, is its
// row in the runtime.
//
// Every function has the forms F(dst, src), F(dst, src, count), F(dst, src, tmp), F(dst, src, tmp,
// count); without a count the whole source is taken. Temporary space is neither needed nor touched
// here, so its size does not matter; nor does which algorithm a configuration names.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_MATH_H
#define BASCULE_ASCENDC_MATH_H

#include "bascule/abi/tiling.h"
#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

enum class AtanAlgo { TAYLOR_EXPANSION = 0, POLYNOMIAL_APPROXIMATION };
struct AtanConfig {
  AtanAlgo algo = AtanAlgo::TAYLOR_EXPANSION;
};
enum class TanhAlgo { INTRINSIC = 0, SUBSECTION_COMPENSATION };
struct TanhConfig {
  TanhAlgo algo = TanhAlgo::INTRINSIC;
};
enum class ErfAlgo { PADE_APPROXIMATION = 0, SUBSECTION_POLYNOMIAL_APPROXIMATION };
struct ErfConfig {
  ErfAlgo algo = ErfAlgo::PADE_APPROXIMATION;
};
enum class PowerAlgo { INTRINSIC = 0, DOUBLE_FLOAT_TECH };
struct PowerConfig {
  PowerAlgo algo = PowerAlgo::INTRINSIC;
};

BASCULE_ASCENDC_END

// Hidden, because libraries built with other versions of this header may be in the same process.
BASCULE_PRIVATE_BEGIN
BASCULE_ASCENDC_BEGIN
inline constexpr SinConfig defaultSinConfig{};
inline constexpr CosConfig defaultCosConfig{};
inline constexpr AtanConfig defaultAtanConfig{};
inline constexpr TanhConfig DEFAULT_TANH_CONFIG{};
inline constexpr ErfConfig defaultErfConfig{};
inline constexpr PowerConfig defaultPowerConfig{};
BASCULE_ASCENDC_END

namespace bascule_ascendc {

template <typename T>
VectorCall<T> MathCall(uint16_t opcode, const AscendC::LocalTensor<T>& dst,
                       const AscendC::LocalTensor<T>& src, const Site& site) {
  VectorCall<T> call(opcode, dst, site);
  call.Source(src);
  return call;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

#define BASCULE_UNPACK(...) __VA_ARGS__

// One function in its four forms. `parameters` is its parenthesised list of template parameters,
// `operands` are what stands between dst and the temporary space, `call` makes the instruction and
// `whole` counts the elements where no count is given.
#define BASCULE_LIBRARY_FORMS(name, parameters, operands, call, whole, ...)               \
  template <BASCULE_UNPACK parameters>                                                    \
  __aicore__ inline void name(const LocalTensor<T>& dst, BASCULE_UNPACK operands,         \
                              const LocalTensor<uint8_t>& /*sharedTmpBuffer*/,            \
                              const uint32_t calCount, bascule_ascendc::Site site = {}) { \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                 \
    call.Count(static_cast<int32_t>(calCount));                                           \
  }                                                                                       \
  template <BASCULE_UNPACK parameters>                                                    \
  __aicore__ inline void name(const LocalTensor<T>& dst, BASCULE_UNPACK operands,         \
                              const LocalTensor<uint8_t>& /*sharedTmpBuffer*/,            \
                              bascule_ascendc::Site site = {}) {                          \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                 \
    call.Count(static_cast<int32_t>(whole));                                              \
  }                                                                                       \
  template <BASCULE_UNPACK parameters>                                                    \
  __aicore__ inline void name(const LocalTensor<T>& dst, BASCULE_UNPACK operands,         \
                              const uint32_t calCount, bascule_ascendc::Site site = {}) { \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                 \
    call.Count(static_cast<int32_t>(calCount));                                           \
  }                                                                                       \
  template <BASCULE_UNPACK parameters>                                                    \
  __aicore__ inline void name(const LocalTensor<T>& dst, BASCULE_UNPACK operands,         \
                              bascule_ascendc::Site site = {}) {                          \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                 \
    call.Count(static_cast<int32_t>(whole));                                              \
  }

#define BASCULE_LIBRARY_UNARY(name, parameters)                                            \
  BASCULE_LIBRARY_FORMS(name, parameters, (const LocalTensor<T>& src),                     \
                        bascule_ascendc::MathCall(BASCULE_OPCODE_k##name, dst, src, site), \
                        src.GetSize(), half, float)
#define BASCULE_LIBRARY_PLAIN(name) \
  BASCULE_LIBRARY_UNARY(name, (typename T, bool isReuseSource = false))
#define BASCULE_LIBRARY_CONFIGURED(name, Config, initial) \
  BASCULE_LIBRARY_UNARY(name,                             \
                        (typename T, bool isReuseSource = false, const Config& config = initial))

BASCULE_LIBRARY_PLAIN(Log)
BASCULE_LIBRARY_PLAIN(Log2)
BASCULE_LIBRARY_PLAIN(Log10)
BASCULE_LIBRARY_CONFIGURED(Sin, SinConfig, defaultSinConfig)
BASCULE_LIBRARY_CONFIGURED(Cos, CosConfig, defaultCosConfig)
BASCULE_LIBRARY_PLAIN(Tan)
BASCULE_LIBRARY_PLAIN(Asin)
BASCULE_LIBRARY_PLAIN(Acos)
BASCULE_LIBRARY_CONFIGURED(Atan, AtanConfig, defaultAtanConfig)
BASCULE_LIBRARY_PLAIN(Sinh)
BASCULE_LIBRARY_PLAIN(Cosh)
BASCULE_LIBRARY_CONFIGURED(Tanh, TanhConfig, DEFAULT_TANH_CONFIG)
BASCULE_LIBRARY_PLAIN(Asinh)
BASCULE_LIBRARY_PLAIN(Acosh)
BASCULE_LIBRARY_PLAIN(Atanh)
BASCULE_LIBRARY_CONFIGURED(Erf, ErfConfig, defaultErfConfig)
BASCULE_LIBRARY_PLAIN(Erfc)
BASCULE_LIBRARY_PLAIN(Floor)
BASCULE_LIBRARY_PLAIN(Ceil)
BASCULE_LIBRARY_PLAIN(Trunc)
BASCULE_LIBRARY_PLAIN(Round)
BASCULE_LIBRARY_PLAIN(Frac)
BASCULE_LIBRARY_PLAIN(Sign)
BASCULE_LIBRARY_PLAIN(Sigmoid)
BASCULE_LIBRARY_PLAIN(Silu)
BASCULE_LIBRARY_UNARY(Gelu, (typename T, bool highPrecision = false, bool highPerformance = false))
BASCULE_LIBRARY_UNARY(FasterGelu,
                      (typename T, bool highPrecision = false, bool highPerformance = false))
BASCULE_LIBRARY_UNARY(FasterGeluV2,
                      (typename T, bool highPrecision = false, bool highPerformance = false))

// src0 · f(src1): f is Gelu, Swish with scalarValue, and Relu.
#define BASCULE_GATE_OPERANDS const LocalTensor<T>&src0, const LocalTensor<T>&src1
BASCULE_LIBRARY_FORMS(
    GeGLU, (typename T, bool isReuseSource = false), (BASCULE_GATE_OPERANDS),
    bascule_ascendc::MathCall(BASCULE_OPCODE_kGeGLU, dst, src0, site).Source(src1), src0.GetSize(),
    half, float)
BASCULE_LIBRARY_FORMS(SwiGLU, (typename T, bool isReuseSource = false),
                      (BASCULE_GATE_OPERANDS, const float& scalarValue),
                      bascule_ascendc::MathCall(BASCULE_OPCODE_kSwiGLU, dst, src0, site)
                          .Source(src1)
                          .Scalar(static_cast<T>(scalarValue)),
                      src0.GetSize(), half, float)
BASCULE_LIBRARY_FORMS(
    ReGlu, (typename T, bool isReuseSource = false), (BASCULE_GATE_OPERANDS),
    bascule_ascendc::MathCall(BASCULE_OPCODE_kReGlu, dst, src0, site).Source(src1), src0.GetSize(),
    half, float, bfloat16_t)
#undef BASCULE_GATE_OPERANDS

// The exponential under its library name: with a number of terms of its series, which says nothing
// here. The one without is Exp of vector.h.
BASCULE_LIBRARY_FORMS(Exp, (typename T, uint8_t taylorExpandLevel, bool isReuseSource = false),
                      (const LocalTensor<T>& src),
                      bascule_ascendc::MathCall(BASCULE_OPCODE_kExp, dst, src, site), src.GetSize(),
                      half, float)

// A tensor or number to the power of a tensor or number.
#define BASCULE_POWER_PARAMETERS \
  (typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig)
BASCULE_LIBRARY_FORMS(
    Power, BASCULE_POWER_PARAMETERS, (const LocalTensor<T>& src0, const LocalTensor<T>& src1),
    bascule_ascendc::MathCall(BASCULE_OPCODE_kPower, dst, src0, site).Source(src1), src0.GetSize(),
    half, float, int32_t)
BASCULE_LIBRARY_FORMS(
    Power, BASCULE_POWER_PARAMETERS,
    (const LocalTensor<T>& src0, const bascule_ascendc::NotDeduced<T>& src1),
    bascule_ascendc::MathCall(BASCULE_OPCODE_kPowerOfTensor, dst, src0, site).Scalar(src1),
    src0.GetSize(), half, float, int32_t)
BASCULE_LIBRARY_FORMS(
    Power, BASCULE_POWER_PARAMETERS,
    (const bascule_ascendc::NotDeduced<T>& src0, const LocalTensor<T>& src1),
    bascule_ascendc::MathCall(BASCULE_OPCODE_kPowerOfScalar, dst, src1, site).Scalar(src0),
    src1.GetSize(), half, float, int32_t)
#undef BASCULE_POWER_PARAMETERS

// x / (1 + exp(-scalarValue x)) of dataSize elements.
template <typename T, bool isReuseSource = false>
__aicore__ inline void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                             uint32_t dataSize, const bascule_ascendc::NotDeduced<T> scalarValue,
                             bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Swish, half, float);
  bascule_ascendc::MathCall(BASCULE_OPCODE_kSwish, dst, src, site)
      .Scalar(scalarValue)
      .Count(static_cast<int32_t>(dataSize));
}

#undef BASCULE_LIBRARY_CONFIGURED
#undef BASCULE_LIBRARY_PLAIN
#undef BASCULE_LIBRARY_UNARY
#undef BASCULE_LIBRARY_FORMS
#undef BASCULE_UNPACK

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_MATH_H
