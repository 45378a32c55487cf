// Temporary space of Select with a mask of bytes, DropOut and Arange.
// Source: the GetXxxMaxMinTmpSize pages of the filter and index chapters.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_FILTER_FILTER_TILING_H_
#define BASCULE_ASCENDC_TILING_FILTER_FILTER_TILING_H_

#include "tiling/tmp_size.h"

namespace bascule_host {

// Of two sources one is a scalar, of shape {1}.
BASCULE_HIDDEN inline void SelectTmpBytes(const char* function, const ge::Shape& src0,
                                          const ge::Shape& src1, uint32_t type_bytes, uint32_t* max,
                                          uint32_t* min) {
  const bool first = Elements(function, src0) >= Elements(function, src1);
  MaxMinTmpBytes(function, first ? src0 : src1, type_bytes, max, min);
}

}  // namespace bascule_host

namespace AscendC {

// GetSelectWithBytesMask… are the older names.
#define BASCULE_TMP_SIZE(name)                                                                   \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(                                           \
      const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t srcTypeSize,    \
      const TensorShape&, const uint32_t, const bool, uint32_t& maxValue, uint32_t& minValue) {  \
    bascule_host::SelectTmpBytes("Get" #name "MaxMinTmpSize", src0Shape, src1Shape, srcTypeSize, \
                                 &maxValue, &minValue);                                          \
  }                                                                                              \
  BASCULE_HIDDEN inline uint32_t Get##name##MaxTmpSize(                                          \
      const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t srcTypeSize,    \
      const TensorShape&, const uint32_t, const bool) {                                          \
    uint32_t max = 0;                                                                            \
    uint32_t min = 0;                                                                            \
    bascule_host::SelectTmpBytes("Get" #name "MaxTmpSize", src0Shape, src1Shape, srcTypeSize,    \
                                 &max, &min);                                                    \
    return max;                                                                                  \
  }                                                                                              \
  BASCULE_HIDDEN inline uint32_t Get##name##MinTmpSize(const TensorShape&, const TensorShape&,   \
                                                       const uint32_t, const TensorShape&,       \
                                                       const uint32_t, const bool) {             \
    return bascule_tiling::kMinTmpBytes;                                                         \
  }
BASCULE_TMP_SIZE(Select)
BASCULE_TMP_SIZE(SelectWithBytesMask)
#undef BASCULE_TMP_SIZE

BASCULE_HIDDEN inline void GetDropOutMaxMinTmpSize(const TensorShape& srcShape,
                                                   const uint32_t typeSize, const bool,
                                                   uint32_t& maxValue, uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetDropOutMaxMinTmpSize", srcShape, typeSize, &maxValue, &minValue);
}
BASCULE_HIDDEN inline uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape,
                                                    const uint32_t typeSize, const bool) {
  return bascule_host::MaxTmpBytes("GetDropOutMaxTmpSize", srcShape, typeSize);
}
BASCULE_HIDDEN inline uint32_t GetDropOutMinTmpSize(const TensorShape&, const uint32_t,
                                                    const bool) {
  return bascule_tiling::kMinTmpBytes;
}

// Arange needs none. The other is the older name.
BASCULE_HIDDEN inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) {
  maxValue = minValue = 0;
}
BASCULE_HIDDEN inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue,
                                                            uint32_t& minValue) {
  maxValue = minValue = 0;
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_FILTER_FILTER_TILING_H_
