// Cast: conversion between element types, of tensors and of single numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_CAST_H
#define BASCULE_ASCENDC_CAST_H

#include "bascule/abi/casts.h"
#include "bascule/numeric/convert.h"
#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

// What becomes of a value that falls between two of the destination's: CAST_NONE, where it may be
// given, is CAST_RINT for conversions that can lose something.
enum class RoundMode {
  CAST_NONE = 0,
  CAST_RINT,   // the nearer, of two equally near ones the even
  CAST_FLOOR,  // the lower
  CAST_CEIL,   // the upper
  CAST_ROUND,  // the nearer, of two equally near ones that farther from zero
  CAST_TRUNC,  // that nearer to zero
  CAST_ODD,    // the odd
  CAST_HYBRID  // of other platforms
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr bool IsCast(uint8_t dst, uint8_t src) {
#define BASCULE_IS_CAST(from, from_number, to, to_number, modes) \
  if (src == from_number && dst == to_number) return true;
  BASCULE_CASTS(BASCULE_IS_CAST)
#undef BASCULE_IS_CAST
  return false;
}

template <typename T, typename U>
using Wider = std::conditional_t<(sizeof(T) >= sizeof(U)), T, U>;

template <typename T, typename U>
VectorCall<Wider<T, U>> CastCall(const AscendC::LocalTensor<T>& dst,
                                 const AscendC::LocalTensor<U>& src, AscendC::RoundMode mode,
                                 const Site& site) {
  static_assert(
      IsCast(TypeNumber<T>::value, TypeNumber<U>::value),
      "Cast: Atlas A2 does not convert between these element types; from and to float it converts "
      "half, bfloat16_t, int16_t, int32_t and int64_t, from and to half also int8_t, uint8_t and "
      "int4b_t");
  VectorCall<Wider<T, U>> call(BASCULE_OPCODE_kCast, dst, site);
  call.Source(src).Mode(static_cast<uint32_t>(mode));
  if (std::is_same_v<T, half> && std::is_same_v<U, int32_t>) {
    const BasculeCore* core = dst.Core();
    if (core->deq_scale_set == 0) {
      Fail(
          "Cast: from int32_t to half every element is multiplied by the scale that "
          "SetDeqScale(half) sets, "
          "and none has been set",
          site);
    }
    call.Scalar(static_cast<uint16_t>(core->deq_scale));
  }
  return call;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Lanes of a mask and strides of repeats are those of the wider element type: from half to int32_t
// a repeat is 64 lanes, 8 datablocks of the destination and 4 of the source.
template <typename T, typename U>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const RoundMode& roundMode, const uint32_t count,
                            bascule_ascendc::Site site = {}) {
  bascule_ascendc::CastCall(dst, src, roundMode, site).Count(static_cast<int32_t>(count));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const RoundMode& roundMode, const uint64_t mask[],
                            const uint32_t repeatTime, const UnaryRepeatParams& repeatParams,
                            bascule_ascendc::Site site = {}) {
  bascule_ascendc::CastCall(dst, src, roundMode, site)
      .Strides(repeatParams)
      .template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const RoundMode& roundMode, const uint64_t mask,
                            const uint32_t repeatTime, const UnaryRepeatParams& repeatParams,
                            bascule_ascendc::Site site = {}) {
  bascule_ascendc::CastCall(dst, src, roundMode, site)
      .Strides(repeatParams)
      .template Repeat<isSetMask>(mask, repeatTime);
}

// The scale by which Cast multiplies on its way from int32_t to half.
__aicore__ inline void SetDeqScale(half scale) {
  BasculeCore* core = bascule_ascendc::Core();
  core->deq_scale = scale.Bits();
  core->deq_scale_set = 1;
}

// Single numbers.
__aicore__ inline bfloat16_t Cast(const float& fVal) { return bfloat16_t(fVal); }
__aicore__ inline float Cast(const bfloat16_t& bVal) { return static_cast<float>(bVal); }
__aicore__ inline float ToFloat(const bfloat16_t& bVal) { return static_cast<float>(bVal); }
__aicore__ inline bfloat16_t ToBfloat16(const float& fVal) { return bfloat16_t(fVal); }

template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U Cast(T valueIn) {
  static_assert(std::is_same_v<T, float>,
                "Cast of a single number: only float is converted like this");
  constexpr bool kToHalf = std::is_same_v<U, half> && roundMode == RoundMode::CAST_ODD;
  constexpr bool kToInt =
      std::is_same_v<U, int32_t> &&
      (roundMode == RoundMode::CAST_RINT || roundMode == RoundMode::CAST_FLOOR ||
       roundMode == RoundMode::CAST_CEIL || roundMode == RoundMode::CAST_ROUND);
  static_assert(
      kToHalf || kToInt,
      "Cast of a single number: from float to half with CAST_ODD, or to int32_t with CAST_RINT, "
      "CAST_FLOOR, CAST_CEIL or CAST_ROUND");
  return bascule::numeric::Convert<U>(valueIn, static_cast<bascule::numeric::Rounding>(roundMode));
}
template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U ScalarCast(T valueIn) {
  return Cast<T, U, roundMode>(valueIn);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_CAST_H
