// Choosing elements by masks of bytes or bits: Select with a mask of bytes, DropOut.
// Source: the pages of the data filter chapter of the Ascend C documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_FILTER_H
#define BASCULE_ASCENDC_FILTER_H

#include "bascule_ascendc/library_call.h"

BASCULE_ASCENDC_BEGIN

// Rows, and elements of a row in the source and in the mask; what a mask has beyond the source is
// left out.
struct SelectWithBytesMaskShapeInfo {
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};
struct DropOutShapeInfo {
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T, typename U>
void SelectByBytes(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, T scalar,
                   bool scalar_first, const AscendC::LocalTensor<U>& mask, const Temporary& tmp,
                   const AscendC::SelectWithBytesMaskShapeInfo& info, const Site& site) {
  BASCULE_SUPPORTED(Select, half, float);
  static_assert(
      IsOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
      "Select: a mask of numbers is of bool, int8_t, uint8_t, int16_t, uint16_t, int32_t or "
      "uint32_t");
  VectorCall<T>(BASCULE_OPCODE_kSelectWithBytesMask, dst, site)
      .Source(src)
      .Source(mask)
      .Source(tmp.operand)
      .Scalar(scalar)
      .Flags(scalar_first ? BASCULE_SELECT_SCALAR_FIRST : 0)
      .Extra(0, Pair(info.firstAxis, info.srcLastAxis))
      .Extra(1, uint64_t{info.maskLastAxis})
      .Extra(2, tmp.bytes)
      .Whole();
}

template <uint32_t mode, typename T>
void DropOutBy(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
               const AscendC::LocalTensor<uint8_t>& mask, const Temporary& tmp, float keep,
               const AscendC::DropOutShapeInfo& info, const Site& site) {
  BASCULE_SUPPORTED(DropOut, half, float);
  static_assert(mode <= 4, "DropOut: dropOutMode is 0 to 4");
  // Without a mode the shapes tell: a mask with as many elements as the source holds bytes.
  const bool bits = mode == 0 ? info.maskLastAxis < info.srcLastAxis : mode >= 3;
  // In the modes without dirty data the mask's rows follow one another.
  uint32_t pitch = info.maskLastAxis;
  if (mode == 2) pitch = info.srcLastAxis;
  if (mode == 3) pitch = info.srcLastAxis / 8;
  if (mode == 3 && info.srcLastAxis % 8 != 0) {
    FailArgument("DropOut", "srcLastAxis", info.srcLastAxis,
                 "rows of bits that follow one another have whole bytes, so it has to be a "
                 "multiple of 8",
                 site);
  }
  VectorCall<T>(BASCULE_OPCODE_kDropOut, dst, site)
      .Source(src)
      .Source(mask)
      .Source(tmp.operand)
      .Scalar(keep)
      .Flags(bits ? BASCULE_DROPOUT_BITS : 0)
      .Extra(0, Pair(info.firstAxis, info.srcLastAxis))
      .Extra(1, uint64_t{pitch})
      .Extra(2, tmp.bytes)
      .Whole();
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Where the mask is 0 the first source, else the second. A mask is never written, whatever
// isReuseMask allows.
template <typename T, typename U, bool isReuseMask = true>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                              bascule_ascendc::NotDeduced<T> src1, const LocalTensor<U>& mask,
                              const LocalTensor<uint8_t>& sharedTmpBuffer,
                              const SelectWithBytesMaskShapeInfo& info,
                              bascule_ascendc::Site site = {}) {
  bascule_ascendc::SelectByBytes(dst, src0, src1, false, mask, {"Select", sharedTmpBuffer, site},
                                 info, site);
}
template <typename T, typename U, bool isReuseMask = true>
__aicore__ inline void Select(const LocalTensor<T>& dst, bascule_ascendc::NotDeduced<T> src0,
                              const LocalTensor<T>& src1, const LocalTensor<U>& mask,
                              const LocalTensor<uint8_t>& sharedTmpBuffer,
                              const SelectWithBytesMaskShapeInfo& info,
                              bascule_ascendc::Site site = {}) {
  bascule_ascendc::SelectByBytes(dst, src1, src0, true, mask, {"Select", sharedTmpBuffer, site},
                                 info, site);
}
// The older name.
template <typename T, typename U, bool isReuseMask = true>
__aicore__ inline void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                           bascule_ascendc::NotDeduced<T> src1,
                                           const LocalTensor<U>& mask,
                                           const LocalTensor<uint8_t>& sharedTmpBuffer,
                                           const SelectWithBytesMaskShapeInfo& info,
                                           bascule_ascendc::Site site = {}) {
  bascule_ascendc::SelectByBytes(dst, src0, src1, false, mask,
                                 {"SelectWithBytesMask", sharedTmpBuffer, site}, info, site);
}
template <typename T, typename U, bool isReuseMask = true>
__aicore__ inline void SelectWithBytesMask(const LocalTensor<T>& dst,
                                           bascule_ascendc::NotDeduced<T> src0,
                                           const LocalTensor<T>& src1, const LocalTensor<U>& mask,
                                           const LocalTensor<uint8_t>& sharedTmpBuffer,
                                           const SelectWithBytesMaskShapeInfo& info,
                                           bascule_ascendc::Site site = {}) {
  bascule_ascendc::SelectByBytes(dst, src1, src0, true, mask,
                                 {"SelectWithBytesMask", sharedTmpBuffer, site}, info, site);
}

// Where the mask is set, the source divided by keepProb, else 0. dropOutMode: 0 lets the shapes say
// whether the mask has bytes or bits, 1 and 2 are for bytes, 4 and 3 for bits; 1 and 4 with dirty
// data at the end of a mask's rows, 2 and 3 without.
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<uint8_t>& maskLocal,
                               const LocalTensor<uint8_t>& sharedTmpBuffer, const float keepProb,
                               const DropOutShapeInfo& info, bascule_ascendc::Site site = {}) {
  bascule_ascendc::DropOutBy<dropOutMode>(dstLocal, srcLocal, maskLocal,
                                          {"DropOut", sharedTmpBuffer, site}, keepProb, info, site);
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<uint8_t>& maskLocal, const float keepProb,
                               const DropOutShapeInfo& info, bascule_ascendc::Site site = {}) {
  bascule_ascendc::DropOutBy<dropOutMode>(dstLocal, srcLocal, maskLocal, {}, keepProb, info, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_FILTER_H
