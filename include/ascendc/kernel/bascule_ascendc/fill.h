// Filling and copying within the unified buffer: Duplicate, CreateVecIndex, Arange, Brcb, Copy.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_FILL_H
#define BASCULE_ASCENDC_FILL_H

#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

// Strides in datablocks. The other fields are there for sources that name them; nothing reads them.
struct BrcbRepeatParams {
  uint16_t dstBlkStride = 1;
  uint16_t dstRepStride = BASCULE_DATABLOCKS_PER_REPEAT;
  uint32_t blockNumber = BASCULE_DATABLOCKS_PER_REPEAT;
  uint8_t src1BlkStride = 0;
  uint8_t src1RepStride = 0;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;

  constexpr BrcbRepeatParams() = default;
  constexpr BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep)
      : dstBlkStride(dstBlk), dstRepStride(dstRep) {}
};

// Strides in datablocks: within a repeat, and between repeats (at most 4095).
struct CopyRepeatParams {
  uint16_t dstStride = 1;
  uint16_t srcStride = 1;
  uint16_t dstRepeatSize = BASCULE_DATABLOCKS_PER_REPEAT;
  uint16_t srcRepeatSize = BASCULE_DATABLOCKS_PER_REPEAT;

  constexpr CopyRepeatParams() = default;
  constexpr CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dstRepeat, uint16_t srcRepeat)
      : dstStride(dst), srcStride(src), dstRepeatSize(dstRepeat), srcRepeatSize(srcRepeat) {}
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T>
VectorCall<T> CopyCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                       const AscendC::CopyRepeatParams& params, const Site& site) {
  if (params.dstRepeatSize > 4095 || params.srcRepeatSize > 4095) {
    Fail("Copy: dstRepeatSize and srcRepeatSize are limited to 4095", site);
  }
  VectorCall<T> call(BASCULE_OPCODE_kCopy, dst, site);
  call.Source(src)
      .Stride(0, params.dstStride, params.dstRepeatSize)
      .Stride(1, params.srcStride, params.srcRepeatSize)
      .CountsPerRepeat();
  return call;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// The scalar in `count` elements, or in the selected lanes.
template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst,
                                 const bascule_ascendc::NotDeduced<T>& scalarValue,
                                 const int32_t& count, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Duplicate, BASCULE_PLAIN_TYPES);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kDuplicate, dst, site)
      .Scalar(scalarValue)
      .Count(count);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst,
                                 const bascule_ascendc::NotDeduced<T>& scalarValue, uint64_t mask[],
                                 uint32_t repeatTime, uint16_t dstBlockStride,
                                 uint16_t dstRepeatStride, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Duplicate, BASCULE_PLAIN_TYPES);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kDuplicate, dst, site)
      .Scalar(scalarValue)
      .Stride(0, dstBlockStride, dstRepeatStride)
      .template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst,
                                 const bascule_ascendc::NotDeduced<T>& scalarValue, uint64_t mask,
                                 uint32_t repeatTime, uint16_t dstBlockStride,
                                 uint16_t dstRepeatStride, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Duplicate, BASCULE_PLAIN_TYPES);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kDuplicate, dst, site)
      .Scalar(scalarValue)
      .Stride(0, dstBlockStride, dstRepeatStride)
      .template Repeat<isSetMask>(mask, repeatTime);
}

