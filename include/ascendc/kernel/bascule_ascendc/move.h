// DataCopy, DataCopyPad and the copies made of them: slices, and matrices between ND and NZ.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_MOVE_H
#define BASCULE_ASCENDC_MOVE_H

#include <cstddef>

#include "bascule/abi/vector.h"
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

// The older form of the above, with DataCopyParams for lengths in bytes.
struct DataCopyPadParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;

  constexpr DataCopyPadParams() = default;
  constexpr DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

// One dimension of a slice, the innermost first: pieces of burstLen datablocks (in other
// dimensions, of one index), `stride` elements (indices) apart, between two indices that belong to
// it.
struct SliceInfo {
  uint32_t startIndex = 0;
  uint32_t endIndex = 0;
  uint32_t stride = 0;
  uint32_t burstLen = 0;
  uint32_t shapeValue = 0;

  constexpr SliceInfo() = default;
  constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape)
      : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
};

// Matrices from rows to strips of 32 bytes: distances in the source and between matrices are in
// elements, dstNzC0Stride (from strip to strip) and dstNzNStride (from row to row) in datablocks.
struct Nd2NzParams {
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;

  constexpr Nd2NzParams() = default;
  constexpr Nd2NzParams(uint16_t num, uint16_t n, uint16_t d, uint16_t srcMatrixStride,
                        uint16_t srcD, uint16_t dstC0Stride, uint16_t dstNStride,
                        uint16_t dstMatrixStride)
      : ndNum(num),
        nValue(n),
        dValue(d),
        srcNdMatrixStride(srcMatrixStride),
        srcDValue(srcD),
        dstNzC0Stride(dstC0Stride),
        dstNzNStride(dstNStride),
        dstNzMatrixStride(dstMatrixStride) {}
};

// Matrices from strips of 16 elements to rows: srcNdMatrixStride in 256 elements, srcNStride (from
// strip to strip) in 16, the distances in the destination in elements.
struct Nz2NdParamsFull {
  uint16_t ndNum = 1;
  uint16_t nValue = 1;
  uint16_t dValue = 1;
  uint16_t srcNdMatrixStride = 1;
  uint16_t srcNStride = 1;
  uint16_t dstDStride = 1;
  uint16_t dstNdMatrixStride = 1;

  constexpr Nz2NdParamsFull() = default;
  constexpr Nz2NdParamsFull(uint16_t num, uint16_t n, uint16_t d, uint16_t srcMatrixStride,
                            uint16_t srcN, uint16_t dstD, uint16_t dstMatrixStride)
      : ndNum(num),
        nValue(n),
        dValue(d),
        srcNdMatrixStride(srcMatrixStride),
        srcNStride(srcN),
        dstDStride(dstD),
        dstNdMatrixStride(dstMatrixStride) {}
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr uint32_t kMaxBlockCount = 4095;
constexpr uint32_t kMaxPadBlockBytes = 2097151;

// A copy on its way to the engine. Every parameter is written once, where the engine reads it, and
// in one piece with what the engine reads at the same time: a processor has to wait when it reads
// at once what was written in pieces.
class DataMove {
 public:
  template <typename Dst, typename Src>
  DataMove(uint16_t opcode, const Dst& dst, const Src& src, const Site& site) : core_(dst.Core()) {
    in_.opcode = opcode;
    in_.form = BASCULE_FORM_COPY;
    in_.operand_count = 2;
    in_.count = 1;
    in_.mask[0] = in_.mask[1] = 0;
    in_.operand[0] = Operand(dst);
    in_.operand[1] = Operand(src);
    in_.params.copy.requested_bytes = 0;
    in_.params.copy.pad_bits = 0;
    in_.site.file = site.file;
    in_.site.line = site.line;
    in_.site.opcode = site.opcode;
  }
  // Gaps in bytes.
  void Blocks(uint32_t count, uint32_t bytes, uint32_t src_gap, uint32_t dst_gap) {
    in_.params.copy.block_count = count;
    in_.params.copy.block_bytes = bytes;
    in_.params.copy.src_gap_bytes = src_gap;
    in_.params.copy.dst_gap_bytes = dst_gap;
  }
  void Requested(uint32_t bytes) { in_.params.copy.requested_bytes = bytes; }
  // Padding in elements.
  void Elements(uint32_t bytes, uint32_t pad = 0, uint32_t left = 0, uint32_t right = 0) {
    const uint32_t all = pad | left << 8 | right << 16 | bytes << 24;
    static_assert(offsetof(BasculeCopy, element_bytes) == offsetof(BasculeCopy, pad) + 3, "");
    std::memcpy(&in_.params.copy.pad, &all, sizeof(all));
  }
  void PadBits(uint64_t bits) { in_.params.copy.pad_bits = bits; }

