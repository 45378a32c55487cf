// Tiling and temporary space of the normalisations.
//
// Shapes are those the kernel computes at once: [B, S, H] with H padded to 32 bytes and, as a
// fourth dimension or a shape of its own, the H that is data. A shape that is not like that, or
// more elements than fit, is a bascule_host::HostError; functions that return a bool return false.
// Source: the "Tiling" pages of the normalisation chapter of the Ascend C documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_NORMALIZATION_NORMALIZATION_TILING_H_
#define BASCULE_ASCENDC_TILING_NORMALIZATION_NORMALIZATION_TILING_H_

#include <vector>

#include "register/tilingdata_base.h"
#include "tiling/tmp_size.h"

namespace bascule_host {

// Whether all dimensions are known and their product fits what one core computes at once.
BASCULE_HIDDEN inline bool IsTileShape(const ge::Shape& shape, size_t rank) {
  return shape.GetDimNum() == rank && shape.GetShapeSize() >= 0 &&
         shape.GetShapeSize() <= std::numeric_limits<int32_t>::max();
}
BASCULE_HIDDEN inline void CheckTileShape(const char* function, const ge::Shape& shape, size_t rank,
                                          const char* dimensions) {
  Elements(function, shape);
  if (IsTileShape(shape, rank)) return;
  throw HostError(std::string(function) + ": the shape has " + std::to_string(shape.GetDimNum()) +
                  " dimensions and " + std::to_string(shape.GetShapeSize()) +
                  " elements; it has to be " + dimensions + " and fit in the memory of a core");
}
BASCULE_HIDDEN inline uint32_t Dim(const ge::Shape& shape, size_t index) {
  return static_cast<uint32_t>(shape.GetDim(index));
}

// The part that LayerNorm, DeepNorm and GroupNorm have in common: everything in one round.
template <typename Tiling>
BASCULE_HIDDEN void FillRounds(uint32_t elements, uint32_t rows, uint32_t tmp_bytes,
                               Tiling* tiling) {
  tiling->inputXSize = elements;
  tiling->meanVarSize = rows;
  tiling->numberOfTmpBuf = 1;
  tiling->varianceTmpTensorSize = rows;
  tiling->tmpBufSize = tmp_bytes / 4;
  tiling->oneTmpSize = tmp_bytes / 4;
  tiling->loopRound = 1;
  tiling->inputRoundSize = elements;
  tiling->meanVarRoundSize = rows;
}

BASCULE_HIDDEN inline AscendC::tiling::LayerNormTiling LayerNormTilingOf(const char* function,
                                                                         const ge::Shape& shape,
                                                                         uint32_t tmp_bytes) {
  const ge::Shape tile({shape.GetDim(0), shape.GetDim(1), shape.GetDim(2)});
  if (shape.GetDimNum() != 4 || shape.GetDim(3) < 0 || shape.GetDim(3) > shape.GetDim(2)) {
    throw HostError(std::string(function) +
                    ": the shape has to be [B, S, H, H before padding to 32 bytes]");
  }
  CheckTileShape(function, tile, 3, "[B, S, H, H before padding]");
  AscendC::tiling::LayerNormTiling tiling;
  tiling.bLength = Dim(shape, 0);
  tiling.sLength = Dim(shape, 1);
  tiling.hLength = Dim(shape, 2);
  tiling.originalHLength = Dim(shape, 3);
  const uint32_t rows = tiling.bLength * tiling.sLength;
  FillRounds(rows * tiling.hLength, rows, tmp_bytes, &tiling);
  tiling.meanTmpTensorSize = rows;
  tiling.bshCurLength = rows * tiling.hLength;
  tiling.bsCurLength = rows;
  if (tiling.originalHLength != 0)
    tiling.lastDimValueBack = 1 / static_cast<float>(tiling.originalHLength);
  return tiling;
}

BASCULE_HIDDEN inline AscendC::tiling::LayerNormSeparateTiling LayerNormSeparateTilingOf(
    const char* function, const ge::Shape& shape, uint32_t tmp_bytes) {
  CheckTileShape(function, shape, 2, "[A, R]");
  AscendC::tiling::LayerNormSeparateTiling tiling;
  tiling.aLength = Dim(shape, 0);
  tiling.rLength = Dim(shape, 1);
  tiling.rHeadLength = 1;
  while (tiling.rHeadLength * 2 <= tiling.rLength) tiling.rHeadLength *= 2;
  FillRounds(tiling.aLength * tiling.rLength, tiling.aLength, tmp_bytes, &tiling);
  tiling.k2Rec = 1 / static_cast<float>(tiling.rHeadLength);
  tiling.arCurLength = tiling.inputXSize;
  tiling.aCurLength = tiling.aLength;
  if (tiling.rLength != 0) {
    tiling.rValueBack = 1 / static_cast<float>(tiling.rLength);
    tiling.k2RRec = static_cast<float>(tiling.rHeadLength) / static_cast<float>(tiling.rLength);
  }
  return tiling;
}

template <typename Tiling>
BASCULE_HIDDEN Tiling GradTilingOf(const char* function, const ge::Shape& shape,
                                   uint32_t tmp_bytes) {
  const AscendC::tiling::LayerNormTiling norm = LayerNormTilingOf(function, shape, tmp_bytes);
  Tiling tiling;
  tiling.stackBufferSize = tmp_bytes;
  tiling.bLength = norm.bLength;
  tiling.sLength = norm.sLength;
  tiling.hLength = norm.hLength;
  tiling.originalHLength = norm.originalHLength;
  tiling.oneCalSize = norm.inputXSize;
  return tiling;
}

// [B, S, H] and [B, S, H before padding].
BASCULE_HIDDEN inline bool AreNormShapes(const ge::Shape& padded, const ge::Shape& data) {
  return IsTileShape(padded, 3) && IsTileShape(data, 3) && padded.GetDim(0) == data.GetDim(0) &&
         padded.GetDim(1) == data.GetDim(1) && data.GetDim(2) > 0 &&
         data.GetDim(2) <= padded.GetDim(2);
}
BASCULE_HIDDEN inline bool IsBasicNormShape(const ge::Shape& shape) {
  return shape.GetDim(2) % 64 == 0 && shape.GetDim(0) * shape.GetDim(1) % 8 == 0;
}

}  // namespace bascule_host

