// Comparing and choosing: Compare, Compares, Select, GatherMask and the compare mask register.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_COMPARE_H
#define BASCULE_ASCENDC_COMPARE_H

#include "bascule/abi/vector.h"
#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

enum class CMPMODE : uint8_t {
  LT = BASCULE_COMPARE_LT,
  GT = BASCULE_COMPARE_GT,
  EQ = BASCULE_COMPARE_EQ,
  LE = BASCULE_COMPARE_LE,
  GE = BASCULE_COMPARE_GE,
  NE = BASCULE_COMPARE_NE
};

enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR = BASCULE_SELECT_REPEATED_BITS,
  VSEL_TENSOR_SCALAR_MODE = BASCULE_SELECT_SCALAR,
  VSEL_TENSOR_TENSOR_MODE = BASCULE_SELECT_TENSOR
};

// Strides in datablocks; of src1 only the one between repeats is used.
struct GatherMaskParams {
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = 0;
  uint8_t src1RepeatStride = 0;

  constexpr GatherMaskParams() = default;
  constexpr GatherMaskParams(uint8_t src0Block, uint16_t repeats, uint16_t src0Repeat,
                             uint8_t src1Repeat)
      : src0BlockStride(src0Block),
        repeatTimes(repeats),
        src0RepeatStride(src0Repeat),
        src1RepeatStride(src1Repeat) {}
};

enum class GatherMaskMode : uint8_t { GATHER_MASK_MODE_V0 = 0 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::GATHER_MASK_MODE_V0;

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

#define BASCULE_BITS_SUPPORTED(name, U) \
  static_assert(                        \
      IsOneOf<U, uint8_t, int8_t>,      \
      #name ": this element type of the destination is not supported; supported: uint8_t, int8_t")

template <typename T, typename U>
VectorCall<T> CompareCall(const AscendC::LocalTensor<U>& dst, const AscendC::LocalTensor<T>& src0,
                          const AscendC::LocalTensor<T>& src1, AscendC::CMPMODE mode,
                          const Site& site) {
  BASCULE_SUPPORTED(Compare, half, float, int32_t);
  BASCULE_BITS_SUPPORTED(Compare, U);
  VectorCall<T> call(BASCULE_OPCODE_kCompare, dst, site);
  call.Source(src0).Source(src1).Mode(static_cast<uint32_t>(mode));
  return call;
}

template <typename T, typename U>
VectorCall<T> ComparesCall(const AscendC::LocalTensor<U>& dst, const AscendC::LocalTensor<T>& src0,
                           T scalar, AscendC::CMPMODE mode, const Site& site) {
  BASCULE_SUPPORTED(Compares, half, float, int32_t);
  BASCULE_BITS_SUPPORTED(Compares, U);
  VectorCall<T> call(BASCULE_OPCODE_kCompares, dst, site);
  call.Source(src0).Scalar(scalar).Mode(static_cast<uint32_t>(mode));
  return call;
}

// A comparison whose result goes to the register.
template <typename T>
VectorCall<T> RegisterCompareCall(const AscendC::LocalTensor<T>& src0,
                                  const AscendC::LocalTensor<T>& src1, AscendC::CMPMODE mode,
                                  const AscendC::BinaryRepeatParams& params, const Site& site) {
  BASCULE_SUPPORTED(Compare, half, float);
  BasculeCore* core = src0.Core();
  VectorCall<T> call(BASCULE_OPCODE_kCompare, NoOperand(BASCULE_UINT8), core, site);
  call.Source(src0)
      .Source(src1)
      .Strides(params)
      .Mode(static_cast<uint32_t>(mode))
      .Extra(BASCULE_EXTRA_RESULT, &core->registers.compare_mask);
  return call;
}

template <typename T, typename U>
VectorCall<T> SelectCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& selMask,
                         const AscendC::LocalTensor<T>& src0, const AscendC::LocalTensor<T>& src1,
                         AscendC::SELMODE mode, const Site& site) {
  BASCULE_SUPPORTED(Select, half, float);
  static_assert(IsOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t, int8_t>,
                "Select: selMask holds bits in uint8_t, uint16_t, uint32_t or uint64_t");
  if (mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE) {
    Fail("Select: VSEL_TENSOR_SCALAR_MODE takes a scalar as second source, not a tensor", site);
  }
  VectorCall<T> call(BASCULE_OPCODE_kSelect, dst, site);
  call.Source(src0).Source(src1).Source(selMask).Mode(static_cast<uint32_t>(mode));
  return call;
}

template <typename T, typename U>
VectorCall<T> SelectCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& selMask,
                         const AscendC::LocalTensor<T>& src0, T src1, AscendC::SELMODE mode,
                         const Site& site) {
  BASCULE_SUPPORTED(Select, half, float);
  static_assert(IsOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t, int8_t>,
                "Select: selMask holds bits in uint8_t, uint16_t, uint32_t or uint64_t");
  if (mode != AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE) {
    Fail("Select: only VSEL_TENSOR_SCALAR_MODE takes a scalar as second source", site);
  }
  VectorCall<T> call(BASCULE_OPCODE_kSelect, dst, site);
  call.Source(src0)
      .Source(NoOperand(TypeNumber<T>::value))
      .Source(selMask)
      .Scalar(src1)
      .Mode(static_cast<uint32_t>(mode));
  return call;
}

