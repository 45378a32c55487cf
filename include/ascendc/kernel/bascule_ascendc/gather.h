// Gather and Gatherb: reading by offsets in bytes.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_GATHER_H
#define BASCULE_ASCENDC_GATHER_H

#include "bascule/abi/vector.h"
#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

// Strides in datablocks; a dstBlkStride of 0 means 1. The other fields are there for sources that
// name them.
struct GatherRepeatParams {
  uint8_t blockNumber = BASCULE_DATABLOCKS_PER_REPEAT;
  uint16_t dstRepStride = BASCULE_DATABLOCKS_PER_REPEAT;
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t src0RepStride = BASCULE_DATABLOCKS_PER_REPEAT;
  uint8_t src1RepStride = BASCULE_DATABLOCKS_PER_REPEAT;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;

  constexpr GatherRepeatParams() = default;
  constexpr GatherRepeatParams(uint8_t dstBlk, uint16_t dstRep)
      : dstRepStride(dstRep), dstBlkStride(dstBlk) {}
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T>
VectorCall<T> GatherCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                         const AscendC::LocalTensor<uint32_t>& srcOffset, uint32_t srcBaseAddr,
                         const Site& site) {
  BASCULE_SUPPORTED(Gather, BASCULE_PLAIN_TYPES);
  VectorCall<T> call(BASCULE_OPCODE_kGather, dst, site);
  call.Source(src)
      .Source(srcOffset)
      .Extra(0, uint64_t{srcBaseAddr})
      .Extra(1, uint64_t{src.GetSize()} * sizeof(T));
  return call;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Element i is the one srcBaseAddr + srcOffset[i] bytes behind src. Offsets that lead outside src
// are an error.
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                              const uint32_t count, bascule_ascendc::Site site = {}) {
  bascule_ascendc::GatherCall(dst, src, srcOffset, srcBaseAddr, site)
      .Count(static_cast<int32_t>(count));
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                              const uint64_t mask[], uint32_t repeatTime,
                              const uint16_t dstRepStride, bascule_ascendc::Site site = {}) {
  bascule_ascendc::GatherCall(dst, src, srcOffset, srcBaseAddr, site)
      .Stride(0, 1, dstRepStride)
      .template Repeat<true>(mask, repeatTime);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                              const uint64_t mask, uint32_t repeatTime, const uint16_t dstRepStride,
                              bascule_ascendc::Site site = {}) {
  bascule_ascendc::GatherCall(dst, src, srcOffset, srcBaseAddr, site)
      .Stride(0, 1, dstRepStride)
      .template Repeat<true>(mask, repeatTime);
}

// Datablock i is the one offset[i] bytes behind src.
template <typename T>
__aicore__ inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint32_t>& offset, uint32_t repeatTime,
                               const GatherRepeatParams& repeatParams,
                               bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Gatherb, uint16_t, uint32_t);
  const uint16_t block = repeatParams.dstBlkStride != 0 ? repeatParams.dstBlkStride : uint8_t{1};
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kGatherb, dst, site)
      .Source(src)
      .Source(offset)
      .Stride(0, block, repeatParams.dstRepStride)
      .Extra(1, uint64_t{src.GetSize()} * sizeof(T))
      .WholeRepeats(repeatTime);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_GATHER_H