namespace AscendC {

#define BASCULE_TMP_SIZE(name)                                                                  \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(const TensorShape& srcShape,              \
                                                      const uint32_t typeSize, const bool,      \
                                                      uint32_t& maxValue, uint32_t& minValue) { \
    bascule_host::MaxMinTmpBytes("Get" #name "MaxMinTmpSize", srcShape, typeSize, &maxValue,    \
                                 &minValue);                                                    \
  }
BASCULE_TMP_SIZE(WelfordFinalize)
#undef BASCULE_TMP_SIZE
// The fourth dimension is no extent but the H before padding.
#define BASCULE_TMP_SIZE(name)                                                                  \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(const TensorShape& srcShape,              \
                                                      const uint32_t typeSize, const bool,      \
                                                      uint32_t& maxValue, uint32_t& minValue) { \
    std::vector<int64_t> dims = srcShape.GetDims();                                             \
    if (dims.size() > 3) dims.resize(3);                                                        \
    bascule_host::MaxMinTmpBytes("Get" #name "MaxMinTmpSize", TensorShape(dims), typeSize,      \
                                 &maxValue, &minValue);                                         \
  }
BASCULE_TMP_SIZE(LayerNorm)
BASCULE_TMP_SIZE(LayerNormGrad)
BASCULE_TMP_SIZE(LayerNormGradBeta)
#undef BASCULE_TMP_SIZE

