// Calls of the library that only move elements: Broadcast, Transpose with tiling, TransData, Pad,
// UnPad. Source and destination do not overlap.
// Source: the pages of the tensor transformation chapter of the Ascend C documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REARRANGE_H
#define BASCULE_ASCENDC_REARRANGE_H

#include "bascule_ascendc/layout.h"
#include "bascule_ascendc/library_call.h"
#include "bascule_ascendc/transpose.h"
#include "kernel_tiling/kernel_tiling.h"

BASCULE_ASCENDC_BEGIN

// Columns to fill, and with what: a number, whatever the element type.
struct PadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
  int32_t padValue = 0;
};
// Columns to take away. leftPad has no effect.
struct UnPadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
};

template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};

// What GetBroadcastTilingInfo notes for Broadcast.
struct BroadcastTiling {
  uint32_t rank = 0;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T>
VectorCall<T> MoveCall(uint16_t opcode, const AscendC::LocalTensor<T>& dst,
                       const AscendC::LocalTensor<T>& src, const Temporary& tmp, const Site& site) {
  VectorCall<T> call(opcode, dst, site);
  call.Source(src).Source(tmp.operand).Extra(2, tmp.bytes);
  return call;
}

template <typename T>
void BroadcastAxes(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                   uint32_t axes, const uint32_t* dst_shape, const uint32_t* src_shape,
                   const Temporary& tmp, const Site& site) {
  BasculeBroadcast shapes = {};
  shapes.axes = axes;
  for (uint32_t i = 0; i < axes && i < BASCULE_MAX_AXES; ++i) {
    shapes.dst_shape[i] = dst_shape[i];
    shapes.src_shape[i] = src_shape[i];
  }
  const BasculeBroadcast* at = &shapes;
  MoveCall(BASCULE_OPCODE_kBroadcast, dst, src, tmp, site).Extra(0, at).Whole();
}

template <typename T, int32_t dim, int32_t axis>
void BroadcastAxis(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                   const uint32_t* dst_shape, const uint32_t* src_shape, const Temporary& tmp,
                   const Site& site) {
  // Documented are the first four. Kernels that choose the type by a condition compile the others
  // as well, and the call means the same for all of them.
  BASCULE_SUPPORTED(Broadcast, int8_t, uint8_t, half, float, bfloat16_t, int16_t, uint16_t, int32_t,
                    uint32_t, int64_t, uint64_t);
  static_assert(dim == 1 || dim == 2, "Broadcast: dim is 1 or 2");
  static_assert(axis == 0 || axis == 1, "Broadcast: axis is 0 or 1");
  if (dim == 2 && axis == 0 && src_shape[1] * sizeof(T) % BASCULE_DATABLOCK_BYTES != 0) {
    FailArgument("Broadcast", "srcShape[1]", src_shape[1],
                 "rows that are repeated have to be multiples of 32 bytes", site);
  }
  BroadcastAxes(dst, src, dim, dst_shape, src_shape, tmp, site);
}

template <typename T>
void TransposeTiled(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                    const Temporary& tmp, AscendC::TransposeType type,
                    const AscendC::tiling::ConfusionTransposeTiling& tiling, const Site& site) {
  BASCULE_SUPPORTED(Transpose, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t,
                    uint32_t, float);
  const bool plain = type >= AscendC::TransposeType::TRANSPOSE_ND2ND_021;
  if (sizeof(T) == 1 && !plain) {
    FailCall("Transpose", "elements of 8 bits are transposed by the types ND2ND_021, 102 and 210",
             site);
  }
  MoveCall(BASCULE_OPCODE_kConfusionTranspose, dst, src, tmp, site)
      .Mode(static_cast<uint32_t>(type))
      .Extra(0, Pair(tiling.param0, tiling.param1))
      .Extra(1, Pair(tiling.param2, tiling.param3))
      .Whole();
}

constexpr bool NeedsTemporary(AscendC::TransposeType type) {
  return type < AscendC::TransposeType::TRANSPOSE_ND2ND_ONLY;
}

template <bool source, typename U, typename S>
const auto& ShapeOf(const AscendC::TransDataParams<U, S>& params) {
  if constexpr (source) {
    return params.srcLayout.GetShape();
  } else {
    return params.dstLayout.GetShape();
  }
}
template <typename Shape, size_t... axes>
void Sizes(const Shape& shape, uint32_t* sizes, std::index_sequence<axes...>) {
  ((sizes[axes] = static_cast<uint32_t>(AscendC::Std::get<axes>(shape))), ...);
}

template <const AscendC::TransDataConfig& config, typename T, typename U, typename S>
void ConvertData(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                 const Temporary& tmp, const AscendC::TransDataParams<U, S>& params,
                 const Site& site) {
  using AscendC::DataFormat;
  BASCULE_SUPPORTED(TransData, int16_t, uint16_t, half, bfloat16_t);
  constexpr bool kFromPlain = config.srcFormat == DataFormat::NCDHW;
  constexpr DataFormat kBlocked = kFromPlain ? config.dstFormat : config.srcFormat;
  constexpr bool kFractal = kBlocked == DataFormat::FRACTAL_Z_3D;
  static_assert((kFromPlain || config.dstFormat == DataFormat::NCDHW) &&
                    (kFractal || kBlocked == DataFormat::NDC1HWC0),
                "TransData: from NCDHW to NDC1HWC0 or FRACTAL_Z_3D, or back");
  static_assert(AscendC::is_layout_v<U> && AscendC::is_layout_v<S>,
                "TransData: the shapes of source and destination are of type Layout");
  // The plain side says everything; the other has to agree.
  uint32_t sizes[5];
  const auto& plain = ShapeOf<kFromPlain>(params);
  static_assert(AscendC::Std::tuple_size_v<std::decay_t<decltype(plain)>> == 5,
                "TransData: a shape of NCDHW has 5 axes");
  Sizes(plain, sizes, std::make_index_sequence<5>());
  const auto& blocked = ShapeOf<!kFromPlain>(params);
  constexpr size_t kAxes = kFractal ? 7 : 6;
  static_assert(AscendC::Std::tuple_size_v<std::decay_t<decltype(blocked)>> == kAxes,
                "TransData: a shape of NDC1HWC0 has 6 axes, one of FRACTAL_Z_3D 7");
  uint32_t given[kAxes];
  Sizes(blocked, given, std::make_index_sequence<kAxes>());
  const uint32_t c1 = (sizes[1] + 15) / 16;
  const uint32_t n1 = (sizes[0] + 15) / 16;
  const uint32_t fractal[7] = {sizes[2], c1, sizes[3], sizes[4], n1, 16, 16};
  const uint32_t channels[6] = {sizes[0], sizes[2], c1, sizes[3], sizes[4], 16};
  const uint32_t* expected = kFractal ? fractal : channels;
  for (size_t i = 0; i < kAxes; ++i) {
    if (given[i] == expected[i]) continue;
    char text[192];
    std::snprintf(
        text, sizeof(text),
        "TransData: axis %u of the blocked shape is %u; with N, C, D, H, W of %u, %u, %u, "
        "%u, %u it is %u",
        static_cast<unsigned>(i), static_cast<unsigned>(given[i]), static_cast<unsigned>(sizes[0]),
        static_cast<unsigned>(sizes[1]), static_cast<unsigned>(sizes[2]),
        static_cast<unsigned>(sizes[3]), static_cast<unsigned>(sizes[4]),
        static_cast<unsigned>(expected[i]));
    Fail(text, site);
  }
  constexpr uint32_t kMode = kFractal ? (kFromPlain ? BASCULE_TRANSDATA_NCDHW_TO_FRACTAL_Z_3D
                                                    : BASCULE_TRANSDATA_FRACTAL_Z_3D_TO_NCDHW)
                                      : (kFromPlain ? BASCULE_TRANSDATA_NCDHW_TO_NDC1HWC0
                                                    : BASCULE_TRANSDATA_NDC1HWC0_TO_NCDHW);
  MoveCall(BASCULE_OPCODE_kTransData, dst, src, tmp, site)
      .Mode(kMode)
      .Extra(0, Pair(sizes[0], sizes[1]))
      .Extra(1, Pair(sizes[2], sizes[3]))
      .Extra(3, uint64_t{sizes[4]})
      .Whole();
}

template <typename T>
void PadColumns(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                const AscendC::PadParams& params, const Temporary& tmp,
                const AscendC::tiling::PadTiling& tiling, const Site& site) {
  BASCULE_SUPPORTED(Pad, int16_t, uint16_t, half, int32_t, uint32_t, float);
  const T filler = static_cast<T>(params.padValue);
  MoveCall(BASCULE_OPCODE_kPad, dst, src, tmp, site)
      .Scalar(filler)
      .Extra(0, Pair(tiling.srcHeight, tiling.srcWidth))
      .Extra(1, Pair(tiling.srcOriWidth, params.leftPad))
      .Extra(3, uint64_t{params.rightPad})
      .Whole();
}

template <typename T>
void UnPadColumns(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                  const AscendC::UnPadParams& params, const Temporary& tmp,
                  const AscendC::tiling::UnPadTiling& tiling, const Site& site) {
  BASCULE_SUPPORTED(UnPad, int16_t, uint16_t, half, int32_t, uint32_t, float);
  const uint32_t kept = params.rightPad < tiling.srcWidth ? tiling.srcWidth - params.rightPad : 0;
  MoveCall(BASCULE_OPCODE_kUnPad, dst, src, tmp, site)
      .Extra(0, Pair(tiling.srcHeight, tiling.srcWidth))
      .Extra(1, Pair(kept, 0))
      .Extra(3, uint64_t{params.rightPad})
      .Whole();
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// The source, repeated along the axes where it has one element. BroadCast is the older name.
#define BASCULE_BROADCAST(name)                                                               \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                \
  __aicore__ inline void name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim],     \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                    \
                              bascule_ascendc::Site site = {}) {                              \
    bascule_ascendc::BroadcastAxis<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape,      \
                                                 {#name, sharedTmpBuffer, site}, site);       \
  }                                                                                           \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                \
  __aicore__ inline void name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim],     \
                              bascule_ascendc::Site site = {}) {                              \
    bascule_ascendc::BroadcastAxis<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape, {},  \
                                                 site);                                       \
  }