template <typename T>
void GatherMaskCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                    const BasculeOperand& bits, uint32_t pattern, bool reduceMode, uint32_t mask,
                    const AscendC::GatherMaskParams& params, uint64_t& rsvdCnt, const Site& site) {
  BASCULE_SUPPORTED(GatherMask, BASCULE_PLAIN_TYPES);
  if (reduceMode && mask == 0)
    Fail("GatherMask: with reduceMode the mask counts elements and is at least 1", site);
  rsvdCnt = 0;
  VectorCall<T>(BASCULE_OPCODE_kGatherMask, dst, site)
      .Source(src0)
      .Source(bits)
      .Stride(1, params.src0BlockStride, params.src0RepeatStride)
      .Stride(2, 1, params.src1RepeatStride)
      .Mode(pattern)
      .Extra(BASCULE_EXTRA_RESULT, &rsvdCnt)
      .ElementsPerRepeat(
          reduceMode ? mask : BASCULE_REPEAT_BYTES / static_cast<uint32_t>(sizeof(T)),
          params.repeatTimes);
  dst.Core()->gathered = rsvdCnt;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// One bit per element, the lowest bit first. Elements beyond the last whole 256 bytes are not
// compared.
template <typename T, typename U>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                               const LocalTensor<T>& src1, CMPMODE cmpMode, uint32_t count,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::CompareCall(dst, src0, src1, cmpMode, site).Count(static_cast<int32_t>(count));
}
// Whole repeats: the mask has no effect here, and results follow one another without a gap.
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                               const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t*,
                               uint32_t repeatTime, const BinaryRepeatParams& repeatParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::CompareCall(dst, src0, src1, cmpMode, site)
      .Strides(repeatParams)
      .WholeRepeats(repeatTime);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                               const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t,
                               uint32_t repeatTime, const BinaryRepeatParams& repeatParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::CompareCall(dst, src0, src1, cmpMode, site)
      .Strides(repeatParams)
      .WholeRepeats(repeatTime);
}
// The selected lanes of one repeat, into the compare mask register.
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               CMPMODE cmpMode, const uint64_t mask[],
                               const BinaryRepeatParams& repeatParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::RegisterCompareCall(src0, src1, cmpMode, repeatParams, site)
      .template Repeat<isSetMask>(mask, 1);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               CMPMODE cmpMode, const uint64_t mask,
                               const BinaryRepeatParams& repeatParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::RegisterCompareCall(src0, src1, cmpMode, repeatParams, site)
      .template Repeat<isSetMask>(mask, 1);
}