BASCULE_HIDDEN inline void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape,
                                                     const uint32_t typeSize, const bool,
                                                     const bool, const bool, uint32_t& maxValue,
                                                     uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetLayerNormMaxMinTmpSize", srcShape, typeSize, &maxValue,
                               &minValue);
}
BASCULE_HIDDEN inline void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t,
                                                     const uint32_t typeSizeT, const bool,
                                                     const bool, const bool, uint32_t& maxValue,
                                                     uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetNormalizeMaxMinTmpSize", srcShape, typeSizeT, &maxValue,
                               &minValue);
}
BASCULE_HIDDEN inline void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape,
                                                         const uint32_t typeSizeT, const uint32_t,
                                                         const bool, const bool, uint32_t& maxValue,
                                                         uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetWelfordUpdateMaxMinTmpSize", srcShape, typeSizeT, &maxValue,
                               &minValue);
}
BASCULE_HIDDEN inline void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape,
                                                     const uint32_t typeSize, const bool,
                                                     const uint32_t, uint32_t& maxValue,
                                                     uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetGroupNormMaxMinTmpSize", srcShape, typeSize, &maxValue,
                               &minValue);
}
// False for a shape that isBasicBlock does not go with.
BASCULE_HIDDEN inline bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape,
                                                    const uint32_t typeSize, const bool,
                                                    const bool isBasicBlock, uint32_t& maxValue,
                                                    uint32_t& minValue) {
  if (!bascule_host::IsTileShape(srcShape, 3)) return false;
  if (isBasicBlock && !bascule_host::IsBasicNormShape(srcShape)) return false;
  bascule_host::MaxMinTmpBytes("GetDeepNormMaxMinTmpSize", srcShape, typeSize, &maxValue,
                               &minValue);
  return true;
}
BASCULE_HIDDEN inline bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape,
                                                   const uint32_t typeSize, uint32_t& maxValue,
                                                   uint32_t& minValue,
                                                   const bool isBasicBlock = false) {
  if (!bascule_host::IsTileShape(srcShape, 3)) return false;
  if (isBasicBlock && !bascule_host::IsBasicNormShape(srcShape)) return false;
  maxValue = bascule_host::MaxTmpBytes("GetRmsNormMaxMinTmpSize", srcShape, typeSize);
  minValue = bascule_tiling::RmsNormMinTmpBytes(bascule_host::Dim(srcShape, 2), typeSize);
  return true;
}
BASCULE_HIDDEN inline bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape,
                                                     const TensorShape& originSrcShape,
                                                     const uint32_t typeSize, const bool,
                                                     uint32_t& maxValue, uint32_t& minValue,
                                                     const bool = false) {
  if (!bascule_host::IsTileShape(srcShape, 3) || !bascule_host::IsTileShape(originSrcShape, 3))
    return false;
  bascule_host::MaxMinTmpBytes("GetBatchNormMaxMinTmpSize", srcShape, typeSize, &maxValue,
                               &minValue);
  return true;
}

// Each for the plain structure and for the class of the same layout.
#define BASCULE_UNPACK(...) __VA_ARGS__
#define BASCULE_TILING_OF(function, Result, Struct, parameters, last, ...)               \
  BASCULE_HIDDEN inline Result function(                                                 \
      BASCULE_UNPACK parameters,                                                         \
      tiling::Struct& out BASCULE_UNPACK last){__VA_ARGS__} BASCULE_HIDDEN inline Result \
  function(BASCULE_UNPACK parameters, optiling::Struct& out BASCULE_UNPACK last) {       \
    __VA_ARGS__                                                                          \
  }

#define BASCULE_NORM_PARAMETERS \
  (const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool)
BASCULE_TILING_OF(GetLayerNormNDTilingInfo, void, LayerNormTiling, BASCULE_NORM_PARAMETERS, (),
                  bascule_host::Assign(&out,
                                       bascule_host::LayerNormTilingOf("GetLayerNormNDTilingInfo",
                                                                       srcShape, stackBufferSize));)
// The name has been misspelt for long.
BASCULE_TILING_OF(GetLayerNormNDTillingInfo, void, LayerNormTiling, BASCULE_NORM_PARAMETERS, (),
                  bascule_host::Assign(&out,
                                       bascule_host::LayerNormTilingOf("GetLayerNormNDTillingInfo",
                                                                       srcShape, stackBufferSize));)
BASCULE_TILING_OF(
    GetLayerNormNDTilingInfo, void, LayerNormSeparateTiling,
    (const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
     const bool),
    (),
    bascule_host::Assign(&out, bascule_host::LayerNormSeparateTilingOf("GetLayerNormNDTilingInfo",
                                                                       srcShape, stackBufferSize));)
BASCULE_TILING_OF(
    GetLayerNormGradNDTilingInfo, void, LayerNormGradTiling, BASCULE_NORM_PARAMETERS, (),
    bascule_host::Assign(&out, bascule_host::GradTilingOf<tiling::LayerNormGradTiling>(
                                   "GetLayerNormGradNDTilingInfo", srcShape, stackBufferSize));)
BASCULE_TILING_OF(
    GetLayerNormGradBetaNDTilingInfo, void, LayerNormGradBetaTiling, BASCULE_NORM_PARAMETERS, (),
    bascule_host::Assign(&out, bascule_host::GradTilingOf<tiling::LayerNormGradBetaTiling>(
                                   "GetLayerNormGradBetaNDTilingInfo", srcShape, stackBufferSize));)
BASCULE_TILING_OF(
    GetDeepNormTilingInfo, bool, DeepNormTiling,
    (const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t stackBufferSize,
     const uint32_t, const bool, const bool isBasicBlock),
    (), if (!bascule_host::AreNormShapes(srcShape, originSrcShape)) return false;
    if (isBasicBlock && !bascule_host::IsBasicNormShape(srcShape)) return false;
    bascule_host::Assign(&out, bascule_host::LayerNormTilingOf(
                                   "GetDeepNormTilingInfo",
                                   TensorShape({srcShape.GetDim(0), srcShape.GetDim(1),
                                                srcShape.GetDim(2), originSrcShape.GetDim(2)}),
                                   stackBufferSize));
    return true;)
