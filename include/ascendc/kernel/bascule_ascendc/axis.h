// Reductions of one axis of a matrix (Sum, Mean, Reduce… with a pattern), ReduceXorSum and CumSum.
// Source: the pages of the reduction chapter and of CumSum in the Ascend C documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_AXIS_H
#define BASCULE_ASCENDC_AXIS_H

#include "bascule_ascendc/library_call.h"

BASCULE_ASCENDC_BEGIN

// Which axes stay (A) and which are reduced (R), from the first one on.
namespace Pattern {
namespace Reduce {
struct AR {};
struct RA {};
}  // namespace Reduce
}  // namespace Pattern

// outter rows of n elements; a row begins every `inner` elements, which is n up to the next
// multiple of 32 bytes.
struct SumParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};
struct MeanParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
// isLastAxis: columns are added from left to right, not rows from top to bottom. The algorithm says
// nothing here.
struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
  CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
struct CumSumInfo {
  uint32_t outter{0};
  uint32_t inner{0};
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
BASCULE_ASCENDC_BEGIN
inline constexpr CumSumConfig defaultCumSumConfig{};
BASCULE_ASCENDC_END

namespace bascule_ascendc {

template <typename T, typename Params>
void SumOfRows(uint16_t opcode, const char* name, const AscendC::LocalTensor<T>& dst,
               const AscendC::LocalTensor<T>& src, const Temporary& tmp, const Params& params,
               uint32_t flags, const Site& site) {
  if (params.inner * sizeof(T) % BASCULE_DATABLOCK_BYTES != 0) {
    FailArgument(name, "inner", params.inner, "a row has to be a multiple of 32 bytes", site);
  }
  if (params.n == 0 || params.n > params.inner) {
    FailArgument(name, "n", params.n, "it has to be 1 to inner", site);
  }
  VectorCall<T>(opcode, dst, site)
      .Source(src)
      .Source(tmp.operand)
      .Mode(BASCULE_REDUCE_LAST_AXIS)
      .Flags(flags)
      .Extra(0, Pair(params.outter, params.n))
      .Extra(1, uint64_t{params.inner})
      .Extra(2, tmp.bytes)
      .Whole();
}

template <typename Pattern, typename T>
void ReduceOfAxis(uint16_t opcode, const char* name, const AscendC::LocalTensor<T>& dst,
                  const AscendC::LocalTensor<T>& src, const Temporary& tmp, const uint32_t shape[],
                  bool srcInnerPad, const Site& site) {
  constexpr bool kLast = std::is_same_v<Pattern, AscendC::Pattern::Reduce::AR>;
  static_assert(kLast || std::is_same_v<Pattern, AscendC::Pattern::Reduce::RA>,
                "the pattern of a reduction is AscendC::Pattern::Reduce::AR or RA");
  if (!srcInnerPad) {
    FailCall(name, "srcInnerPad is false; on Atlas A2 rows are multiples of 32 bytes", site);
  }
  VectorCall<T>(opcode, dst, site)
      .Source(src)
      .Source(tmp.operand)
      .Mode(kLast ? BASCULE_REDUCE_LAST_AXIS : BASCULE_REDUCE_FIRST_AXIS)
      .Extra(0, Pair(shape[0], shape[1]))
      .Extra(1, uint64_t{WholeBlocks<T>(shape[1])})
      .Extra(2, tmp.bytes)
      .Whole();
}

template <typename T>
void XorSum(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
            const AscendC::LocalTensor<T>& src1, const Temporary& tmp, uint32_t count,
            const Site& site) {
  BASCULE_SUPPORTED(ReduceXorSum, int16_t);
  VectorCall<T>(BASCULE_OPCODE_kReduceXorSum, dst, site)
      .Source(src0)
      .Source(src1)
      .Source(tmp.operand)
      .Extra(2, tmp.bytes)
      .Count(static_cast<int32_t>(count));
}

template <typename T>
void CumulativeSum(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& last_row,
                   const AscendC::LocalTensor<T>& src, const Temporary& tmp,
                   const AscendC::CumSumConfig& config, const AscendC::CumSumInfo& info,
                   const Site& site) {
  BASCULE_SUPPORTED(CumSum, half, float);
  VectorCall<T>(BASCULE_OPCODE_kCumSum, dst, site)
      .Source(last_row)
      .Source(src)
      .Source(tmp.operand)
      .Flags((config.isLastAxis ? BASCULE_CUMSUM_ALONG_ROWS : 0) |
             (config.outputLastRow ? BASCULE_CUMSUM_LAST_ROW : 0))
      .Extra(0, Pair(info.outter, info.inner))
      .Extra(2, tmp.bytes)
      .Whole();
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// The sum of every row.
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const SumParams& sumParams,
                           bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Sum, half, float);
  bascule_ascendc::SumOfRows(BASCULE_OPCODE_kSum, "Sum", dstTensor, srcTensor,
                             {"Sum", sharedTmpBuffer, site}, sumParams, 0, site);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           const SumParams& sumParams, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Sum, half, float);
  bascule_ascendc::SumOfRows(BASCULE_OPCODE_kSum, "Sum", dstTensor, srcTensor, {}, sumParams, 0,
                             site);
}

