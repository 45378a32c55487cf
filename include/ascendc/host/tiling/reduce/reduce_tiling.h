// Temporary space of reductions and cumulative sums.
// Source: the GetXxxMaxMinTmpSize pages of the reduction chapter and of CumSum.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_REDUCE_REDUCE_TILING_H_
#define BASCULE_ASCENDC_TILING_REDUCE_REDUCE_TILING_H_

#include "tiling/tmp_size.h"

namespace AscendC {

// The largest size is the smallest, as documented.
BASCULE_HIDDEN inline void GetSumMaxMinTmpSize(const uint32_t, const uint32_t, const bool,
                                               uint32_t& maxSize, uint32_t& minSize) {
  maxSize = minSize = bascule_tiling::kMinTmpBytes;
}
BASCULE_HIDDEN inline void GetMeanMaxMinTmpSize(const uint32_t, const uint32_t, const uint32_t,
                                                const bool, uint32_t& maxSize, uint32_t& minSize) {
  maxSize = minSize = bascule_tiling::kMinTmpBytes;
}
BASCULE_HIDDEN inline void GetMeanTmpBufferFactorSize(const uint32_t typeSize,
                                                      uint32_t& maxLiveNodeCount,
                                                      uint32_t& extraBuffer) {
  bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuffer);
}

// GetReduceXxxMaxMinTmpSize(srcShape, dataType, pattern, isSrcInnerPad, isReuseSource, maxValue,
// minValue); the patterns are AR and RA.
#define BASCULE_TMP_SIZE(name)                                                                  \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(                                          \
      const TensorShape& srcShape, const TensorDataType, ReducePattern pattern, bool, bool,     \
      uint32_t& maxValue, uint32_t& minValue) {                                                 \
    if (srcShape.GetDimNum() != 2 || pattern > ReducePattern::RA) {                             \
      throw bascule_host::HostError("Get" #name                                                 \
                                    "MaxMinTmpSize: the pattern is AR or RA and the shape has " \
                                    "two dimensions; it has " +                                 \
                                    std::to_string(srcShape.GetDimNum()));                      \
    }                                                                                           \
    bascule_host::Elements("Get" #name "MaxMinTmpSize", srcShape);                              \
    maxValue = minValue = bascule_tiling::kMinTmpBytes;                                         \
  }
BASCULE_TMP_SIZE(ReduceSum)
BASCULE_TMP_SIZE(ReduceMax)
BASCULE_TMP_SIZE(ReduceMin)
BASCULE_TMP_SIZE(ReduceMean)
BASCULE_TMP_SIZE(ReduceProd)
BASCULE_TMP_SIZE(ReduceAny)
BASCULE_TMP_SIZE(ReduceAll)
#undef BASCULE_TMP_SIZE

BASCULE_HIDDEN inline void GetReduceXorSumMaxMinTmpSize(const TensorShape& srcShape,
                                                        const uint32_t typeSize, const bool,
                                                        uint32_t& maxValue, uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetReduceXorSumMaxMinTmpSize", srcShape, typeSize, &maxValue,
                               &minValue);
}
BASCULE_HIDDEN inline void GetCumSumMaxMinTmpSize(const TensorShape& srcShape,
                                                  const uint32_t typeSize, const bool, const bool,
                                                  uint32_t& maxValue, uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetCumSumMaxMinTmpSize", srcShape, typeSize, &maxValue, &minValue);
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_REDUCE_REDUCE_TILING_H_