BASCULE_TILING_OF(
    GetRmsNormTilingInfo, bool, RmsNormTiling,
    (const TensorShape& srcShape, const TensorShape& originSrcShape,
     const uint32_t stackBufferByteSize, const uint32_t typeSize),
    (, const bool isBasicBlock = false),
    if (!bascule_host::AreNormShapes(srcShape, originSrcShape)) return false;
    if (isBasicBlock && !bascule_host::IsBasicNormShape(srcShape)) return false;
    if (stackBufferByteSize <
        bascule_tiling::RmsNormMinTmpBytes(bascule_host::Dim(srcShape, 2), typeSize)) return false;
    tiling::RmsNormTiling plain; plain.bLength = bascule_host::Dim(srcShape, 0);
    plain.sLength = bascule_host::Dim(srcShape, 1); plain.hLength = bascule_host::Dim(srcShape, 2);
    plain.originalHLength = bascule_host::Dim(originSrcShape, 2);
    plain.reciprocalOfHLength = 1 / static_cast<float>(plain.originalHLength);
    plain.mainBsLength = plain.bLength * plain.sLength;
    plain.mainBsLengthAlign = (plain.mainBsLength + 7) / 8 * 8;
    plain.mainBshLength = plain.mainBsLength * plain.hLength; plain.loopRound = 1;
    plain.inputTailPos = plain.mainBshLength; bascule_host::Assign(&out, plain); return true;)
BASCULE_TILING_OF(
    GetBatchNormNDTilingInfo, bool, BatchNormTiling,
    (const TensorShape& srcShape, const TensorShape& originSrcShape,
     const uint32_t stackBufferByteSize, const uint32_t, const bool),
    (, const bool = false),
    if (!bascule_host::IsTileShape(srcShape, 3) || !bascule_host::IsTileShape(originSrcShape, 3) ||
        originSrcShape.GetDim(0) <= 0 || originSrcShape.GetDim(0) > srcShape.GetDim(0)) {
      return false;
    } tiling::BatchNormTiling plain;
    plain.originalBLength = bascule_host::Dim(originSrcShape, 0);
    plain.meanVarSize = bascule_host::Dim(srcShape, 1) * bascule_host::Dim(srcShape, 2);
    plain.tmpBufSize = plain.oneTmpSize = stackBufferByteSize / 4; plain.loopRound = 1;
    plain.shCurLength = plain.meanVarSize;
    plain.bshCurLength = plain.originalBLength * plain.meanVarSize;
    plain.firstDimValueBack = 1 / static_cast<float>(plain.originalBLength);
    bascule_host::Assign(&out, plain); return true;)
BASCULE_TILING_OF(
    GetGroupNormNDTilingInfo, void, GroupNormTiling,
    (const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
     const uint32_t groupNum),
    (), bascule_host::CheckTileShape("GetGroupNormNDTilingInfo", srcShape, 4, "[N, C, H, W]");
    if (groupNum == 0 || srcShape.GetDim(1) % groupNum != 0) {
      throw bascule_host::HostError(
          "GetGroupNormNDTilingInfo: " + std::to_string(srcShape.GetDim(1)) +
          " channels cannot be cut into " + std::to_string(groupNum) +
          " groups of the same number");
    } tiling::GroupNormTiling plain;
    plain.n = bascule_host::Dim(srcShape, 0); plain.c = bascule_host::Dim(srcShape, 1);
    plain.hw = bascule_host::Dim(srcShape, 2) * bascule_host::Dim(srcShape, 3); plain.g = groupNum;
    plain.d = plain.c / groupNum; plain.hwAlignSize = plain.hw;
    plain.dhwAlignSize = plain.d * plain.hw;
    bascule_host::FillRounds(plain.n * plain.c * plain.hw, plain.n* plain.g, stackBufferSize,
                             &plain);
    plain.meanTmpTensorSize = plain.meanVarSize;
    if (plain.dhwAlignSize != 0) plain.factor = 1 / static_cast<float>(plain.dhwAlignSize);
    bascule_host::Assign(&out, plain);)
#undef BASCULE_NORM_PARAMETERS
#undef BASCULE_TILING_OF
#undef BASCULE_UNPACK

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_NORMALIZATION_NORMALIZATION_TILING_H_
