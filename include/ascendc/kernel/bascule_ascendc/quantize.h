// AscendQuant, AscendDequant, AscendAntiQuant: quantisation and back.
// Source: the pages of the quantisation chapter of the Ascend C documentation; what they have for
// Atlas A2. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_QUANTIZE_H
#define BASCULE_ASCENDC_QUANTIZE_H

#include "bascule_ascendc/library_call.h"

BASCULE_ASCENDC_BEGIN

// Sizes that are known when the kernel is compiled; they say nothing here.
struct AscendQuantConfig {
  uint32_t calcCount = 0;
  uint32_t offsetCount = 0;
  uint32_t scaleCount = 0;
  uint32_t workLocalSize = 0;
};

// m rows of n elements, of which the first calCount are converted.
struct DequantParams {
  uint32_t m;
  uint32_t n;
  uint32_t calCount;
};
// Whether one row of n elements, with calCount a multiple of 32 bytes that divides n, is n /
// calCount rows.
enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };

// Rows and columns of offsets and scales; zeros: what SetShapeInfo said of the tensors.
struct AntiQuantShapeInfo {
  uint32_t offsetHeight{0};
  uint32_t offsetWidth{0};
  uint32_t scaleHeight{0};
  uint32_t scaleWidth{0};
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
BASCULE_ASCENDC_BEGIN
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};
BASCULE_ASCENDC_END