// Each element with a scalar. CompareScalar is the older name.
#define BASCULE_COMPARES(name)                                                                  \
  template <typename T, typename U>                                                             \
  __aicore__ inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0,            \
                              const bascule_ascendc::NotDeduced<T> src1Scalar, CMPMODE cmpMode, \
                              uint32_t count, bascule_ascendc::Site site = {}) {                \
    bascule_ascendc::ComparesCall<T>(dst, src0, src1Scalar, cmpMode, site)                      \
        .Count(static_cast<int32_t>(count));                                                    \
  }                                                                                             \
  template <typename T, typename U, bool isSetMask = true>                                      \
  __aicore__ inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0,            \
                              const bascule_ascendc::NotDeduced<T> src1Scalar, CMPMODE cmpMode, \
                              const uint64_t*, uint32_t repeatTime,                             \
                              const UnaryRepeatParams& repeatParams,                            \
                              bascule_ascendc::Site site = {}) {                                \
    bascule_ascendc::ComparesCall<T>(dst, src0, src1Scalar, cmpMode, site)                      \
        .Strides(repeatParams)                                                                  \
        .WholeRepeats(repeatTime);                                                              \
  }                                                                                             \
  template <typename T, typename U, bool isSetMask = true>                                      \
  __aicore__ inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0,            \
                              const bascule_ascendc::NotDeduced<T> src1Scalar, CMPMODE cmpMode, \
                              const uint64_t, uint32_t repeatTime,                              \
                              const UnaryRepeatParams& repeatParams,                            \
                              bascule_ascendc::Site site = {}) {                                \
    bascule_ascendc::ComparesCall<T>(dst, src0, src1Scalar, cmpMode, site)                      \
        .Strides(repeatParams)                                                                  \
        .WholeRepeats(repeatTime);                                                              \
  }
BASCULE_COMPARES(Compares)
BASCULE_COMPARES(CompareScalar)
#undef BASCULE_COMPARES

// The compare mask register, 16 bytes.
template <typename T>
__aicore__ inline void GetCmpMask(const LocalTensor<T>& dst, bascule_ascendc::Site site = {}) {
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kGetCmpMask, dst, site)
      .Extra(BASCULE_EXTRA_RESULT, &dst.Core()->registers.compare_mask)
      .Whole();
}
template <typename T>
__aicore__ inline void SetCmpMask(const LocalTensor<T>& src, bascule_ascendc::Site site = {}) {
  BasculeCore* core = src.Core();
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kSetCmpMask,
                                 bascule_ascendc::NoOperand(bascule_ascendc::TypeNumber<T>::value),
                                 core, site)
      .Source(src)
      .Extra(BASCULE_EXTRA_RESULT, &core->registers.compare_mask)
      .Whole();
}

// src0 where the bit of selMask is set, src1 elsewhere.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                              const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                              SELMODE selMode, uint32_t count, bascule_ascendc::Site site = {}) {
  bascule_ascendc::SelectCall(dst, selMask, src0, src1, selMode, site)
      .Count(static_cast<int32_t>(count));
}
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                              const LocalTensor<T>& src0, bascule_ascendc::NotDeduced<T> src1,
                              SELMODE selMode, uint32_t count, bascule_ascendc::Site site = {}) {
  bascule_ascendc::SelectCall(dst, selMask, src0, src1, selMode, site)
      .Count(static_cast<int32_t>(count));
}
#define BASCULE_SELECT(second, mask_type)                                                   \
  template <typename T, typename U, bool isSetMask = true>                                  \
  __aicore__ inline void Select(                                                            \
      const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, \
      second src1, SELMODE selMode, mask_type mask, uint32_t repeatTime,                    \
      const BinaryRepeatParams& repeatParams, bascule_ascendc::Site site = {}) {            \
    bascule_ascendc::SelectCall(dst, selMask, src0, src1, selMode, site)                    \
        .Strides(repeatParams)                                                              \
        .template Repeat<isSetMask>(mask, repeatTime);                                      \
  }
