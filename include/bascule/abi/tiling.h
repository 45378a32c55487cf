// What the host plans and a kernel reads, for the functions of the advanced library: their tiling
// structures and the configurations both sides name.
//
// The structures cross the border as bytes, so a field is never moved or removed. Field lists
// exist once, as macros: here they make plain structures, register/tilingdata_base.h makes the
// host's classes with set_ and get_ of the same layout from them.
//
// Source: the "Tiling" pages of the activation, normalisation and matrix chapters of the Ascend C
// documentation. What a field means beside what its name says is the library's matter; kernels
// hand the structures on as they are. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_TILING_H_
#define BASCULE_ABI_TILING_H_

#include <stdint.h>

// clang-format off
#define BASCULE_SOFTMAX_TILING(F)                                                                 \
  F(uint32_t, srcM) F(uint32_t, srcK) F(uint32_t, srcSize)                                        \
  F(uint32_t, outMaxM) F(uint32_t, outMaxK) F(uint32_t, outMaxSize)                               \
  F(uint32_t, splitM) F(uint32_t, splitK) F(uint32_t, splitSize)                                  \
  F(uint32_t, reduceM) F(uint32_t, reduceK) F(uint32_t, reduceSize)                               \
  F(uint32_t, rangeM) F(uint32_t, tailM) F(uint32_t, tailSplitSize) F(uint32_t, tailReduceSize)

// Where intermediate results stand in the temporary space, and how the rows are cut.
#define BASCULE_NORM_TILING_BUFFERS(F)                                                            \
  F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf)
#define BASCULE_NORM_TILING_MEAN(F)                                                               \
  F(uint32_t, meanTmpTensorPos) F(uint32_t, meanTmpTensorSize)
#define BASCULE_NORM_TILING_LOOP(F)                                                               \
  F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize)                            \
  F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize)                                                 \
  F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) F(uint32_t, thirdTmpStartPos)      \
  F(uint32_t, loopRound) F(uint32_t, inputRoundSize)                                              \
  F(uint32_t, inputTailSize) F(uint32_t, inputTailPos)                                            \
  F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos)

#define BASCULE_LAYERNORM_TILING(F)                                                               \
  F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength)     \
  BASCULE_NORM_TILING_BUFFERS(F) BASCULE_NORM_TILING_MEAN(F) BASCULE_NORM_TILING_LOOP(F)          \
  F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(float, lastDimValueBack)

#define BASCULE_LAYERNORM_SEPARATE_TILING(F)                                                      \
  F(uint32_t, aLength) F(uint32_t, rLength)                                                       \
  F(uint32_t, halfAddRepeatTimes) F(uint32_t, rHeadLength) F(float, k2Rec) F(float, k2RRec)       \
  BASCULE_NORM_TILING_BUFFERS(F) BASCULE_NORM_TILING_LOOP(F)                                      \
  F(uint32_t, arCurLength) F(uint32_t, aCurLength) F(float, rValueBack)

#define BASCULE_LAYERNORM_GRAD_TILING(F)                                                          \
  F(uint32_t, stackBufferSize)                                                                    \
  F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength)     \
  F(uint32_t, oneCalSize) F(uint32_t, nohCalSize) F(uint32_t, loopNum)                            \
  F(uint32_t, tailSize) F(uint32_t, nohTailSize)                                                  \
  F(uint32_t, tmpTensorBSHPos) F(uint32_t, tmpTensorBSHSize)                                      \
  F(uint32_t, pdVarTensorPos) F(uint32_t, pdVarTensorSize)                                        \
  F(uint32_t, pdMeanTensorPos) F(uint32_t, pdMeanTensorSize)                                      \
  F(uint32_t, x1TensorPos) F(uint32_t, x1TensorSize)                                              \
  F(uint32_t, x2TensorPos) F(uint32_t, x2TensorSize)                                              \
  F(uint32_t, x3TensorPos) F(uint32_t, x3TensorSize)                                              \
  F(uint32_t, tmpTensorPos) F(uint32_t, tmpTensorSize)                                            \
  F(uint32_t, tmpTensor1Pos) F(uint32_t, tmpTensor1Size)                                          \
  F(uint32_t, tmpTensor2Pos) F(uint32_t, tmpTensor2Size)                                          \
  F(uint32_t, lastDimValueBack) F(uint32_t, lastDimValueBackMulTwo)