// firstValue, firstValue + 1, …; the numbers go on over repeats.
template <typename T>
__aicore__ inline void CreateVecIndex(const LocalTensor<T>& dst,
                                      const bascule_ascendc::NotDeduced<T>& firstValue,
                                      uint32_t count, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(CreateVecIndex, half, float, int16_t, int32_t);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kCreateVecIndex, dst, site)
      .Scalar(firstValue)
      .Count(static_cast<int32_t>(count));
}
template <typename T>
__aicore__ inline void CreateVecIndex(const LocalTensor<T>& dst,
                                      const bascule_ascendc::NotDeduced<T>& firstValue,
                                      uint64_t mask[], uint32_t repeatTime, uint16_t dstBlkStride,
                                      uint16_t dstRepStride, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(CreateVecIndex, half, float, int16_t, int32_t);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kCreateVecIndex, dst, site)
      .Scalar(firstValue)
      .Stride(0, dstBlkStride, dstRepStride)
      .template Repeat<true>(mask, repeatTime);
}
template <typename T>
__aicore__ inline void CreateVecIndex(const LocalTensor<T>& dst,
                                      const bascule_ascendc::NotDeduced<T>& firstValue,
                                      uint64_t mask, uint32_t repeatTime, uint16_t dstBlkStride,
                                      uint16_t dstRepStride, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(CreateVecIndex, half, float, int16_t, int32_t);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kCreateVecIndex, dst, site)
      .Scalar(firstValue)
      .Stride(0, dstBlkStride, dstRepStride)
      .template Repeat<true>(mask, repeatTime);
}

// firstValue, firstValue + diffValue, …
template <typename T>
__aicore__ inline void Arange(const LocalTensor<T>& dst,
                              const bascule_ascendc::NotDeduced<T> firstValue,
                              const bascule_ascendc::NotDeduced<T> diffValue, const int32_t count,
                              bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Arange, half, float, int16_t, int32_t);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kArange, dst, site)
      .Scalar(firstValue)
      .Extra(0, diffValue)
      .Count(count);
}
// The older name of Arange.
template <typename T>
__aicore__ inline void ArithProgression(const LocalTensor<T>& dst,
                                        const bascule_ascendc::NotDeduced<T> firstValue,
                                        const bascule_ascendc::NotDeduced<T> diffValue,
                                        const int32_t count, bascule_ascendc::Site site = {}) {
  Arange(dst, firstValue, diffValue, count, site);
}

// Each of 8 elements per repeat fills a datablock of its own.
template <typename T>
__aicore__ inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            uint32_t repeatTime, const BrcbRepeatParams& repeatParams,
                            bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Brcb, BASCULE_PLAIN_TYPES);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kBrcb, dst, site)
      .Source(src)
      .Stride(0, repeatParams.dstBlkStride, repeatParams.dstRepStride)
      .WholeRepeats(repeatTime);
}

// The selected lanes, unchanged. In counter mode the mask counts the elements of each repeat.
template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const uint64_t mask[], uint32_t repeatTime,
                            const CopyRepeatParams& repeatParams, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Copy, BASCULE_PLAIN_TYPES);
  bascule_ascendc::CopyCall(dst, src, repeatParams, site)
      .template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const uint64_t mask, uint32_t repeatTime,
                            const CopyRepeatParams& repeatParams, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Copy, BASCULE_PLAIN_TYPES);
  bascule_ascendc::CopyCall(dst, src, repeatParams, site)
      .template Repeat<isSetMask>(mask, repeatTime);
}

// `size` elements of global memory. InitGlobalMemory and InitOutput are older names.
template <typename T>
__aicore__ inline void Fill(const GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size,
                            const bascule_ascendc::NotDeduced<T> value,
                            bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Fill, uint16_t, int16_t, half, bfloat16_t, uint32_t, int32_t, float);
  constexpr uint64_t kAtATime = 1 << 30;
  for (uint64_t done = 0; done < size; done += kAtATime) {
    const uint64_t left = size - done;
    bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kFill,
                                   bascule_ascendc::Operand(gmWorkspaceAddr[done]),
                                   gmWorkspaceAddr.Core(), site)
        .Scalar(value)
        .Count(static_cast<int32_t>(left < kAtATime ? left : kAtATime));
  }
}
template <typename T>
__aicore__ inline void InitGlobalMemory(const GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size,
                                        const bascule_ascendc::NotDeduced<T> value,
                                        bascule_ascendc::Site site = {}) {
  Fill(gmWorkspaceAddr, size, value, site);
}
template <typename T>
__aicore__ inline void InitOutput(const GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size,
                                  const bascule_ascendc::NotDeduced<T> value = T(0),
                                  bascule_ascendc::Site site = {}) {
  Fill(gmWorkspaceAddr, size, value, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_FILL_H