BASCULE_BROADCAST(Broadcast)
BASCULE_BROADCAST(BroadCast)
#undef BASCULE_BROADCAST

// The same for up to nine axes, which the kernel plans itself.
template <typename T, int constRank = -1, uint32_t* constDstShape = nullptr,
          uint32_t* constSrcShape = nullptr>
__aicore__ inline void GetBroadcastTilingInfo(uint32_t rank, const uint32_t* /*dstShape*/,
                                              const uint32_t* /*srcShape*/, bool srcInnerPad,
                                              BroadcastTiling& tiling,
                                              bascule_ascendc::Site site = {}) {
  if (srcInnerPad) {
    bascule_ascendc::FailCall("GetBroadcastTilingInfo", "srcInnerPad can only be false", site);
  }
  if (constRank > 0 && rank != static_cast<uint32_t>(constRank)) {
    bascule_ascendc::FailArgument("GetBroadcastTilingInfo", "rank", rank, "it has to be constRank",
                                  site);
  }
  tiling.rank = rank;
}
template <class T, int constRank = -1, uint32_t* constDstShape = nullptr,
          uint32_t* constSrcShape = nullptr, bool constSrcInnerPad = false>
__aicore__ inline void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const uint32_t* dstShape, const uint32_t* srcShape,
                                 BroadcastTiling* tiling, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Broadcast, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t,
                    uint32_t, float, int64_t, uint64_t);
  bascule_ascendc::BroadcastAxes(dst, src, tiling->rank, dstShape, srcShape, {}, site);
}