  BasculeCore* Core() const { return core_; }
  void Run() { core_->api->execute(core_, &in_); }

 private:
  BasculeCore* core_;
  BasculeInstruction in_;
};

template <typename T, typename Dst, typename Src>
void CopyCount(const Dst& dst, const Src& src, uint32_t count, const Site& site) {
  const uint64_t bytes = uint64_t{count} * sizeof(T);
  if (bytes > UINT32_MAX)
    Fail("DataCopy: the count is beyond what a core holds; is it negative?", site);
  DataMove call(BASCULE_OPCODE_kDataCopy, dst, src, site);
  call.Blocks(1, static_cast<uint32_t>(bytes / BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES),
              0, 0);
  call.Requested(static_cast<uint32_t>(bytes));
  call.Elements(sizeof(T));
  call.Run();
}

template <typename T>
uint32_t UnitOf(const AscendC::GlobalTensor<T>&) {
  return BASCULE_DATABLOCK_BYTES;
}
template <typename T>
uint32_t UnitOf(const AscendC::LocalTensor<T>& dst) {
  return dst.Memory() == BASCULE_BT   ? 64
         : dst.Memory() == BASCULE_FB ? 128
                                      : BASCULE_DATABLOCK_BYTES;
}

template <typename T, typename Dst, typename Src>
void CopyBlocks(const Dst& dst, const Src& src, const AscendC::DataCopyParams& params,
                const Site& site) {
  if (params.blockCount > kMaxBlockCount) Fail("DataCopy: blockCount is limited to 4095", site);
  // The tables beside the cube unit count in larger units.
  const uint32_t unit = UnitOf(dst);
  if (unit > 64 && params.blockCount > 1)
    Fail("DataCopy: to the fixpipe buffer goes one block at a time; blockCount is 1", site);
  DataMove call(BASCULE_OPCODE_kDataCopy, dst, src, site);
  call.Blocks(params.blockCount, uint32_t{params.blockLen} * unit,
              uint32_t{params.srcStride} * BASCULE_DATABLOCK_BYTES,
              uint32_t{params.dstStride} * unit);
  call.Elements(sizeof(T));
  call.Run();
}

inline void CheckPadCopy(uint32_t blocks, uint32_t bytes, const Site& site) {
  if (blocks > kMaxBlockCount) Fail("DataCopyPad: blockCount is limited to 4095", site);
  if (bytes > kMaxPadBlockBytes) Fail("DataCopyPad: blockLen is limited to 2097151 bytes", site);
}

// To the chip. What stands beside the blocks: the given value, that of SetPadValue, or, where there
// is no padding, the first element of the block. The gap in global memory is in bytes, the one on
// chip in datablocks.
template <typename T>
void CopyPadIn(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
               uint32_t blocks, uint32_t bytes, uint32_t src_gap, uint32_t dst_gap, bool given,
               uint32_t left, uint32_t right, uint64_t value, const Site& site) {
  CheckPadCopy(blocks, bytes, site);
  if (left * sizeof(T) > BASCULE_DATABLOCK_BYTES || right * sizeof(T) > BASCULE_DATABLOCK_BYTES)
    Fail("DataCopyPad: padding is limited to 32 bytes on each side", site);
  if (sizeof(T) == 8 && given && value != 0)
    Fail("DataCopyPad: the padding value of 64-bit elements can only be 0", site);
  DataMove call(BASCULE_OPCODE_kDataCopyPad, dst, src, site);
  call.Blocks(blocks, bytes, src_gap, dst_gap * BASCULE_DATABLOCK_BYTES);
  const bool padded = left != 0 || right != 0;
  call.Elements(sizeof(T), padded && (given || call.Core()->pad_value_set != 0) ? 1 : 0, left,
                right);
  call.PadBits(given ? value : call.Core()->pad_value);
  call.Run();
}
// To global memory.
template <typename T>
void CopyPadOut(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                uint32_t blocks, uint32_t bytes, uint32_t src_gap, uint32_t dst_gap,
                const Site& site) {
  CheckPadCopy(blocks, bytes, site);
  DataMove call(BASCULE_OPCODE_kDataCopyPad, dst, src, site);
  call.Blocks(blocks, bytes, src_gap * BASCULE_DATABLOCK_BYTES, dst_gap);
  call.Elements(sizeof(T));
  call.Run();
}

// Where the pieces of a slice lie in one dimension.
struct SlicePieces {
  uint64_t count;
  uint64_t first;
  uint64_t pitch;
};
inline SlicePieces PiecesOf(const AscendC::SliceInfo& slice, uint64_t piece, const Site& site) {
  const uint64_t pitch = piece + slice.stride;
  if (slice.endIndex < slice.startIndex || slice.endIndex > slice.shapeValue || piece == 0 ||
      (uint64_t{slice.endIndex} - slice.startIndex + 1 + slice.stride) % pitch != 0) {
    Fail(
        "DataCopy of a slice: startIndex, endIndex, stride and burstLen do not make whole pieces: "
        "endIndex - startIndex + 1 has to be N pieces and N - 1 strides, and endIndex at most "
        "shapeValue",
        site);
  }
  return {(uint64_t{slice.endIndex} - slice.startIndex + 1 + slice.stride) / pitch,
          slice.startIndex, pitch};
}

// `dimension` pairs of slices, the innermost first; every run of the innermost is one instruction.
template <typename T, typename Dst, typename Src>
void CopySlice(const Dst& dst, const Src& src, const AscendC::SliceInfo dst_slice[],
               const AscendC::SliceInfo src_slice[], uint32_t dimensions, const Site& site) {
  static_assert(sizeof(T) <= 4 && !kFourBits<T>,
                "DataCopy of a slice: elements have 8, 16 or 32 bits");
  constexpr uint32_t kMaxDimensions = AscendC::K_MAX_DIM;
  if (dimensions == 0 || dimensions > kMaxDimensions)
    Fail("DataCopy of a slice: dimValue is 1 to 8", site);
  SlicePieces to[kMaxDimensions] = {};
  SlicePieces from[kMaxDimensions] = {};
  uint64_t runs = 1;
  for (uint32_t i = 0; i < dimensions; ++i) {
    if (dst_slice[i].burstLen != src_slice[i].burstLen)
      Fail("DataCopy of a slice: burstLen differs between source and destination", site);
    if (i > 0 && src_slice[i].burstLen != 1)
      Fail("DataCopy of a slice: burstLen is 1 in every dimension but the first", site);
    const uint64_t piece =
        i > 0 ? 1 : uint64_t{src_slice[0].burstLen} * BASCULE_DATABLOCK_BYTES / sizeof(T);
    to[i] = PiecesOf(dst_slice[i], piece, site);
    from[i] = PiecesOf(src_slice[i], piece, site);
    if (to[i].count != from[i].count)
      Fail("DataCopy of a slice: source and destination have different numbers of pieces", site);
    if (i > 0) runs *= to[i].count;
  }
  for (uint64_t run = 0; run < runs; ++run) {
    uint64_t to_element = to[0].first;
    uint64_t from_element = from[0].first;
    uint64_t to_size = 1;
    uint64_t from_size = 1;
    uint64_t rest = run;
    for (uint32_t i = 1; i < dimensions; ++i) {
      to_size *= dst_slice[i - 1].shapeValue;
      from_size *= src_slice[i - 1].shapeValue;
      const uint64_t index = rest % to[i].count;
      rest /= to[i].count;
      to_element += (to[i].first + index * to[i].pitch) * to_size;
      from_element += (from[i].first + index * from[i].pitch) * from_size;
    }
    if (to_element > UINT32_MAX || from_element > UINT32_MAX)
      Fail("DataCopy of a slice: the slice lies beyond 2^32 elements", site);
    DataMove call(BASCULE_OPCODE_kDataCopy, dst[static_cast<uint32_t>(to_element)],
                  src[static_cast<uint32_t>(from_element)], site);
    call.Blocks(static_cast<uint32_t>(to[0].count), src_slice[0].burstLen * BASCULE_DATABLOCK_BYTES,
                static_cast<uint32_t>(src_slice[0].stride * sizeof(T)),
                static_cast<uint32_t>(dst_slice[0].stride * sizeof(T)));
    call.Elements(sizeof(T));
    call.Run();
  }
}

// One matrix with a row per unit of the source and a strip per column, or the other way round.
template <typename Dst, typename Src>
inline void CopyMatrix(uint16_t opcode, const Dst& dst, const Src& src, uint64_t row_pitch,
                       uint64_t rows, uint64_t columns, uint64_t strip_stride, uint64_t row_stride,
                       const Site& site) {
  BasculeInstruction in;
  in.opcode = opcode;
  in.form = BASCULE_FORM_COUNT;
  in.operand_count = 2;
  in.count = 1;
  in.mask[0] = in.mask[1] = 0;
  in.operand[0] = Operand(dst);
  in.operand[1] = Operand(src);
  in.params.vector = BasculeVectorParams{};
  in.params.vector.scalar.bits = row_pitch;
  // One by one: copied as a block, the numbers are read back in wider parts than they were written
  // in, and a processor waits until all stores before have reached the cache.
  in.params.vector.extra[0] = rows;
  in.params.vector.extra[1] = columns;
  in.params.vector.extra[2] = strip_stride;
  in.params.vector.extra[3] = row_stride;
  in.site = site;
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
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
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const void*>(&pad.paddingValue), sizeof(T));
  bascule_ascendc::CopyPadIn(dst, src, params.blockCount, params.blockLen, params.srcStride,
                             params.dstStride, pad.isPad, pad.leftPadding, pad.rightPadding, value,
                             site);
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                   const DataCopyExtParams& params,
                                   bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyPadOut(dst, src, params.blockCount, params.blockLen, params.srcStride,
                              params.dstStride, site);
}