#define BASCULE_LAYERNORM_GRAD_BETA_TILING(F)                                                     \
  F(uint32_t, stackBufferSize)                                                                    \
  F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength)     \
  F(uint32_t, bshLength) F(uint32_t, bsLength) F(uint32_t, oneCalSize)                            \
  F(uint32_t, numberOfTmpBuf) F(uint32_t, loopRound)                                              \
  F(uint32_t, inputTailSize) F(uint32_t, inputTailPos) F(uint32_t, bsTailSize)                    \
  F(uint32_t, bshCurLength) F(uint32_t, bsCurLength)                                              \
  F(uint32_t, gammaTempTensorPos) F(uint32_t, betaTempTensorPos)                                  \
  F(uint32_t, inputDyTmpTensorPos) F(uint32_t, resForGammaTmpTensorPos) F(uint32_t, reserved)

#define BASCULE_RMSNORM_TILING(F)                                                                 \
  F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength)     \
  F(float, reciprocalOfHLength)                                                                   \
  F(uint32_t, mainBshLength) F(uint32_t, mainBsLength) F(uint32_t, mainBsLengthAlign)             \
  F(uint32_t, loopRound) F(uint32_t, inputTailPos)                                                \
  F(uint32_t, tailBshLength) F(uint32_t, tailBsLength)

#define BASCULE_BATCHNORM_TILING(F)                                                               \
  F(uint32_t, originalBLength) F(uint32_t, meanVarSize)                                           \
  F(uint32_t, meanTmpTensorPos) F(uint32_t, varianceTmpTensorPos)                                 \
  F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize)                                                 \
  F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) F(uint32_t, thirdTmpStartPos)      \
  F(uint32_t, loopRound) F(uint32_t, inputTailSize) F(uint32_t, inputTailPos)                     \
  F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos)                                        \
  F(uint32_t, bshCurLength) F(uint32_t, shCurLength) F(float, firstDimValueBack)                  \
  F(uint32_t, castHalfRepStride) F(uint32_t, shCurLengthBlockNum)                                 \
  F(uint32_t, castHalfOutRepStride)

#define BASCULE_GROUPNORM_TILING(F)                                                               \
  F(uint32_t, n) F(uint32_t, c) F(uint32_t, hw) F(uint32_t, g) F(uint32_t, d)                     \
  F(uint32_t, hwAlignSize) F(uint32_t, dhwAlignSize)                                              \
  BASCULE_NORM_TILING_BUFFERS(F) BASCULE_NORM_TILING_MEAN(F) BASCULE_NORM_TILING_LOOP(F)          \
  F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(float, factor) F(bool, smallShape)

#define BASCULE_CUBE_TILING(F)                                                                    \
  F(int32_t, usedCoreNum)                                                                         \
  F(int32_t, M) F(int32_t, N) F(int32_t, Ka) F(int32_t, Kb)                                       \
  F(int32_t, singleCoreM) F(int32_t, singleCoreN) F(int32_t, singleCoreK)                         \
  F(int32_t, baseM) F(int32_t, baseN) F(int32_t, baseK)                                           \
  F(int32_t, depthA1) F(int32_t, depthB1)                                                         \
  F(int32_t, stepM) F(int32_t, stepN) F(int32_t, stepKa) F(int32_t, stepKb)                       \
  F(int32_t, isBias) F(int32_t, transLength) F(int32_t, iterateOrder)                             \
  F(int32_t, dbL0A) F(int32_t, dbL0B) F(int32_t, dbL0C)                                           \
  F(int32_t, shareMode) F(int32_t, shareL1Size) F(int32_t, shareL0CSize) F(int32_t, shareUbSize)  \
  F(int32_t, batchM) F(int32_t, batchN) F(int32_t, singleBatchM) F(int32_t, singleBatchN)         \
  F(int32_t, mxTypePara)                                                                          \
  F(int32_t, ALayoutInfoB) F(int32_t, ALayoutInfoS) F(int32_t, ALayoutInfoN)                      \
  F(int32_t, ALayoutInfoG) F(int32_t, ALayoutInfoD)                                               \
  F(int32_t, BLayoutInfoB) F(int32_t, BLayoutInfoS) F(int32_t, BLayoutInfoN)                      \
  F(int32_t, BLayoutInfoG) F(int32_t, BLayoutInfoD)                                               \
  F(int32_t, CLayoutInfoB) F(int32_t, CLayoutInfoS1) F(int32_t, CLayoutInfoN)                     \
  F(int32_t, CLayoutInfoG) F(int32_t, CLayoutInfoS2) F(int32_t, BatchNum)