// A change of axes and of blocked formats, by type; the tiling holds the shape. ConfusionTranspose
// is the older name.
#define BASCULE_TRANSPOSE(name)                                                                \
  template <typename T>                                                                        \
  __aicore__ inline void name(                                                                 \
      const LocalTensor<T>& dst, const LocalTensor<T>& src,                                    \
      const LocalTensor<uint8_t>& sharedTmpBuffer, TransposeType transposeType,                \
      const tiling::ConfusionTransposeTiling& tiling, bascule_ascendc::Site site = {}) {       \
    const uint32_t needed =                                                                    \
        bascule_ascendc::NeedsTemporary(transposeType) ? bascule_tiling::kMinTmpBytes : 0;     \
    bascule_ascendc::TransposeTiled(dst, src,                                                  \
                                    {#name, "sharedTmpBuffer", sharedTmpBuffer, needed, site}, \
                                    transposeType, tiling, site);                              \
  }                                                                                            \
  template <typename T>                                                                        \
  __aicore__ inline void name(                                                                 \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType transposeType,       \
      const tiling::ConfusionTransposeTiling& tiling, bascule_ascendc::Site site = {}) {       \
    bascule_ascendc::TransposeTiled(dst, src, {}, transposeType, tiling, site);                \
  }
BASCULE_TRANSPOSE(Transpose)
BASCULE_TRANSPOSE(ConfusionTranspose)
#undef BASCULE_TRANSPOSE

// NCDHW to NDC1HWC0 or FRACTAL_Z_3D, or back. Planes of H and W begin on multiples of 32 bytes in
// NCDHW.
template <const TransDataConfig& config, typename T, typename U, typename S>
__aicore__ inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                                 const LocalTensor<uint8_t>& sharedTmpBuffer,
                                 const TransDataParams<U, S>& params,
                                 bascule_ascendc::Site site = {}) {
  bascule_ascendc::ConvertData<config>(dstTensor, srcTensor, {"TransData", sharedTmpBuffer, site},
                                       params, site);
}
template <const TransDataConfig& config, typename T, typename U, typename S>
__aicore__ inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                                 const TransDataParams<U, S>& params,
                                 bascule_ascendc::Site site = {}) {
  bascule_ascendc::ConvertData<config>(dstTensor, srcTensor, {}, params, site);
}