template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                   const DataCopyParams& params, const DataCopyPadParams& pad,
                                   bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyPadIn(dst, src, params.blockCount, params.blockLen, params.srcStride,
                             params.dstStride, pad.isPad, pad.leftPadding, pad.rightPadding,
                             pad.paddingValue, site);
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                   const DataCopyParams& params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyPadOut(dst, src, params.blockCount, params.blockLen, params.srcStride,
                              params.dstStride, site);
}

// What DataCopyPad pads with from now on where isPad is false.
template <typename T, TPosition pos = TPosition::GM>
__aicore__ inline void SetPadValue(T paddingValue) {
  static_assert(sizeof(T) <= 8 && !bascule_ascendc::kFourBits<T>,
                "SetPadValue: elements have 8, 16, 32 or 64 bits");
  BasculeCore* core = bascule_ascendc::Core();
  core->pad_value = 0;
  std::memcpy(&core->pad_value, static_cast<const void*>(&paddingValue), sizeof(T));
  core->pad_value_set = 1;
}

// Pieces of a tensor of up to 8 dimensions.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                                const uint32_t dimValue = 1, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopySlice<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                                const uint32_t dimValue = 1, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopySlice<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}

// Matrices from rows to strips. What a row lacks to a datablock becomes 0.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const Nd2NzParams& params, bascule_ascendc::Site site = {}) {
  static_assert(sizeof(T) <= 4, "DataCopy from ND to NZ: elements have 4, 8, 16 or 32 bits");
  if constexpr (bascule_ascendc::kFourBits<T>) {  // pairs of elements are what is counted
    DataCopy(dst.template ReinterpretCast<int8_t>(), src.template ReinterpretCast<int8_t>(), params,
             site);
    return;
  }
  if (params.ndNum > bascule_ascendc::kMaxBlockCount)
    bascule_ascendc::Fail("DataCopy from ND to NZ: ndNum is limited to 4095", site);
  for (uint32_t i = 0; i < params.ndNum; ++i) {
    bascule_ascendc::CopyMatrix(BASCULE_OPCODE_kNd2Nz, dst[i * params.dstNzMatrixStride],
                                src[uint64_t{i} * params.srcNdMatrixStride], params.srcDValue,
                                params.nValue, params.dValue, params.dstNzC0Stride,
                                params.dstNzNStride, site);
  }
}
// Matrices from strips of 16 elements to rows.
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                const Nz2NdParamsFull& params, bascule_ascendc::Site site = {}) {
  static_assert((sizeof(T) == 2 || sizeof(T) == 4) && !bascule_ascendc::kFourBits<T>,
                "DataCopy from NZ to ND: elements have 16 or 32 bits");
  if (params.ndNum > bascule_ascendc::kMaxBlockCount)
    bascule_ascendc::Fail("DataCopy from NZ to ND: ndNum is limited to 4095", site);
  for (uint32_t i = 0; i < params.ndNum; ++i) {
    bascule_ascendc::CopyMatrix(BASCULE_OPCODE_kNz2Nd, dst[uint64_t{i} * params.dstNdMatrixStride],
                                src[i * params.srcNdMatrixStride * 256], params.dstDStride,
                                params.nValue, params.dValue, params.srcNStride, 0, site);
  }
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_MOVE_H
