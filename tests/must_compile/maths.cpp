// The elementary functions in all their call forms.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

namespace {

template <typename T>
void Forms(AscendC::LocalTensor<T> dst, AscendC::LocalTensor<T> src,
           AscendC::LocalTensor<uint8_t> tmp) {
  using namespace AscendC;
  const uint32_t count = 512;
  const UnaryRepeatParams strides(1, 1, 8, 8);
  uint64_t bits[2] = {~0ull, ~0ull};
  Exp(dst, src, 512);
  Exp(dst, src, bits, 4, strides);
  Exp(dst, src, 128, 4, {1, 1, 8, 8});
  Exp<T, false>(dst, src, MASK_PLACEHOLDER, 1, strides);
  Exp<T, 15, false>(dst, src, tmp, count);
  Exp<T, 10>(dst, src, count);
  Ln(dst, src, count);
  Ln(dst, src, 64, 1, strides);
#define BASCULE_EVERY_FORM(name)     \
  name(dst, src);                    \
  name(dst, src, count);             \
  name(dst, src, 512);               \
  name(dst, src, tmp);               \
  name(dst, src, tmp, count);        \
  name<T, false>(dst, src, tmp, 32); \
  name<T, true>(dst, src);
  BASCULE_EVERY_FORM(Log)
  BASCULE_EVERY_FORM(Log2)
  BASCULE_EVERY_FORM(Log10)
  BASCULE_EVERY_FORM(Sin)
  BASCULE_EVERY_FORM(Cos)
  BASCULE_EVERY_FORM(Tan)
  BASCULE_EVERY_FORM(Asin)
  BASCULE_EVERY_FORM(Acos)
  BASCULE_EVERY_FORM(Atan)
  BASCULE_EVERY_FORM(Sinh)
  BASCULE_EVERY_FORM(Cosh)
  BASCULE_EVERY_FORM(Tanh)
  BASCULE_EVERY_FORM(Asinh)
  BASCULE_EVERY_FORM(Acosh)
  BASCULE_EVERY_FORM(Atanh)
  BASCULE_EVERY_FORM(Erf)
  BASCULE_EVERY_FORM(Erfc)
  BASCULE_EVERY_FORM(Floor)
  BASCULE_EVERY_FORM(Ceil)
  BASCULE_EVERY_FORM(Trunc)
  BASCULE_EVERY_FORM(Round)
  BASCULE_EVERY_FORM(Frac)
  BASCULE_EVERY_FORM(Sign)
  BASCULE_EVERY_FORM(Sigmoid)
  BASCULE_EVERY_FORM(Silu)
  BASCULE_EVERY_FORM(Gelu)
  BASCULE_EVERY_FORM(FasterGelu)
  Gelu<T, true, false>(dst, src, tmp, count);
  Swish(dst, src, count, T(1.702f));
  Swish(dst, src, 32, -1.702f);

  static constexpr SinConfig sin_config = {SinAlgo::RADIAN_REDUCTION};
  Sin<T, false, sin_config>(dst, src, tmp, count);
  static constexpr CosConfig cos_config = {CosAlgo::RADIAN_REDUCTION};
  Cos<T, false, cos_config>(dst, src);
  static constexpr TanhConfig tanh_config = {TanhAlgo::SUBSECTION_COMPENSATION};
  Tanh<T, false, tanh_config>(dst, src, tmp, count);
  static constexpr AtanConfig atan_config = {AtanAlgo::POLYNOMIAL_APPROXIMATION};
  Atan<T, false, atan_config>(dst, src, count);
  static constexpr ErfConfig erf_config = {ErfAlgo::SUBSECTION_POLYNOMIAL_APPROXIMATION};
  Erf<T, false, erf_config>(dst, src);
}

template <typename T>
void Powers(AscendC::LocalTensor<T> dst, AscendC::LocalTensor<T> base,
            AscendC::LocalTensor<T> exponent, AscendC::LocalTensor<uint8_t> tmp, T scalar) {
  using namespace AscendC;
  Power(dst, base, exponent);
  Power(dst, base, exponent, 64);
  Power(dst, base, exponent, tmp);
  Power<T, false>(dst, base, exponent, tmp, 64);
  Power(dst, base, scalar);
  Power(dst, base, scalar, 64);
  Power(dst, base, scalar, tmp);
  Power<T>(dst, base, static_cast<T>(2), tmp, 64);
  Power(dst, scalar, exponent);
  Power(dst, scalar, exponent, 64);
  Power<T, false>(dst, scalar, exponent, tmp);
  Power(dst, scalar, exponent, tmp, 64);
  static constexpr PowerConfig config = {PowerAlgo::DOUBLE_FLOAT_TECH};
  Power<T, false, config>(dst, scalar, exponent);
}

}  // namespace

extern "C" __global__ __aicore__ void maths(GM_ADDR) {
  AscendC::LocalTensor<uint8_t> tmp;
  Forms<half>({}, {}, tmp);
  Forms<float>({}, {}, tmp);
  Powers<half>({}, {}, {}, tmp, 2);
  Powers<float>({}, {}, {}, tmp, 2.0f);
  Powers<int32_t>({}, {}, {}, tmp, 2);
}
