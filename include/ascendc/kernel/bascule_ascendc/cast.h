// Cast: conversion between element types, of tensors and of single numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_CAST_H
#define BASCULE_ASCENDC_CAST_H

#include "bascule/abi/casts.h"
#include "bascule/abi/vector.h"
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

// What the scale register holds, by the form of SetDeqScale.
enum : uint8_t { kDeqScaleNone = 0, kDeqScaleHalf, kDeqScaleWord, kDeqScaleAddress };

inline void SetScaleRegister(uint8_t kind, uint64_t bits) {
  BasculeCore* core = Core();
  core->deq_scale = bits;
  core->deq_scale_set = kind;
}
inline uint64_t DequantWord(float scale, int16_t offset, bool sign) {
  uint32_t bits;
  std::memcpy(&bits, &scale, sizeof(bits));
  return bits | (static_cast<uint64_t>(offset) & 0x1ff) << BASCULE_DEQUANT_OFFSET_BIT |
         uint64_t{sign} << BASCULE_DEQUANT_SIGN_BIT;
}

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
    if (core->deq_scale_set != kDeqScaleHalf) {
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

template <typename T, typename U, bool isVecDeq, bool halfBlock>
VectorCall<U> DequantCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
                          const Site& site) {
  static_assert((std::is_same_v<U, int16_t> && IsOneOf<T, int8_t, uint8_t>) ||
                    (std::is_same_v<U, int32_t> && std::is_same_v<T, half>),
                "CastDequant: these element types are not supported; supported: from int16_t to "
                "int8_t and uint8_t, from int32_t to half");
  if constexpr (std::is_same_v<T, half>) {
    return CastCall(dst, src, AscendC::RoundMode::CAST_NONE, site);
  } else {
    const BasculeCore* core = dst.Core();
    if (core->deq_scale_set != (isVecDeq ? kDeqScaleAddress : kDeqScaleWord)) {
      Fail(isVecDeq
               ? "CastDequant: with isVecDeq the scales come from SetDeqScale(vdeq, vdeqInfo), "
                 "and the last SetDeqScale was another or there was none"
               : "CastDequant: without isVecDeq the scale comes from SetDeqScale(scale, offset, "
                 "signMode), and the last SetDeqScale was another or there was none",
           site);
    }
    BasculeOperand scales = NoOperand(BASCULE_UINT64);
    if (isVecDeq) scales.address = reinterpret_cast<void*>(core->deq_scale);
    VectorCall<U> call(BASCULE_OPCODE_kCastDequant, dst, site);
    call.Source(src).Source(scales).Scalar(core->deq_scale);
    call.Flags(uint32_t{isVecDeq} * BASCULE_DEQUANT_VECTOR +
               uint32_t{halfBlock} * BASCULE_DEQUANT_HIGH_HALF);
    return call;
  }
}

inline VectorCall<int32_t> AddDeqReluCall(const AscendC::LocalTensor<half>& dst,
                                          const AscendC::LocalTensor<int32_t>& src0,
                                          const AscendC::LocalTensor<int32_t>& src1,
                                          const Site& site) {
  const BasculeCore* core = dst.Core();
  if (core->deq_scale_set != kDeqScaleHalf) {
    Fail("AddDeqRelu: the scale comes from SetDeqScale(half), and none has been set", site);
  }
  VectorCall<int32_t> call(BASCULE_OPCODE_kAddDeqRelu, dst, site);
  call.Source(src0).Source(src1).Scalar(static_cast<uint16_t>(core->deq_scale));
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

// The scale by which Cast, CastDequant and AddDeqRelu multiply on their way from int32_t to half.
__aicore__ inline void SetDeqScale(half scale) {
  bascule_ascendc::SetScaleRegister(bascule_ascendc::kDeqScaleHalf, scale.Bits());
}
// Scale and offset of CastDequant from int16_t, and whether its result has a sign. Of the scale 10
// digits behind the point count, of the offset 9 bits.
__aicore__ inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
  bascule_ascendc::SetScaleRegister(bascule_ascendc::kDeqScaleWord,
                                    bascule_ascendc::DequantWord(scale, offset, signMode));
}
// The same for each of the 16 elements of a datablock. vdeq holds them, 128 bytes.
struct VdeqInfo {
  float vdeqScale[16] = {};
  int16_t vdeqOffset[16] = {};
  bool vdeqSignMode[16] = {};

