// Temporary space and tiling of Sort, Concat and TopK.
// Source: the GetXxxTmpSize and "TopK Tiling" pages of the sort chapter.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_SORT_SORT_TILING_H_
#define BASCULE_ASCENDC_TILING_SORT_SORT_TILING_H_

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tmp_size.h"
#include "tiling/transform/transform_tiling.h"

namespace bascule_host {
constexpr uint32_t kSortRecordBytes = 8;  // a score and its index
}  // namespace bascule_host

namespace AscendC {

// Sort keeps a record for every element.
BASCULE_HIDDEN inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&,
                                              const uint32_t elemCount, const uint32_t) {
  return elemCount * bascule_host::kSortRecordBytes;
}
// On Atlas A2 scores are sorted where they are.
BASCULE_HIDDEN inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&,
                                                const uint32_t, const uint32_t) {
  return 0;
}
// For Sort as configured, which Atlas A2 does not have: its Sort takes as much as GetSortTmpSize
// says.
BASCULE_HIDDEN inline void GetSortMaxMinTmpSize(const TensorShape& srcShape, TensorDataType,
                                                TensorDataType, bool, const SortConfig&,
                                                uint32_t& maxValue, uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetSortMaxMinTmpSize", srcShape, bascule_host::kSortRecordBytes,
                               &maxValue, &minValue);
  minValue = maxValue;
}

// False for shapes that TopK does not take.
BASCULE_HIDDEN inline bool GetTopKMaxMinTmpSize(const int32_t inner, const int32_t outter,
                                                const int32_t k, const bool, const bool,
                                                enum TopKMode mode, const bool, TensorDataType,
                                                const TopKConfig&, uint32_t& maxValue,
                                                uint32_t& minValue) {
  const bool small = mode == TopKMode::TOPK_NSMALL;
  if (inner <= 0 || inner % 32 != 0 || inner > 4096 || outter <= 0 || k < 1 || k > inner ||
      (small && inner != 32)) {
    return false;
  }
  bascule_host::MaxMinTmpBytes("GetTopKMaxMinTmpSize", TensorShape({outter, inner}),
                               bascule_host::kSortRecordBytes, &maxValue, &minValue);
  return true;
}
BASCULE_HIDDEN inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&,
                                                const int32_t inner, const int32_t outter,
                                                const bool isReuseSource, const bool isInitIndex,
                                                enum TopKMode mode, const bool isLargest,
                                                const uint32_t, uint32_t& maxValue,
                                                uint32_t& minValue) {
  return GetTopKMaxMinTmpSize(inner, outter, 1, isReuseSource, isInitIndex, mode, isLargest,
                              TensorDataType::DT_FLOAT, TopKConfig{}, maxValue, minValue);
}

template <typename Tiling>
BASCULE_HIDDEN inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&,
                                          const int32_t inner, const int32_t outter,
                                          const int32_t k, const uint32_t, const bool isInitIndex,
                                          enum TopKMode mode, const bool isLargest,
                                          Tiling& topKTiling) {
  uint32_t max = 0;
  uint32_t min = 0;
  if (!GetTopKMaxMinTmpSize(inner, outter, k, false, isInitIndex, mode, isLargest,
                            TensorDataType::DT_FLOAT, TopKConfig{}, max, min)) {
    return false;
  }
  tiling::TopkTiling plain;
  plain.tmpLocalSize = static_cast<int32_t>(min);
  plain.allDataSize = inner * outter;
  plain.innerDataSize = inner;
  plain.sortRepeat = static_cast<uint32_t>(inner) / 32;
  plain.kAlignFourBytes = (k + 7) / 8 * 8;
  plain.kAlignTwoBytes = (k + 15) / 16 * 16;
  bascule_host::FillTiling(plain, &topKTiling);
  return true;
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_SORT_SORT_TILING_H_