// The mean of every row. accType float computes that of halves in float.
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const MeanParams& meanParams, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Mean, half, float);
  static_assert(std::is_same_v<accType, T> || std::is_same_v<accType, float>,
                "Mean: accType is the element type or float");
  bascule_ascendc::SumOfRows(BASCULE_OPCODE_kMean, "Mean", dstTensor, srcTensor,
                             {"Mean", sharedTmpBuffer, site}, meanParams,
                             std::is_same_v<accType, T> ? 0 : BASCULE_MEAN_IN_FLOAT, site);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const MeanParams& meanParams, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Mean, half, float);
  static_assert(std::is_same_v<accType, T> || std::is_same_v<accType, float>,
                "Mean: accType is the element type or float");
  bascule_ascendc::SumOfRows(BASCULE_OPCODE_kMean, "Mean", dstTensor, srcTensor, {}, meanParams,
                             std::is_same_v<accType, T> ? 0 : BASCULE_MEAN_IN_FLOAT, site);
}

// A matrix of srcShape[0] rows and srcShape[1] columns, whose rows begin on multiples of 32 bytes,
// reduced along one axis. The results follow one another without a gap.
#define BASCULE_REDUCE_OF_AXIS(name, opcode, ...)                                                 \
  template <typename T, class pattern, bool isReuseSource = false>                                \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,   \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                        \
                              const uint32_t srcShape[], bool srcInnerPad,                        \
                              bascule_ascendc::Site site = {}) {                                  \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                         \
    bascule_ascendc::ReduceOfAxis<pattern>(opcode, #name, dstTensor, srcTensor,                   \
                                           {#name, sharedTmpBuffer, site}, srcShape, srcInnerPad, \
                                           site);                                                 \
  }                                                                                               \
  template <typename T, class pattern, bool isReuseSource = false>                                \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,   \
                              const uint32_t srcShape[], bool srcInnerPad,                        \
                              bascule_ascendc::Site site = {}) {                                  \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                         \
    bascule_ascendc::ReduceOfAxis<pattern>(opcode, #name, dstTensor, srcTensor, {}, srcShape,     \
                                           srcInnerPad, site);                                    \
  }
BASCULE_REDUCE_OF_AXIS(ReduceSum, BASCULE_OPCODE_kReduceSumOfAxis, float)
BASCULE_REDUCE_OF_AXIS(ReduceMax, BASCULE_OPCODE_kReduceMaxOfAxis, half, float)
BASCULE_REDUCE_OF_AXIS(ReduceMin, BASCULE_OPCODE_kReduceMinOfAxis, half, float)
BASCULE_REDUCE_OF_AXIS(ReduceMean, BASCULE_OPCODE_kReduceMean, float)
BASCULE_REDUCE_OF_AXIS(ReduceProd, BASCULE_OPCODE_kReduceProd, float)
BASCULE_REDUCE_OF_AXIS(ReduceAny, BASCULE_OPCODE_kReduceAny, uint8_t, float)
BASCULE_REDUCE_OF_AXIS(ReduceAll, BASCULE_OPCODE_kReduceAll, uint8_t, float)
#undef BASCULE_REDUCE_OF_AXIS

// One element: the sum of src0 ^ src1 over calCount elements, at most 32767 and at least -32768.
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(const LocalTensor<T>& dstTensor,
                                    const LocalTensor<T>& src0Tensor,
                                    const LocalTensor<T>& src1Tensor,
                                    const LocalTensor<uint8_t>& sharedTmpBuffer,
                                    const uint32_t calCount, bascule_ascendc::Site site = {}) {
  bascule_ascendc::XorSum(dstTensor, src0Tensor, src1Tensor,
                          {"ReduceXorSum", sharedTmpBuffer, site}, calCount, site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(const LocalTensor<T>& dstTensor,
                                    const LocalTensor<T>& src0Tensor,
                                    const LocalTensor<T>& src1Tensor, const uint32_t calCount,
                                    bascule_ascendc::Site site = {}) {
  bascule_ascendc::XorSum(dstTensor, src0Tensor, src1Tensor, {}, calCount, site);
}

// Every element plus those before it in its row or column. lastRowTensor gets the last row of
// dstTensor where the configuration says so.
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
__aicore__ inline void CumSum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& lastRowTensor,
                              const LocalTensor<T>& srcTensor,
                              const LocalTensor<uint8_t>& sharedTmpBuffer,
                              const CumSumInfo& cumSumInfo, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CumulativeSum(dstTensor, lastRowTensor, srcTensor,
                                 {"CumSum", sharedTmpBuffer, site}, config, cumSumInfo, site);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
__aicore__ inline void CumSum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& lastRowTensor,
                              const LocalTensor<T>& srcTensor, const CumSumInfo& cumSumInfo,
                              bascule_ascendc::Site site = {}) {
  bascule_ascendc::CumulativeSum(dstTensor, lastRowTensor, srcTensor, {}, config, cumSumInfo, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_AXIS_H