  VdeqInfo() = default;
  VdeqInfo(const float scale[16], const int16_t offset[16], const bool signMode[16]) {
    for (int i = 0; i < 16; ++i) {
      vdeqScale[i] = scale[i];
      vdeqOffset[i] = offset[i];
      vdeqSignMode[i] = signMode[i];
    }
  }
};
template <typename T>
__aicore__ inline void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo,
                                   bascule_ascendc::Site site = {}) {
  static_assert(std::is_same_v<T, uint64_t>,
                "SetDeqScale: this element type is not supported; supported: uint64_t");
  for (uint32_t i = 0; i < 16; ++i) {
    vdeq.SetValue(i,
                  bascule_ascendc::DequantWord(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i],
                                               vdeqInfo.vdeqSignMode[i]),
                  site);
  }
  bascule_ascendc::SetScaleRegister(bascule_ascendc::kDeqScaleAddress,
                                    reinterpret_cast<uint64_t>(vdeq.Data()));
}

// From int16_t to 8 bits with scale and offset, from int32_t to half with a scale. The 16 bytes
// that a datablock of int16_t gives are the upper half of a datablock with halfBlock, else the
// lower. CastDeq is the older name.
#define BASCULE_DEQUANT(name)                                                          \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>       \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src,    \
                              const uint32_t count, bascule_ascendc::Site site = {}) { \
    bascule_ascendc::DequantCall<T, U, isVecDeq, halfBlock>(dst, src, site)            \
        .Count(static_cast<int32_t>(count));                                           \
  }                                                                                    \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,       \
            bool halfBlock = true>                                                     \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src,    \
                              const uint64_t mask[], uint8_t repeatTime,               \
                              const UnaryRepeatParams& repeatParams,                   \
                              bascule_ascendc::Site site = {}) {                       \
    bascule_ascendc::DequantCall<T, U, isVecDeq, halfBlock>(dst, src, site)            \
        .Strides(repeatParams)                                                         \
        .template Repeat<isSetMask>(mask, repeatTime);                                 \
  }                                                                                    \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,       \
            bool halfBlock = true>                                                     \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src,    \
                              const int32_t mask, uint8_t repeatTime,                  \
                              const UnaryRepeatParams& repeatParams,                   \
                              bascule_ascendc::Site site = {}) {                       \
    bascule_ascendc::DequantCall<T, U, isVecDeq, halfBlock>(dst, src, site)            \
        .Strides(repeatParams)                                                         \
        .template Repeat<isSetMask>(static_cast<uint64_t>(mask), repeatTime);          \
  }
BASCULE_DEQUANT(CastDequant)
BASCULE_DEQUANT(CastDeq)
#undef BASCULE_DEQUANT

// max(0, (src0 + src1) · scale).
__aicore__ inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                                  const LocalTensor<int32_t>& src1, const int32_t& count,
                                  bascule_ascendc::Site site = {}) {
  bascule_ascendc::AddDeqReluCall(dst, src0, src1, site).Count(count);
}
template <bool isSetMask = true>
__aicore__ inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                                  const LocalTensor<int32_t>& src1, uint64_t mask[],
                                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams,
                                  bascule_ascendc::Site site = {}) {
  bascule_ascendc::AddDeqReluCall(dst, src0, src1, site)
      .Strides(repeatParams)
      .template Repeat<isSetMask>(mask, repeatTime);
}
template <bool isSetMask = true>
__aicore__ inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                                  const LocalTensor<int32_t>& src1, uint64_t mask,
                                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams,
                                  bascule_ascendc::Site site = {}) {
  bascule_ascendc::AddDeqReluCall(dst, src0, src1, site)
      .Strides(repeatParams)
      .template Repeat<isSetMask>(mask, repeatTime);
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
