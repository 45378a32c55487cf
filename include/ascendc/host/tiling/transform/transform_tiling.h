// Temporary space and tiling of Broadcast, Transpose, TransData, Pad and UnPad.
// Source: the GetXxxMaxMinTmpSize and "Tiling" pages of the tensor transformation chapter.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_TRANSFORM_TRANSFORM_TILING_H_
#define BASCULE_ASCENDC_TILING_TRANSFORM_TRANSFORM_TILING_H_

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tmp_size.h"

namespace bascule_host {

// Both structures of a name have one layout, so each is filled through the plain one.
template <typename Plain, typename Tiling>
BASCULE_HIDDEN inline void FillTiling(const Plain& from, Tiling* to) {
  static_assert(sizeof(Plain) == sizeof(Tiling), "one layout");
  std::memcpy(static_cast<void*>(to), &from, sizeof(Plain));
}

BASCULE_HIDDEN inline uint32_t Dim(const char* function, const ge::Shape& shape, size_t axis) {
  const int64_t size = shape.GetDim(axis);
  if (size >= 0 && size <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(size);
  throw HostError(std::string(function) + ": dimension " + std::to_string(axis) + " is " +
                  std::to_string(size) + "; it has to be known and fit in 32 bits");
}
BASCULE_HIDDEN inline void NeedAxes(const char* function, const ge::Shape& shape, size_t axes) {
  if (shape.GetDimNum() == axes) return;
  throw HostError(std::string(function) + ": the shape has " + std::to_string(shape.GetDimNum()) +
                  " dimensions; it has to have " + std::to_string(axes));
}

constexpr uint32_t kLastBlockedTranspose = 6;
constexpr uint32_t kMatrixTranspose = 7;
constexpr uint32_t kFirstPermutation = 13;
constexpr uint32_t kLastPermutation = 15;

// [B, N, S, H / N] for the blocked formats, [H, W] or three axes of ND else.
BASCULE_HIDDEN inline AscendC::tiling::ConfusionTransposeTiling TransposeTiling(
    const char* function, const ge::Shape& shape, uint32_t type) {
  AscendC::tiling::ConfusionTransposeTiling tiling;
  if (type >= 1 && type <= kLastBlockedTranspose) {
    NeedAxes(function, shape, 4);
    tiling.param0 = Dim(function, shape, 0);
    tiling.param1 = Dim(function, shape, 1);
    tiling.param2 = Dim(function, shape, 2);
    tiling.param3 = Dim(function, shape, 3);
    return tiling;
  }
  const bool permutation = type >= kFirstPermutation && type <= kLastPermutation;
  if (type != kMatrixTranspose && !permutation) {
    throw HostError(std::string(function) + ": transposeTypeIn is " + std::to_string(type) +
                    "; it has to be 1 to 7 or 13 to 15");
  }
  const bool three = permutation && shape.GetDimNum() == 3;
  NeedAxes(function, shape, three ? 3 : 2);
  tiling.param0 = three ? Dim(function, shape, 0) : 1;
  tiling.param1 = Dim(function, shape, three ? 1 : 0);
  tiling.param2 = Dim(function, shape, three ? 2 : 1);
  return tiling;
}

}  // namespace bascule_host

namespace AscendC {

BASCULE_HIDDEN inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&,
                                                     const TensorShape&,
                                                     const TensorShape& dstShape, uint32_t typeSize,
                                                     const bool, uint32_t& maxValue,
                                                     uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetBroadCastMaxMinTmpSize", dstShape, typeSize, &maxValue,
                               &minValue);
}

BASCULE_HIDDEN inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&,
                                                     const TensorShape& srcShape,
                                                     const TensorShape&, const TensorDataType,
                                                     const TransDataConfig&, uint32_t& maxValue,
                                                     uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetTransDataMaxMinTmpSize", srcShape, 2, &maxValue, &minValue);
  return true;
}

// GetConfusionTranspose… are the older names.
#define BASCULE_TRANSPOSE(name)                                                                    \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(                                             \
      const TensorShape& srcShape, const uint32_t typeSize, const uint32_t transposeTypeIn,        \
      uint32_t& maxValue, uint32_t& minValue) {                                                    \
    bascule_host::TransposeTiling("Get" #name "MaxMinTmpSize", srcShape, transposeTypeIn);         \
    bascule_host::MaxMinTmpBytes("Get" #name "MaxMinTmpSize", srcShape, typeSize, &maxValue,       \
                                 &minValue);                                                       \
  }                                                                                                \
  template <typename Tiling>                                                                       \
  BASCULE_HIDDEN inline void Get##name##TilingInfo(const TensorShape& srcShape, const uint32_t,    \
                                                   const uint32_t, const uint32_t transposeTypeIn, \
                                                   Tiling& tiling) {                               \
    bascule_host::FillTiling(                                                                      \
        bascule_host::TransposeTiling("Get" #name "TilingInfo", srcShape, transposeTypeIn),        \
        &tiling);                                                                                  \
  }
BASCULE_TRANSPOSE(Transpose)
BASCULE_TRANSPOSE(ConfusionTranspose)
#undef BASCULE_TRANSPOSE
template <typename Tiling>
BASCULE_HIDDEN inline void GetConfusionTransposeOnlyTilingInfo(const TensorShape& srcShape,
                                                               const uint32_t stackBufferSize,
                                                               const uint32_t typeSize,
                                                               Tiling& tiling) {
  GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize,
                                  bascule_host::kMatrixTranspose, tiling);
}

BASCULE_HIDDEN inline void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                               uint32_t& maxValue, uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetPadMaxMinTmpSize", srcShape, typeSize, &maxValue, &minValue);
}
// srcShape is the source as it lies in memory, oriSrcShape what of it is data.
template <typename Tiling>
BASCULE_HIDDEN inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape,
                                         const uint32_t stackBufferSize, const uint32_t,
                                         Tiling& padTiling) {
  bascule_host::NeedAxes("PadTilingFunc", srcShape, 2);
  bascule_host::NeedAxes("PadTilingFunc", oriSrcShape, 2);
  tiling::PadTiling plain;
  plain.srcHeight = bascule_host::Dim("PadTilingFunc", srcShape, 0);
  plain.srcWidth = bascule_host::Dim("PadTilingFunc", srcShape, 1);
  plain.srcOriWidth = bascule_host::Dim("PadTilingFunc", oriSrcShape, 1);
  plain.tmpSize = stackBufferSize;
  bascule_host::FillTiling(plain, &padTiling);
}

BASCULE_HIDDEN inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&,
                                                 const TensorShape& srcShape,
                                                 const uint32_t typeSize, uint32_t& maxValue,
                                                 uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetUnPadMaxMinTmpSize", srcShape, typeSize, &maxValue, &minValue);
}
template <typename Tiling>
BASCULE_HIDDEN inline void UnPadTilingFunc(const TensorShape srcShape,
                                           const uint32_t stackBufferSize, const uint32_t,
                                           Tiling& unPadTiling) {
  bascule_host::NeedAxes("UnPadTilingFunc", srcShape, 2);
  tiling::UnPadTiling plain;
  plain.srcHeight = bascule_host::Dim("UnPadTilingFunc", srcShape, 0);
  plain.srcWidth = bascule_host::Dim("UnPadTilingFunc", srcShape, 1);
  plain.tmpSize = stackBufferSize;
  bascule_host::FillTiling(plain, &unPadTiling);
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_TRANSFORM_TRANSFORM_TILING_H_