// Rows become multiples of 32 bytes, with columns of a value beside the data.
template <typename T>
__aicore__ inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           const PadParams& padParams, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const tiling::PadTiling& tiling, bascule_ascendc::Site site = {}) {
  bascule_ascendc::PadColumns(dstTensor, srcTensor, padParams, {"Pad", sharedTmpBuffer, site},
                              tiling, site);
}
template <typename T>
__aicore__ inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           const PadParams& padParams, const tiling::PadTiling& tiling,
                           bascule_ascendc::Site site = {}) {
  bascule_ascendc::PadColumns(dstTensor, srcTensor, padParams, {}, tiling, site);
}
// Rows lose their last columns and follow one another without a gap.
template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                             const UnPadParams& unPadParams,
                             const LocalTensor<uint8_t>& sharedTmpBuffer,
                             const tiling::UnPadTiling& tiling, bascule_ascendc::Site site = {}) {
  bascule_ascendc::UnPadColumns(dstTensor, srcTensor, unPadParams, {"UnPad", sharedTmpBuffer, site},
                                tiling, site);
}
template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                             const UnPadParams& unPadParams, const tiling::UnPadTiling& tiling,
                             bascule_ascendc::Site site = {}) {
  bascule_ascendc::UnPadColumns(dstTensor, srcTensor, unPadParams, {}, tiling, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_REARRANGE_H
