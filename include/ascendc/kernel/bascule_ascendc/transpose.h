// Transpose and TransDataTo5HD.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TRANSPOSE_H
#define BASCULE_ASCENDC_TRANSPOSE_H

#include "bascule/abi/vector.h"
#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW,
  TRANSPOSE_ND2ND_021,
  TRANSPOSE_ND2ND_102,
  TRANSPOSE_ND2ND_210,
  TRANSPOSE_ND2NZ_WITH_INTLV
};

struct TransposeParamsExt {
  TransposeParamsExt() = default;
  TransposeParamsExt(uint16_t nSizeIn, uint16_t cSizeIn, uint16_t hSizeIn, uint16_t wSizeIn,
                     TransposeType transposeTypeIn)
      : nSize(nSizeIn),
        cSize(cSizeIn),
        hSize(hSizeIn),
        wSize(wSizeIn),
        transposeType(transposeTypeIn) {}

  uint16_t nSize = 0;
  uint16_t cSize = 0;
  uint16_t hSize = 0;
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

// Strides in datablocks. With a single repeat they are added to the addresses, so 0 is what is
// meant there.
struct TransDataTo5HDParams {
  TransDataTo5HDParams() = default;
  TransDataTo5HDParams(bool dstHighHalfIn, bool srcHighHalfIn, uint8_t repeatTimesIn,
                       uint16_t dstRepStrideIn, uint16_t srcRepStrideIn)
      : dstHighHalf(dstHighHalfIn),
        srcHighHalf(srcHighHalfIn),
        repeatTimes(repeatTimesIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn) {}

  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T>
void RearrangeAddresses(const uint64_t* dst, const uint64_t* src,
                        const AscendC::TransDataTo5HDParams& params, const Site& site) {
  BASCULE_SUPPORTED(TransDataTo5HD, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t,
                    uint32_t, float);
  constexpr int kAddresses = AscendC::NCHW_CONV_ADDR_LIST_SIZE;
  uint64_t all[2 * kAddresses];
  // As documented, a single repeat works one stride behind the addresses, and the first of several
  // at them.
  const uint64_t block = params.repeatTimes == 1 ? BASCULE_DATABLOCK_BYTES : 0;
  uint64_t lowest[2] = {UINT64_MAX, UINT64_MAX};
  for (int i = 0; i < kAddresses; ++i) {
    all[i] = dst[i] + params.dstRepStride * block;
    all[kAddresses + i] = src[i] + params.srcRepStride * block;
    if (all[i] < lowest[0]) lowest[0] = all[i];
    if (all[kAddresses + i] < lowest[1]) lowest[1] = all[kAddresses + i];
  }
  BasculeOperand operands[2] = {NoOperand(TypeNumber<T>::value), NoOperand(TypeNumber<T>::value)};
  for (int i = 0; i < 2; ++i) operands[i].address = reinterpret_cast<void*>(lowest[i]);
  const uint32_t flags = (params.dstHighHalf ? BASCULE_5HD_DST_HIGH_HALF : 0) |
                         (params.srcHighHalf ? BASCULE_5HD_SRC_HIGH_HALF : 0);
  const uint64_t* list = all;
  VectorCall<T>(BASCULE_OPCODE_kTransDataTo5HD, operands[0], Core(), site)
      .Source(operands[1])
      .Stride(0, 1, params.dstRepStride)
      .Stride(1, 1, params.srcRepStride)
      .Flags(flags)
      .Extra(0, list)
      .WholeRepeats(params.repeatTimes);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// A 16×16 block of 16-bit elements; dst may be src.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Transpose, int16_t, uint16_t, half);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kTranspose, dst, site)
      .Source(src)
      .Mode(BASCULE_TRANSPOSE_16X16)
      .WholeRepeats(1);
}

// The same, or [N,C,H,W] to [N,H,W,C] or back, with a work buffer.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<uint8_t>& sharedTmpBuffer,
                                 const TransposeParamsExt& transposeParams,
                                 bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Transpose, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float);
  const TransposeType type = transposeParams.transposeType;
  if (type == TransposeType::TRANSPOSE_TYPE_NONE) return;
  uint32_t mode = BASCULE_TRANSPOSE_16X16;
  uint64_t needed = 0;
  // Rows of 16 elements, of 8-bit ones 32, as wide as a datablock.
  const uint64_t tile_bytes = (sizeof(T) == 1 ? 32 : 16) * BASCULE_DATABLOCK_BYTES;
  if (type == TransposeType::TRANSPOSE_NCHW2NHWC) {
    mode = BASCULE_TRANSPOSE_NCHW_TO_NHWC;
    needed = (transposeParams.cSize + uint64_t{2}) * tile_bytes;
  } else if (type == TransposeType::TRANSPOSE_NHWC2NCHW) {
    mode = BASCULE_TRANSPOSE_NHWC_TO_NCHW;
    needed = (transposeParams.cSize * uint64_t{2} + 1) * tile_bytes;
  } else if (type != TransposeType::TRANSPOSE_ND2ND_B16) {
    bascule_ascendc::Fail(
        "Transpose: only TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC and TRANSPOSE_NHWC2NCHW are "
        "supported",
        site);
  }
  if (sharedTmpBuffer.GetLength() < needed) {
    char text[128];
    std::snprintf(text, sizeof(text), "Transpose: sharedTmpBuffer has %u bytes and needs %llu",
                  static_cast<unsigned>(sharedTmpBuffer.GetLength()),
                  static_cast<unsigned long long>(needed));
    bascule_ascendc::Fail(text, site);
  }
  const uint64_t shape = transposeParams.nSize | uint64_t{transposeParams.cSize} << 16 |
                         uint64_t{transposeParams.hSize} << 32 |
                         uint64_t{transposeParams.wSize} << 48;
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kTranspose, dst, site)
      .Source(src)
      .Mode(mode)
      .Extra(0, shape)
      .WholeRepeats(1);
}

// 16 datablocks per repeat are the rows of a matrix; its columns fill 16 datablocks. Addresses are
// what GetPhyAddr gives.
template <typename T>
__aicore__ inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                                      uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                                      const TransDataTo5HDParams& nchwconvParams,
                                      bascule_ascendc::Site site = {}) {
  bascule_ascendc::RearrangeAddresses<T>(dstList, srcList, nchwconvParams, site);
}
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const TransDataTo5HDParams& nchwconvParams,
                                      bascule_ascendc::Site site = {}) {
  uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE];
  uint64_t src[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = reinterpret_cast<uint64_t>(dstList[i].Data());
    src[i] = reinterpret_cast<uint64_t>(srcList[i].Data());
  }
  bascule_ascendc::RearrangeAddresses<T>(dst, src, nchwconvParams, site);
}
// Tensors that hold the addresses.
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst,
                                      const LocalTensor<uint64_t>& src,
                                      const TransDataTo5HDParams& nchwconvParams,
                                      bascule_ascendc::Site site = {}) {
  uint64_t to[NCHW_CONV_ADDR_LIST_SIZE];
  uint64_t from[NCHW_CONV_ADDR_LIST_SIZE];
  for (uint32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = dst.GetValue(i, site);
    from[i] = src.GetValue(i, site);
  }
  bascule_ascendc::RearrangeAddresses<T>(to, from, nchwconvParams, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_TRANSPOSE_H