namespace bascule_ascendc {

// --- AscendQuant

template <typename T>
void Quantise(const AscendC::LocalTensor<int8_t>& dst, const AscendC::LocalTensor<T>& src,
              const BasculeOperand& scales, const BasculeOperand& offsets, float scale,
              float offset, uint32_t scale_count, uint32_t count, const Site& site) {
  BASCULE_SUPPORTED(AscendQuant, half, float);
  VectorCall<T>(BASCULE_OPCODE_kAscendQuant, dst, site)
      .Source(src)
      .Source(scales)
      .Source(offsets)
      .Scalar(scale)
      .Extra(0, Pair(count, scale_count))
      .Extra(1, offset)
      .Whole();
}

template <typename T>
void QuantisePerChannel(const AscendC::LocalTensor<int8_t>& dst, const AscendC::LocalTensor<T>& src,
                        const AscendC::LocalTensor<T>& scales, const BasculeOperand& offsets,
                        float offset, uint32_t scale_count, uint32_t count, const Site& site) {
  if (scale_count == 0 || scale_count % 32 != 0) {
    FailArgument("AscendQuant", "scaleCount", scale_count, "it has to be a multiple of 32", site);
  }
  Quantise(dst, src, Operand(scales), offsets, 0, offset, scale_count, count, site);
}

inline void CheckOffsetCount(uint32_t offset_count, uint32_t scale_count, const Site& site) {
  if (offset_count != scale_count) {
    FailArgument("AscendQuant", "offsetCount", offset_count, "it has to be the same as scaleCount",
                 site);
  }
}

// --- AscendDequant

template <typename T, typename scaleT>
void Dequantise(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<int32_t>& src,
                const BasculeOperand& scales, float scale, uint32_t available, const Temporary& tmp,
                AscendC::DequantParams params, AscendC::DeQuantMode mode, const Site& site) {
  BASCULE_SUPPORTED(AscendDequant, half, bfloat16_t, float);
  static_assert(std::is_same_v<T, half> ? std::is_same_v<scaleT, uint64_t>
                                        : IsOneOf<scaleT, float, bfloat16_t>,
                "AscendDequant: the scales of half are a tensor of uint64_t, those of float and "
                "bfloat16_t are float or bfloat16_t");
  if (params.calCount == 0 || params.calCount > params.n) {
    FailArgument("AscendDequant", "calCount", params.calCount, "it has to be 1 to n", site);
  }
  constexpr uint32_t kBlock = BASCULE_DATABLOCK_BYTES / sizeof(T);
  if (mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW && params.m == 1 &&
      params.calCount % kBlock == 0 && params.n % params.calCount == 0) {
    params.m = params.n / params.calCount;
    params.n = params.calCount;
  }
  if (params.calCount > available) {
    FailArgument("AscendDequant", "calCount", params.calCount,
                 "deqScale has fewer elements than that", site);
  }
  VectorCall<T>(BASCULE_OPCODE_kAscendDequant, dst, site)
      .Source(src)
      .Source(scales)
      .Source(tmp.operand)
      .Scalar(scale)
      .Extra(0, Pair(params.m, params.n))
      .Extra(1, Pair(params.calCount, WholeBlocks<T>(params.n)))
      .Extra(2, tmp.bytes)
      .Whole();
}

// --- AscendAntiQuant

struct AntiQuantShape {
  uint32_t rows;
  uint32_t columns;
};

// The source as rows and columns: K rows, or columns where it is transposed.
template <typename T>
AntiQuantShape AntiQuantSource(const AscendC::LocalTensor<T>& src, uint32_t k, bool transposed,
                               const Site& site) {
  const uint32_t size = src.GetSize();
  if (k == 0 || size % k != 0) {
    FailArgument("AscendAntiQuant", "k", k, "it has to divide the number of the source's elements",
                 site);
  }
  return transposed ? AntiQuantShape{size / k, k} : AntiQuantShape{k, size / k};
}

// Of scales or offsets: as told, as noted on the tensor, or by how many there are.
template <typename T>
AntiQuantShape AntiQuantFactors(const char* what, const AscendC::LocalTensor<T>& factors,
                                uint32_t height, uint32_t width, const AntiQuantShape& src,
                                bool transposed, const Site& site) {
  if (height == 0 || width == 0) {
    const AscendC::ShapeInfo noted = factors.GetShapeInfo();
    if (noted.shapeDim >= 2) {
      height = noted.shape[noted.shapeDim - 2];
      width = noted.shape[noted.shapeDim - 1];
    } else if (noted.shapeDim == 1) {
      height = transposed ? noted.shape[0] : 1;
      width = transposed ? 1 : noted.shape[0];
    } else {
      const uint32_t size = factors.GetSize();
      height = transposed ? src.rows : size / src.columns;
      width = transposed ? size / src.rows : src.columns;
    }
  }
  const bool fits = transposed ? height == src.rows && width != 0 && src.columns % width == 0
                               : width == src.columns && height != 0 && src.rows % height == 0;
  if (!fits) {
    char text[224];
    std::snprintf(text, sizeof(text),
                  "AscendAntiQuant: %s has %u rows and %u columns; for a source of %u and %u it "
                  "has as many %s, and its %s divide the source's",
                  what, static_cast<unsigned>(height), static_cast<unsigned>(width),
                  static_cast<unsigned>(src.rows), static_cast<unsigned>(src.columns),
                  transposed ? "rows" : "columns", transposed ? "columns" : "rows");
    Fail(text, site);
  }
  return {height, width};
}

template <bool isTranspose, typename From, typename T>
void AntiQuantise(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<From>& src,
                  const AscendC::LocalTensor<T>* offsets, const AscendC::LocalTensor<T>* scales,
                  float offset, float scale, uint32_t k, const AscendC::AntiQuantShapeInfo& info,
                  const Site& site) {
  BASCULE_SUPPORTED(AscendAntiQuant, half, bfloat16_t);
  static_assert(IsOneOf<From, int8_t, AscendC::int4b_t>,
                "AscendAntiQuant: the source is of int8_t or int4b_t");
  const AntiQuantShape shape = AntiQuantSource(src, k, isTranspose, site);
  AntiQuantShape factors = {0, 0};
  if (scales != nullptr) {
    factors = AntiQuantFactors("scale", *scales, info.scaleHeight, info.scaleWidth, shape,
                               isTranspose, site);
  }
  if (offsets != nullptr) {
    const AntiQuantShape own = AntiQuantFactors("offset", *offsets, info.offsetHeight,
                                                info.offsetWidth, shape, isTranspose, site);
    if (own.rows != factors.rows || own.columns != factors.columns) {
      FailCall("AscendAntiQuant", "offset and scale have different shapes", site);
    }
  }
  constexpr uint8_t kType = TypeNumber<T>::value;
  VectorCall<T>(BASCULE_OPCODE_kAscendAntiQuant, dst, site)
      .Source(src)
      .Source(offsets != nullptr ? Operand(*offsets) : NoOperand(kType))
      .Source(scales != nullptr ? Operand(*scales) : NoOperand(kType))
      .Scalar(scale)
      .Extra(0, Pair(shape.rows, shape.columns))
      .Extra(1, Pair(factors.rows, factors.columns))
      .Extra(3, offset)
      .Whole();
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

#define BASCULE_QUANT_TEMPLATE                      \
  template <typename T, bool isReuseSource = false, \
            const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
// The four forms of a call: with and without temporary space and count. `operands` is what stands
// between both, `counts` what stands before calCount; `call` gets `calCount`.
#define BASCULE_UNPACK(...) __VA_ARGS__
#define BASCULE_QUANT_FORMS(operands, counts, counted, whole)                                    \
  BASCULE_QUANT_TEMPLATE                                                                         \
  __aicore__ inline void AscendQuant(                                                            \
      const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,                     \
      const LocalTensor<uint8_t>& sharedTmpBuffer, BASCULE_UNPACK operands,                      \
      BASCULE_UNPACK counts const uint32_t calCount, bascule_ascendc::Site site = {}) {          \
    bascule_ascendc::Temporary("AscendQuant", sharedTmpBuffer, site);                            \
    counted;                                                                                     \
  }                                                                                              \
  BASCULE_QUANT_TEMPLATE                                                                         \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,                       \
                                     const LocalTensor<T>& srcTensor,                            \
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,                \
                                     BASCULE_UNPACK operands, bascule_ascendc::Site site = {}) { \
    bascule_ascendc::Temporary("AscendQuant", sharedTmpBuffer, site);                            \
    const uint32_t calCount = srcTensor.GetSize();                                               \
    whole;                                                                                       \
  }                                                                                              \
  BASCULE_QUANT_TEMPLATE                                                                         \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,                       \
                                     const LocalTensor<T>& srcTensor, BASCULE_UNPACK operands,   \
                                     BASCULE_UNPACK counts const uint32_t calCount,              \
                                     bascule_ascendc::Site site = {}) {                          \
    counted;                                                                                     \
  }                                                                                              \
  BASCULE_QUANT_TEMPLATE                                                                         \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor,                       \
                                     const LocalTensor<T>& srcTensor, BASCULE_UNPACK operands,   \
                                     bascule_ascendc::Site site = {}) {                          \
    const uint32_t calCount = srcTensor.GetSize();                                               \
    whole;                                                                                       \
  }