#define BASCULE_TOPK_TILING(F)                                                                    \
  F(int32_t, tmpLocalSize) F(int32_t, allDataSize) F(int32_t, innerDataSize)                      \
  F(uint32_t, sortRepeat) F(int32_t, mrgSortRepeat)                                               \
  F(int32_t, kAlignFourBytes) F(int32_t, kAlignTwoBytes) F(int32_t, maskOffset)                   \
  F(int32_t, maskVreducev2FourBytes) F(int32_t, maskVreducev2TwoBytes)                            \
  F(int32_t, mrgSortSrc1offset) F(int32_t, mrgSortSrc2offset) F(int32_t, mrgSortSrc3offset)       \
  F(int32_t, mrgSortTwoQueueSrc1Offset)                                                           \
  F(int32_t, mrgFourQueueTailPara1) F(int32_t, mrgFourQueueTailPara2)                             \
  F(int32_t, srcIndexOffset) F(uint32_t, copyUbToUbBlockCount)                                    \
  F(int32_t, topkMrgSrc1MaskSizeOffset) F(int32_t, topkNSmallSrcIndexOffset)                      \
  F(uint32_t, vreduceValMask0) F(uint32_t, vreduceValMask1)                                       \
  F(uint32_t, vreduceIdxMask0) F(uint32_t, vreduceIdxMask1)                                       \
  F(uint16_t, vreducehalfValMask0) F(uint16_t, vreducehalfValMask1)                               \
  F(uint16_t, vreducehalfValMask2) F(uint16_t, vreducehalfValMask3)                               \
  F(uint16_t, vreducehalfValMask4) F(uint16_t, vreducehalfValMask5)                               \
  F(uint16_t, vreducehalfValMask6) F(uint16_t, vreducehalfValMask7)

// The first four are the sizes of the source's axes, as the host was told them: B, N, S and H / N,
// or those of a tensor of ND from the first axis on; the others are free.
#define BASCULE_CONFUSION_TRANSPOSE_TILING(F)                                                     \
  F(uint32_t, param0) F(uint32_t, param1) F(uint32_t, param2) F(uint32_t, param3)                 \
  F(uint32_t, param4) F(uint32_t, param5) F(uint32_t, param6) F(uint32_t, param7)                 \
  F(uint32_t, param8) F(uint32_t, param9) F(uint32_t, param10) F(uint32_t, param11)               \
  F(uint32_t, param12) F(uint32_t, param13) F(uint32_t, param14) F(uint32_t, param15)             \
  F(uint32_t, param16) F(uint32_t, param17)

#define BASCULE_PAD_TILING(F)                                                                     \
  F(uint32_t, srcHeight) F(uint32_t, srcWidth) F(uint32_t, srcOriWidth) F(uint32_t, tmpSize)

#define BASCULE_UNPAD_TILING(F)                                                                   \
  F(uint32_t, srcHeight) F(uint32_t, srcWidth) F(uint32_t, tmpSize)

// Every structure: its name and its fields.
#define BASCULE_TILING_STRUCTS(S)                               \
  S(SoftMaxTiling, BASCULE_SOFTMAX_TILING)                      \
  S(LogSoftMaxTiling, BASCULE_SOFTMAX_TILING)                   \
  S(LayerNormTiling, BASCULE_LAYERNORM_TILING)                  \
  S(LayerNormSeparateTiling, BASCULE_LAYERNORM_SEPARATE_TILING) \
  S(LayerNormGradTiling, BASCULE_LAYERNORM_GRAD_TILING)         \
  S(LayerNormGradBetaTiling, BASCULE_LAYERNORM_GRAD_BETA_TILING) \
  S(RmsNormTiling, BASCULE_RMSNORM_TILING)                      \
  S(DeepNormTiling, BASCULE_LAYERNORM_TILING)                   \
  S(BatchNormTiling, BASCULE_BATCHNORM_TILING)                  \
  S(GroupNormTiling, BASCULE_GROUPNORM_TILING)                  \
  S(TCubeTiling, BASCULE_CUBE_TILING)                           \
  S(TopkTiling, BASCULE_TOPK_TILING)                            \
  S(ConfusionTransposeTiling, BASCULE_CONFUSION_TRANSPOSE_TILING) \
  S(PadTiling, BASCULE_PAD_TILING)                              \
  S(UnPadTiling, BASCULE_UNPAD_TILING)
// clang-format on

