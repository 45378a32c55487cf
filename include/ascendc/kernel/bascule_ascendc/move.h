// DataCopy and DataCopyPad.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_MOVE_H
#define BASCULE_ASCENDC_MOVE_H

#include "bascule_ascendc/tensor.h"

BASCULE_ASCENDC_BEGIN

// Lengths and gaps in datablocks of 32 bytes; a gap runs from the end of a block to the next.
struct DataCopyParams {
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;
  uint16_t srcStride = 0;
  uint16_t dstStride = 0;

  constexpr DataCopyParams() = default;
  constexpr DataCopyParams(uint16_t count, uint16_t len, uint16_t srcGap, uint16_t dstGap)
      : blockCount(count), blockLen(len), srcStride(srcGap), dstStride(dstGap) {}
};

// blockLen in bytes; the gap in global memory in bytes, the one on chip in datablocks.
struct DataCopyExtParams {
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  uint32_t srcStride = 0;
  uint32_t dstStride = 0;
  uint32_t rsv = 0;

  constexpr DataCopyExtParams() = default;
  constexpr DataCopyExtParams(uint16_t count, uint32_t len, uint32_t srcGap, uint32_t dstGap,
                              uint32_t reserved)
      : blockCount(count), blockLen(len), srcStride(srcGap), dstStride(dstGap), rsv(reserved) {}
};

// Padding in elements, at most 32 bytes on each side.
template <typename T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = T(0);

  constexpr DataCopyPadExtParams() = default;
  constexpr DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr uint32_t kMaxBlockCount = 4095;
constexpr uint32_t kMaxPadBlockBytes = 2097151;

template <typename Dst, typename Src>
void Copy(uint16_t opcode, const Dst& dst, const Src& src, const BasculeCopy& copy,
          const Site& site) {
  BasculeInstruction in;
  in.opcode = opcode;
  in.form = BASCULE_FORM_COPY;
  in.operand_count = 2;
  in.count = 1;
  in.mask[0] = in.mask[1] = 0;
  in.operand[0] = Operand(dst);
  in.operand[1] = Operand(src);
  in.params.copy = copy;
  in.site = site;
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
}

template <typename T, typename Dst, typename Src>
void CopyCount(const Dst& dst, const Src& src, uint32_t count, const Site& site) {
  const uint64_t bytes = uint64_t{count} * sizeof(T);
  if (bytes > UINT32_MAX)
    Fail("DataCopy: the count is beyond what a core holds; is it negative?", site);
  BasculeCopy copy = {};
  copy.block_count = 1;
  copy.block_bytes =
      static_cast<uint32_t>(bytes / BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES);
  copy.requested_bytes = static_cast<uint32_t>(bytes);
  copy.element_bytes = sizeof(T);
  Copy(BASCULE_OPCODE_kDataCopy, dst, src, copy, site);
}

template <typename T, typename Dst, typename Src>
void CopyBlocks(const Dst& dst, const Src& src, const AscendC::DataCopyParams& params,
                const Site& site) {
  if (params.blockCount > kMaxBlockCount) Fail("DataCopy: blockCount is limited to 4095", site);
  BasculeCopy copy = {};
  copy.block_count = params.blockCount;
  copy.block_bytes = uint32_t{params.blockLen} * BASCULE_DATABLOCK_BYTES;
  copy.src_gap_bytes = uint32_t{params.srcStride} * BASCULE_DATABLOCK_BYTES;
  copy.dst_gap_bytes = uint32_t{params.dstStride} * BASCULE_DATABLOCK_BYTES;
  copy.element_bytes = sizeof(T);
  Copy(BASCULE_OPCODE_kDataCopy, dst, src, copy, site);
}

template <typename T>
BasculeCopy PadCopy(const AscendC::DataCopyExtParams& params, const Site& site) {
  if (params.blockCount > kMaxBlockCount) Fail("DataCopyPad: blockCount is limited to 4095", site);
  if (params.blockLen > kMaxPadBlockBytes) {
    Fail("DataCopyPad: blockLen is limited to 2097151 bytes", site);
  }
  BasculeCopy copy = {};
  copy.block_count = params.blockCount;
  copy.block_bytes = params.blockLen;
  copy.element_bytes = sizeof(T);
  return copy;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// `count` elements; a size that is no multiple of 32 bytes is rounded down.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                uint32_t count, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyCount<T>(dst, src, count, site);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                uint32_t count, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyCount<T>(dst, src, count, site);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                uint32_t count, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyCount<T>(dst, src, count, site);
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const DataCopyParams& params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyBlocks<T>(dst, src, params, site);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                const DataCopyParams& params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyBlocks<T>(dst, src, params, site);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const DataCopyParams& params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyBlocks<T>(dst, src, params, site);
}

// Blocks of any number of bytes; on chip every block starts on a datablock.
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                   const DataCopyExtParams& params,
                                   const DataCopyPadExtParams<T>& pad,
                                   bascule_ascendc::Site site = {}) {
  BasculeCopy copy = bascule_ascendc::PadCopy<T>(params, site);
  if (pad.leftPadding * sizeof(T) > BASCULE_DATABLOCK_BYTES ||
      pad.rightPadding * sizeof(T) > BASCULE_DATABLOCK_BYTES) {
    bascule_ascendc::Fail("DataCopyPad: padding is limited to 32 bytes on each side", site);
  }
  copy.src_gap_bytes = params.srcStride;
  copy.dst_gap_bytes = params.dstStride * BASCULE_DATABLOCK_BYTES;
  copy.pad = pad.isPad ? 1 : 0;
  copy.left_pad = pad.leftPadding;
  copy.right_pad = pad.rightPadding;
  std::memcpy(&copy.pad_bits, &pad.paddingValue, sizeof(T));
  bascule_ascendc::Copy(BASCULE_OPCODE_kDataCopyPad, dst, src, copy, site);
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                   const DataCopyExtParams& params,
                                   bascule_ascendc::Site site = {}) {
  BasculeCopy copy = bascule_ascendc::PadCopy<T>(params, site);
  copy.src_gap_bytes = params.srcStride * BASCULE_DATABLOCK_BYTES;
  copy.dst_gap_bytes = params.dstStride;
  bascule_ascendc::Copy(BASCULE_OPCODE_kDataCopyPad, dst, src, copy, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_MOVE_H