// round(src · scale + offset), to the nearest even, within -128 and 127; computed in half, so a
// scale is one of half's range. One scale and offset for all, or one for each of the scaleCount
// elements that the source repeats; then the offset may be one for all.
BASCULE_QUANT_FORMS((const float scale, const float offset), (),
                    bascule_ascendc::Quantise(dstTensor, srcTensor,
                                              bascule_ascendc::NoOperand(BASCULE_FLOAT16),
                                              bascule_ascendc::NoOperand(BASCULE_FLOAT16), scale,
                                              offset, 0, calCount, site),
                    bascule_ascendc::Quantise(dstTensor, srcTensor,
                                              bascule_ascendc::NoOperand(BASCULE_FLOAT16),
                                              bascule_ascendc::NoOperand(BASCULE_FLOAT16), scale,
                                              offset, 0, calCount, site))
BASCULE_QUANT_FORMS((const LocalTensor<T>& scaleTensor,
                     const bascule_ascendc::NotDeduced<T> offset),
                    (const uint32_t scaleCount, ),
                    bascule_ascendc::QuantisePerChannel(dstTensor, srcTensor, scaleTensor,
                                                        bascule_ascendc::NoOperand(BASCULE_FLOAT16),
                                                        static_cast<float>(offset), scaleCount,
                                                        calCount, site),
                    bascule_ascendc::QuantisePerChannel(dstTensor, srcTensor, scaleTensor,
                                                        bascule_ascendc::NoOperand(BASCULE_FLOAT16),
                                                        static_cast<float>(offset),
                                                        scaleTensor.GetSize(), calCount, site))
BASCULE_QUANT_FORMS((const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor),
                    (const uint32_t scaleCount, const uint32_t offsetCount, ),
                    bascule_ascendc::CheckOffsetCount(offsetCount, scaleCount, site);
                    bascule_ascendc::QuantisePerChannel(dstTensor, srcTensor, scaleTensor,
                                                        bascule_ascendc::Operand(offsetTensor), 0,
                                                        scaleCount, calCount, site),
                    bascule_ascendc::CheckOffsetCount(offsetTensor.GetSize(), scaleTensor.GetSize(),
                                                      site);
                    bascule_ascendc::QuantisePerChannel(dstTensor, srcTensor, scaleTensor,
                                                        bascule_ascendc::Operand(offsetTensor), 0,
                                                        scaleTensor.GetSize(), calCount, site))
#undef BASCULE_QUANT_FORMS
#undef BASCULE_UNPACK
#undef BASCULE_QUANT_TEMPLATE