BASCULE_SELECT(const LocalTensor<T>&, uint64_t*)
BASCULE_SELECT(const LocalTensor<T>&, uint64_t)
BASCULE_SELECT(bascule_ascendc::NotDeduced<T>, uint64_t*)
BASCULE_SELECT(bascule_ascendc::NotDeduced<T>, uint64_t)
#undef BASCULE_SELECT

// Without a mask: lanes come from the mask register, and SetCmpMask has set the bits, the address
// of the tensor that holds them, or the scalar.
template <typename T, SELMODE selMode>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                              const LocalTensor<T>& src1, uint32_t repeatTime,
                              const BinaryRepeatParams& repeatParams,
                              bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Select, half, float);
  static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                "Select: VSEL_TENSOR_SCALAR_MODE takes selMask, not a second source");
  const uint64_t* bits = dst.Core()->registers.compare_mask;
  bascule_ascendc::VectorCall<T> call(BASCULE_OPCODE_kSelect, dst, site);
  BasculeOperand address = bascule_ascendc::NoOperand(BASCULE_UINT8);
  if (selMode == SELMODE::VSEL_TENSOR_TENSOR_MODE) {
    // The low half of an address is the hardware's; all of the unified buffer has one upper half.
    const uint64_t upper = reinterpret_cast<uint64_t>(dst.Data()) & ~uint64_t{0xffffffff};
    address.address = reinterpret_cast<void*>(upper | (bits[0] & 0xffffffff));
  }
  call.Source(src0)
      .Source(src1)
      .Source(address)
      .Strides(repeatParams)
      .Mode(static_cast<uint32_t>(selMode));
  if (selMode == SELMODE::VSEL_CMPMASK_SPR)
    call.Flags(BASCULE_SELECT_REGISTER).Extra(0, bits[0]).Extra(1, bits[1]);
  call.template Repeat<false>(MASK_PLACEHOLDER, repeatTime);
}
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                              const LocalTensor<T>& src0, uint32_t repeatTime,
                              const BinaryRepeatParams& repeatParams,
                              bascule_ascendc::Site site = {}) {
  T scalar;
  std::memcpy(static_cast<void*>(&scalar), &dst.Core()->registers.compare_mask, sizeof(T));
  bascule_ascendc::SelectCall(dst, selMask, src0, scalar, SELMODE::VSEL_TENSOR_SCALAR_MODE, site)
      .Strides(repeatParams)
      .template Repeat<false>(MASK_PLACEHOLDER, repeatTime);
}

// The elements whose bit is set, packed; rsvdCnt is how many. With reduceMode `mask` elements of
// each repeat are looked at, else 256 bytes. Afterwards masks count lanes of a repeat again.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<U>& src1Pattern, const bool reduceMode,
                                  const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                                  uint64_t& rsvdCnt, bascule_ascendc::Site site = {}) {
  static_assert(
      sizeof(U) == sizeof(T) && bascule_ascendc::IsOneOf<U, uint16_t, uint32_t>,
      "GatherMask: src1Pattern holds bits in uint16_t for elements of 16 bits and in uint32_t for "
      "elements of 32 bits");
  bascule_ascendc::GatherMaskCall(dst, src0, bascule_ascendc::Operand(src1Pattern),
                                  BASCULE_GATHER_MASK_BITS, reduceMode, mask, gatherMaskParams,
                                  rsvdCnt, site);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const uint8_t src1Pattern, const bool reduceMode,
                                  const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                                  uint64_t& rsvdCnt, bascule_ascendc::Site site = {}) {
  if (src1Pattern == 0)
    bascule_ascendc::Fail("GatherMask: fixed patterns are numbered from 1 to 7", site);
  bascule_ascendc::GatherMaskCall(dst, src0, bascule_ascendc::NoOperand(BASCULE_UINT16),
                                  src1Pattern, reduceMode, mask, gatherMaskParams, rsvdCnt, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_COMPARE_H
