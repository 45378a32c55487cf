// SoftMax, its gradient and the steps of attention that carry a softmax from block to block.
//
// A source is a matrix of srcM rows of srcK columns, each row padded to 32 bytes; oriSrcK columns
// are data. Sums and maxima have a datablock of 32 bytes a row that repeats the value (one element
// with SOFTMAX_OUTPUT_WITHOUT_BRC). What padding becomes means nothing. Source and destination may
// be the same tensor, so may the statistics that go in and come out. Tiling says nothing here but
// the shape, where the call does not.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SOFTMAX_H
#define BASCULE_ASCENDC_SOFTMAX_H

#include "bascule_ascendc/library.h"

BASCULE_ASCENDC_BEGIN

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};

struct SoftMaxShapeInfo {
  uint32_t srcM = 0;
  uint32_t srcK = 0;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;

  constexpr SoftMaxShapeInfo() = default;
  constexpr SoftMaxShapeInfo(uint32_t rows, uint32_t columns, uint32_t dataRows,
                             uint32_t dataColumns)
      : srcM(rows), srcK(columns), oriSrcM(dataRows), oriSrcK(dataColumns) {}
};

struct SoftMaxParams {
  uint32_t srcM;
  uint32_t srcK;
  uint32_t oriSrcM;
  uint32_t oriSrcK;
  uint32_t loopCnt;       // rounds so far, from 1
  uint32_t splitMeanCnt;  // parts of a row with a mean of their own: 8
  float alpha;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
BASCULE_ASCENDC_BEGIN
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG{};
BASCULE_ASCENDC_END

namespace bascule_ascendc {

constexpr uint32_t SoftmaxMode(bool nz, const AscendC::SoftmaxConfig& config) {
  return (nz ? BASCULE_ROWS_NZ : 0) |
         (config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC ? BASCULE_ROWS_COMPACT
                                                                          : 0);
}

// From the call, else from the tiling.
inline RowsShape SoftmaxShape(const char* name, const AscendC::SoftMaxShapeInfo& info,
                              uint32_t tiling_m, uint32_t tiling_k,
                              const AscendC::SoftmaxConfig& config, const Site& site) {
  RowsShape shape{info.srcM, info.srcK, info.oriSrcK};
  if (shape.rows == 0 && shape.columns == 0) shape = {tiling_m, tiling_k, 0};
  if (shape.columns == 0) {
    char text[192];
    std::snprintf(text, sizeof(text),
                  "%s: the shape of the source is not known; pass a SoftMaxShapeInfo, or a tiling "
                  "that the host's tiling function has filled",
                  name);
    Fail(text, site);
  }
  if (config.oriSrcK != 0) shape.data = config.oriSrcK;
  if (shape.data == 0) shape.data = shape.columns;
  return shape;
}

inline void CheckSoftmaxTmp(const char* name, const AscendC::LocalTensor<uint8_t>& tmp,
                            const Site& site) {
  CheckTmp(name, tmp, bascule_tiling::kMinTmpBytes, "GetSoftMax…MinTmpSize", site);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// T: elements of source and destination; S: of sums and maxima, T or float.
#define BASCULE_CHECK_SOFTMAX(name)                               \
  BASCULE_SUPPORTED(name, half, float);                           \
  static_assert(std::is_same_v<S, T> || std::is_same_v<S, float>, \
                #name ": sums and maxima have the type of the source, or are float")

// One function with and without sharedTmpBuffer. `operands` are the tensors, `shape` the last
// parameters, `first` is what they are called as.
#define BASCULE_WITH_TMP(name, parameters, operands, last, body)                                \
  template <BASCULE_UNPACK parameters>                                                          \
  __aicore__ inline void name(BASCULE_UNPACK operands, BASCULE_UNPACK last,                     \
                              bascule_ascendc::Site site = {}) {                                \
    BASCULE_UNPACK body                                                                         \
  }                                                                                             \
  template <BASCULE_UNPACK parameters>                                                          \
  __aicore__ inline void name(BASCULE_UNPACK operands,                                          \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, BASCULE_UNPACK last, \
                              bascule_ascendc::Site site = {}) {                                \
    bascule_ascendc::CheckSoftmaxTmp(#name, sharedTmpBuffer, site);                             \
    BASCULE_UNPACK body                                                                         \
  }
#define BASCULE_UNPACK(...) __VA_ARGS__
#define BASCULE_SOFTMAX_SHAPE(name) \
  bascule_ascendc::SoftmaxShape(name, softmaxShapeInfo, tiling.srcM, tiling.srcK, config, site)
#define BASCULE_SOFTMAX_LAST \
  (const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {})

// dst = exp(src - max) / sum of a row.
#define BASCULE_SOFTMAX_PARAMETERS                                                                 \
  (typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, \
   const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename S)
BASCULE_WITH_TMP(
    SoftMax, BASCULE_SOFTMAX_PARAMETERS,
    (const LocalTensor<T>& dstTensor, const LocalTensor<S>& sumTensor,
     const LocalTensor<S>& maxTensor, const LocalTensor<T>& srcTensor),
    BASCULE_SOFTMAX_LAST,
    (BASCULE_CHECK_SOFTMAX(SoftMax);
     bascule_ascendc::RowsCall(BASCULE_OPCODE_kSoftMax, dstTensor, BASCULE_SOFTMAX_SHAPE("SoftMax"),
                               bascule_ascendc::SoftmaxMode(isDataFormatNZ, config), site)
         .With(sumTensor)
         .With(maxTensor)
         .With(srcTensor)
         .Run();))
#define BASCULE_SOFTMAX_ALONE                                         \
  (typename T, bool isReuseSource = false, bool isBasicBlock = false, \
   const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG)
BASCULE_WITH_TMP(SoftMax, BASCULE_SOFTMAX_ALONE,
                 (const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor),
                 BASCULE_SOFTMAX_LAST,
                 (BASCULE_SUPPORTED(SoftMax, half, float);
                  bascule_ascendc::RowsCall(BASCULE_OPCODE_kSoftMax, dstTensor,
                                            BASCULE_SOFTMAX_SHAPE("SoftMax"),
                                            bascule_ascendc::SoftmaxMode(false, config), site)
                      .template Without<T>()
                      .template Without<T>()
                      .With(srcTensor)
                      .Run();))

// As SoftMax with the sum and the maximum of each row given.
BASCULE_WITH_TMP(SimpleSoftMax, BASCULE_SOFTMAX_PARAMETERS,
                 (const LocalTensor<T>& dstTensor, const LocalTensor<S>& inSumTensor,
                  const LocalTensor<S>& inMaxTensor, const LocalTensor<T>& srcTensor),
                 BASCULE_SOFTMAX_LAST,
                 (BASCULE_CHECK_SOFTMAX(SimpleSoftMax);
                  bascule_ascendc::RowsCall(BASCULE_OPCODE_kSimpleSoftMax, dstTensor,
                                            BASCULE_SOFTMAX_SHAPE("SimpleSoftMax"),
                                            bascule_ascendc::SoftmaxMode(isDataFormatNZ, config),
                                            site)
                      .With(inSumTensor)
                      .With(inMaxTensor)
                      .With(srcTensor)
                      .Run();))

// Softmax of a row that comes in pieces: with isUpdate the maximum and the sum of what came before
// take part, and expMax is what earlier results are to be multiplied by. This version divides by
// the sum.
BASCULE_WITH_TMP(SoftmaxFlash,
                 (typename T, bool isReuseSource = false, bool isBasicBlock = false,
                  const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename S),
                 (const LocalTensor<T>& dstTensor, const LocalTensor<S>& sumTensor,
                  const LocalTensor<S>& maxTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<T>& expMaxTensor, const LocalTensor<S>& inSumTensor,
                  const LocalTensor<S>& inMaxTensor),
                 (const SoftMaxTiling& tiling, bool isUpdate = false,
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}),
                 (BASCULE_CHECK_SOFTMAX(SoftmaxFlash);
                  bascule_ascendc::RowsCall(BASCULE_OPCODE_kSoftmaxFlash, dstTensor,
                                            BASCULE_SOFTMAX_SHAPE("SoftmaxFlash"),
                                            bascule_ascendc::SoftmaxMode(false, config) |
                                                (isUpdate ? BASCULE_ROWS_UPDATE : 0),
                                            site)
                      .With(sumTensor)
                      .With(maxTensor)
                      .With(srcTensor)
                      .With(expMaxTensor)
                      .With(inSumTensor)
                      .With(inMaxTensor)
                      .template Without<S>()
                      .Run();))

// As above without the division, which the last round makes up for.
#define BASCULE_FLASH_PARAMETERS                                                             \
  (typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, \
   bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename S)
#define BASCULE_FLASH_CALL(reduce_max)                                                             \
  BASCULE_CHECK_SOFTMAX(SoftmaxFlashV2);                                                           \
  bascule_ascendc::RowsCall(                                                                       \
      BASCULE_OPCODE_kSoftmaxFlashV2, dstTensor, BASCULE_SOFTMAX_SHAPE("SoftmaxFlashV2"),          \
      bascule_ascendc::SoftmaxMode(isDataFormatNZ, config) | (isUpdate ? BASCULE_ROWS_UPDATE : 0), \
      site)                                                                                        \
      .With(expSumTensor)                                                                          \
      .With(maxTensor)                                                                             \
      .With(srcTensor)                                                                             \
      .With(expMaxTensor)                                                                          \
      .With(inExpSumTensor)                                                                        \
      .With(inMaxTensor)                                                                           \
      .reduce_max.Run();
BASCULE_WITH_TMP(SoftmaxFlashV2, BASCULE_FLASH_PARAMETERS,
                 (const LocalTensor<T>& dstTensor, const LocalTensor<S>& expSumTensor,
                  const LocalTensor<S>& maxTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<T>& expMaxTensor, const LocalTensor<S>& inExpSumTensor,
                  const LocalTensor<S>& inMaxTensor),
                 BASCULE_SOFTMAX_LAST, (BASCULE_FLASH_CALL(template Without<S>())))
// outReduceMax: the maximum of the rows themselves, where isUpdate.
BASCULE_WITH_TMP(SoftmaxFlashV2, BASCULE_FLASH_PARAMETERS,
                 (const LocalTensor<T>& dstTensor, const LocalTensor<S>& outReduceMax,
                  const LocalTensor<S>& expSumTensor, const LocalTensor<S>& maxTensor,
                  const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                  const LocalTensor<S>& inExpSumTensor, const LocalTensor<S>& inMaxTensor),
                 BASCULE_SOFTMAX_LAST, (BASCULE_FLASH_CALL(With(outReduceMax))))

// With a mean that rows are shifted by (PASA); half, statistics in float.
BASCULE_WITH_TMP(SoftmaxFlashV3,
                 (typename T, typename U, bool isUpdate = false, bool isReuseSource = false,
                  bool isBasicBlock = false, bool isDataFormatNZ = false,
                  const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG),
                 (const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                  const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                  const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                  const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                  const LocalTensor<U>& inMaxTensor),
                 (const SoftMaxTiling& /*tiling*/, const SoftMaxParams& params),
                 (BASCULE_SUPPORTED(SoftmaxFlashV3, half);
                  static_assert(std::is_same_v<U, float>, "SoftmaxFlashV3: statistics are float");
                  if (params.splitMeanCnt != 8) {
                    bascule_ascendc::Fail("SoftmaxFlashV3: splitMeanCnt has to be 8", site);
                  } bascule_ascendc::RowsCall(BASCULE_OPCODE_kSoftmaxFlashV3, dstTensor,
                                              bascule_ascendc::RowsShape{params.srcM, params.srcK,
                                                                         params.oriSrcK},
                                              isUpdate ? BASCULE_ROWS_UPDATE : 0, site)
                      .With(meanTensor)
                      .With(expSumTensor)
                      .With(maxTensor)
                      .With(srcTensor)
                      .With(expMaxTensor)
                      .With(inMeanTensor)
                      .With(inExpSumTensor)
                      .With(inMaxTensor)
                      .Number(params.loopCnt)
                      .Floats(params.alpha)
                      .Run();))

// dst = sum(grad · src) of a row, a datablock each.
#define BASCULE_GRAD_SHAPE(name)                                                  \
  bascule_ascendc::SoftmaxShape(name, softmaxShapeInfo, tiling.srcM, tiling.srcK, \
                                SOFTMAX_DEFAULT_CFG, site)
#define BASCULE_GRAD_OPERANDS                                         \
  (const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor, \
   const LocalTensor<T>& srcTensor)
BASCULE_WITH_TMP(SoftmaxGradFront,
                 (typename T, bool isBasicBlock = false, bool isDataFormatNZ = false),
                 BASCULE_GRAD_OPERANDS, BASCULE_SOFTMAX_LAST,
                 (BASCULE_SUPPORTED(SoftmaxGradFront, half, float);
                  bascule_ascendc::RowsCall(BASCULE_OPCODE_kSoftmaxGradFront, dstTensor,
                                            BASCULE_GRAD_SHAPE("SoftmaxGradFront"),
                                            isDataFormatNZ ? BASCULE_ROWS_NZ : 0, site)
                      .With(gradTensor)
                      .With(srcTensor)
                      .Run();))
// dst = (grad - sum(grad · src)) · src; isFront gives the sum alone.
BASCULE_WITH_TMP(SoftmaxGrad, (typename T, bool isReuseSource = false, bool isDataFormatNZ = false),
                 BASCULE_GRAD_OPERANDS,
                 (const SoftMaxTiling& tiling, bool isFront = false,
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}),
                 (BASCULE_SUPPORTED(SoftmaxGrad, half, float);
                  bascule_ascendc::RowsCall(isFront ? BASCULE_OPCODE_kSoftmaxGradFront
                                                    : BASCULE_OPCODE_kSoftmaxGrad,
                                            dstTensor, BASCULE_GRAD_SHAPE("SoftmaxGrad"),
                                            isDataFormatNZ ? BASCULE_ROWS_NZ : 0, site)
                      .With(gradTensor)
                      .With(srcTensor)
                      .Run();))

// The decimal logarithm of SoftMax.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum,
                                  const LocalTensor<T>& max, const LocalTensor<T>& src,
                                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                                  const LogSoftMaxTiling& tiling,
                                  const SoftMaxShapeInfo& softmaxShapeInfo = {},
                                  bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(LogSoftMax, half, float);
  bascule_ascendc::CheckTmp("LogSoftMax", sharedTmpBuffer, bascule_tiling::kMinTmpBytes,
                            "GetLogSoftMaxMinTmpSize", site);
  bascule_ascendc::RowsCall(
      BASCULE_OPCODE_kLogSoftMax, dst,
      bascule_ascendc::SoftmaxShape("LogSoftMax", softmaxShapeInfo, tiling.srcM, tiling.srcK,
                                    SOFTMAX_DEFAULT_CFG, site),
      isDataFormatNZ ? BASCULE_ROWS_NZ : 0, site)
      .With(sum)
      .With(max)
      .With(src)
      .Run();
}

// Rows whose maximum has the bits `from` become `to`. Whether there was one.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
__aicore__ inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes,
                                        const LocalTensor<T2>& maxTensor, const uint32_t from,
                                        const bascule_ascendc::NotDeduced<T1> to,
                                        const SoftMaxShapeInfo& softmaxShapeInfo,
                                        bascule_ascendc::Site site = {}) {
  static_assert(
      bascule_ascendc::IsOneOf<T1, half, float> && bascule_ascendc::IsOneOf<T2, half, float>,
      "AdjustSoftMaxRes: element types are half and float");
  uint32_t found = 0;
  bascule_ascendc::RowsCall call(
      BASCULE_OPCODE_kAdjustSoftMaxRes, softMaxRes,
      bascule_ascendc::RowsShape{softmaxShapeInfo.srcM, softmaxShapeInfo.srcK,
                                 softmaxShapeInfo.srcK},
      (isDataFormatNZ ? BASCULE_ROWS_NZ : 0) | (stepSizeMode != 0 ? BASCULE_ROWS_COMPACT : 0),
      site);
  call.With(maxTensor);
  call.Params().extra[2] = from;
  std::memcpy(&call.Params().scalar.bits, static_cast<const void*>(&to), sizeof(to));
  call.Params().extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(&found);
  call.Run();
  return found != 0;
}

#undef BASCULE_GRAD_OPERANDS
#undef BASCULE_GRAD_SHAPE
#undef BASCULE_FLASH_CALL
#undef BASCULE_FLASH_PARAMETERS
#undef BASCULE_SOFTMAX_ALONE
#undef BASCULE_SOFTMAX_PARAMETERS
#undef BASCULE_SOFTMAX_LAST
#undef BASCULE_SOFTMAX_SHAPE
#undef BASCULE_UNPACK
#undef BASCULE_WITH_TMP
#undef BASCULE_CHECK_SOFTMAX

// The tiling of another shape than the host planned for.
__aicore__ inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(
    const SoftMaxShapeInfo& shapeInfo, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
    const uint32_t localWorkSpaceSize, const bool isUpdate = false, const bool isBasicBlock = false,
    const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false) {
  (void)dataTypeSize1;
  (void)isUpdate;
  (void)isBasicBlock;
  (void)isDataFormatNZ;
  (void)isFlashOutputBrc;
  return bascule_tiling::SoftMaxSplit(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize2,
                                      localWorkSpaceSize);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_SOFTMAX_H