// src · deqScale, one scale for every column or one for all. A row of the destination begins every
// n elements, up to the next multiple of 32 bytes; what it has behind calCount is not written.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                                     DequantParams params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(
      dstTensor, srcTensor, bascule_ascendc::Operand(deqScale), 0, deqScale.GetSize(),
      {"AscendDequant", sharedTmpBuffer, site}, params, mode, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale, DequantParams params,
                                     bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(dstTensor, srcTensor,
                                            bascule_ascendc::Operand(deqScale), 0,
                                            deqScale.GetSize(), {}, params, mode, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor, const scaleT deqScale,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                                     DequantParams params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(
      dstTensor, srcTensor, bascule_ascendc::NoOperand(BASCULE_FLOAT), static_cast<float>(deqScale),
      UINT32_MAX, {"AscendDequant", sharedTmpBuffer, site}, params, mode, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor, const scaleT deqScale,
                                     DequantParams params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(
      dstTensor, srcTensor, bascule_ascendc::NoOperand(BASCULE_FLOAT), static_cast<float>(deqScale),
      UINT32_MAX, {}, params, mode, site);
}
// The older forms: one row of as many elements as the scales, or as calCount says.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                                     const uint32_t calCount, bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(
      dstTensor, srcTensor, bascule_ascendc::Operand(deqScale), 0, deqScale.GetSize(),
      {"AscendDequant", sharedTmpBuffer, site}, DequantParams{1, srcTensor.GetSize(), calCount},
      mode, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                                     bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(
      dstTensor, srcTensor, bascule_ascendc::Operand(deqScale), 0, deqScale.GetSize(),
      {"AscendDequant", sharedTmpBuffer, site},
      DequantParams{1, srcTensor.GetSize(), deqScale.GetSize()}, mode, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale, const uint32_t calCount,
                                     bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(
      dstTensor, srcTensor, bascule_ascendc::Operand(deqScale), 0, deqScale.GetSize(), {},
      DequantParams{1, srcTensor.GetSize(), calCount}, mode, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor,
                                     const LocalTensor<int32_t>& srcTensor,
                                     const LocalTensor<scaleT>& deqScale,
                                     bascule_ascendc::Site site = {}) {
  bascule_ascendc::Dequantise<dstT, scaleT>(
      dstTensor, srcTensor, bascule_ascendc::Operand(deqScale), 0, deqScale.GetSize(), {},
      DequantParams{1, srcTensor.GetSize(), deqScale.GetSize()}, mode, site);
}

// scale · (src + offset): of [K, N], or [N, K] where it is transposed, with an offset and a scale
// for every column of a group of rows (of every row of a group of columns), or one for all.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                       const LocalTensor<InputDataType>& src,
                                       const LocalTensor<OutputDataType>& offset,
                                       const LocalTensor<OutputDataType>& scale,
                                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                                       const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                                       bascule_ascendc::Site site = {}) {
  bascule_ascendc::Temporary("AscendAntiQuant", sharedTmpBuffer, site);
  bascule_ascendc::AntiQuantise<isTranspose>(dst, src, &offset, &scale, 0, 0, k, shapeInfo, site);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                       const LocalTensor<InputDataType>& src,
                                       const LocalTensor<OutputDataType>& scale,
                                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                                       const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                                       bascule_ascendc::Site site = {}) {
  bascule_ascendc::Temporary("AscendAntiQuant", sharedTmpBuffer, site);
  bascule_ascendc::AntiQuantise<isTranspose>(
      dst, src, static_cast<const LocalTensor<OutputDataType>*>(nullptr), &scale, 0, 0, k,
      shapeInfo, site);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                       const LocalTensor<InputDataType>& src,
                                       const LocalTensor<OutputDataType>& offset,
                                       const LocalTensor<OutputDataType>& scale, const uint32_t k,
                                       const AntiQuantShapeInfo& shapeInfo = {},
                                       bascule_ascendc::Site site = {}) {
  bascule_ascendc::AntiQuantise<isTranspose>(dst, src, &offset, &scale, 0, 0, k, shapeInfo, site);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                       const LocalTensor<InputDataType>& src,
                                       const bascule_ascendc::NotDeduced<OutputDataType> offset,
                                       const bascule_ascendc::NotDeduced<OutputDataType> scale,
                                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                                       const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                                       bascule_ascendc::Site site = {}) {
  bascule_ascendc::Temporary("AscendAntiQuant", sharedTmpBuffer, site);
  const LocalTensor<OutputDataType>* none = nullptr;
  bascule_ascendc::AntiQuantise<isTranspose>(dst, src, none, none, static_cast<float>(offset),
                                             static_cast<float>(scale), k, shapeInfo, site);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                       const LocalTensor<InputDataType>& src,
                                       const bascule_ascendc::NotDeduced<OutputDataType> scale,
                                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                                       const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                                       bascule_ascendc::Site site = {}) {
  bascule_ascendc::Temporary("AscendAntiQuant", sharedTmpBuffer, site);
  const LocalTensor<OutputDataType>* none = nullptr;
  bascule_ascendc::AntiQuantise<isTranspose>(dst, src, none, none, 0, static_cast<float>(scale), k,
                                             shapeInfo, site);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                       const LocalTensor<InputDataType>& src,
                                       const bascule_ascendc::NotDeduced<OutputDataType> offset,
                                       const bascule_ascendc::NotDeduced<OutputDataType> scale,
                                       const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                                       bascule_ascendc::Site site = {}) {
  const LocalTensor<OutputDataType>* none = nullptr;
  bascule_ascendc::AntiQuantise<isTranspose>(dst, src, none, none, static_cast<float>(offset),
                                             static_cast<float>(scale), k, shapeInfo, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_QUANTIZE_H