// NOLINTBEGIN(readability-identifier-naming): the interface's spelling
namespace AscendC {

namespace tiling {
#define BASCULE_TILING_FIELD(type, name) type name = 0;
#define BASCULE_TILING_STRUCT(name, fields) \
  struct name {                             \
    fields(BASCULE_TILING_FIELD)            \
  };
BASCULE_TILING_STRUCTS(BASCULE_TILING_STRUCT)
#undef BASCULE_TILING_STRUCT
#undef BASCULE_TILING_FIELD
}  // namespace tiling

// How a tensor's elements lie in memory.
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };

// The axes of a shape that a reduction removes (R) and keeps (A).
enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R,
  ARA,
  ARAR,
  ARARA,
  ARARAR,
  ARARARA,
  ARARARAR,
  ARARARARA,
  RAR,
  RARA,
  RARAR,
  RARARA,
  RARARAR,
  RARARARA
};

// What TransData converts.
struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};

// Small: rows of 32 elements.
enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
enum class TopKAlgo { RADIX_SELECT, MERGE_SORT };
enum class TopKOrder { UNSET, LARGEST, SMALLEST };
struct TopKConfig {
  TopKAlgo algo = TopKAlgo::MERGE_SORT;
  TopKOrder order = TopKOrder::UNSET;
  bool sorted = true;
};

enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
  SortType type = SortType::RADIX_SORT;
  bool isDescend = false;
  bool hasSrcIndex = false;
  bool hasDstIndex = false;
};

// Which algorithm a function uses on the device.
enum class SinAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
struct SinConfig {
  SinAlgo algo = SinAlgo::POLYNOMIAL_APPROXIMATION;
};
enum class CosAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
struct CosConfig {
  CosAlgo algo = CosAlgo::POLYNOMIAL_APPROXIMATION;
};

}  // namespace AscendC
// NOLINTEND(readability-identifier-naming)

// Temporary space of the advanced library, in bytes. The functions of this runtime need none; what
// is asked for is a lower bound of what the device needs, so that a kernel whose buffer is surely
// too small there is told here, and so that a buffer of that size can be made at all.
namespace bascule_tiling {

// One repeat of a vector instruction.
constexpr uint32_t kMinTmpBytes = 256;

// RmsNorm works row by row in float, beside one datablock.
constexpr uint32_t RmsNormMinTmpBytes(uint64_t row_elements, uint32_t type_bytes) {
  const uint64_t bytes = (row_elements * (type_bytes == 2 ? 2 : 1) + 8) * 4;
  return bytes < kMinTmpBytes ? static_cast<uint32_t>(bytes) : kMinTmpBytes;
}

// How `rows` rows of `columns` elements are cut for softmax, as far as `tmp_bytes` go.
constexpr AscendC::tiling::SoftMaxTiling SoftMaxSplit(uint32_t rows, uint32_t columns,
                                                      uint32_t type_bytes, uint32_t tmp_bytes) {
  AscendC::tiling::SoftMaxTiling tiling;
  if (rows == 0 || columns == 0 || type_bytes == 0) return tiling;
  uint32_t at_once = tmp_bytes / 4 / columns;
  if (at_once > 8) at_once = at_once / 8 * 8;
  if (at_once < 1) at_once = 1;
  if (at_once > rows) at_once = rows;
  const uint32_t tail = rows % at_once;
  const uint32_t per_block = 32 / type_bytes;
  tiling.srcM = rows;
  tiling.srcK = columns;
  tiling.srcSize = rows * columns;
  tiling.outMaxM = rows;
  tiling.outMaxK = per_block;
  tiling.outMaxSize = rows * per_block;
  tiling.splitM = at_once;
  tiling.splitK = columns;
  tiling.splitSize = at_once * columns;
  tiling.reduceM = at_once;
  tiling.reduceK = per_block;
  tiling.reduceSize = at_once * per_block;
  tiling.rangeM = rows / at_once;
  tiling.tailM = tail;
  tiling.tailSplitSize = tail * columns;
  tiling.tailReduceSize = tail * per_block;
  return tiling;
}

// Whether the parts of a split are basic blocks: whole groups of 8 rows of 64 columns.
constexpr bool IsBasicBlock(uint32_t split_rows, uint32_t tail_rows, uint32_t columns,
                            uint32_t type_bytes) {
  return split_rows % 8 == 0 && tail_rows % 8 == 0 && columns % 64 == 0 && columns < 2048 &&
         type_bytes != 0 && columns >= 256 / type_bytes;
}

}  // namespace bascule_tiling

#endif  // BASCULE_ABI_TILING_H_
