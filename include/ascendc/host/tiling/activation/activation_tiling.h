// Temporary space of the activation functions.
// Source: the pages GetXxxMaxMinTmpSize and GetXxxTmpSize of the activation chapter.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_ACTIVATION_ACTIVATION_TILING_H_
#define BASCULE_ASCENDC_TILING_ACTIVATION_ACTIVATION_TILING_H_

#include "tiling/tmp_size.h"

namespace AscendC {

#define BASCULE_TMP_SIZE(function)                                                          \
  BASCULE_HIDDEN inline void function(const TensorShape& srcShape, const uint32_t typeSize, \
                                      const bool, uint32_t& maxValue, uint32_t& minValue) { \
    bascule_host::MaxMinTmpBytes(#function, srcShape, typeSize, &maxValue, &minValue);      \
  }
BASCULE_TMP_SIZE(GetSigmoidMaxMinTmpSize)
BASCULE_TMP_SIZE(GetSiluTmpSize)
BASCULE_TMP_SIZE(GetSwishTmpSize)
BASCULE_TMP_SIZE(GetGeGLUMaxMinTmpSize)
BASCULE_TMP_SIZE(GetReGluMaxMinTmpSize)
#undef BASCULE_TMP_SIZE

BASCULE_HIDDEN inline void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape,
                                                  const uint32_t typeSize, uint32_t& maxValue,
                                                  uint32_t& minValue, const bool) {
  bascule_host::MaxMinTmpBytes("GetSwiGLUMaxMinTmpSize", srcShape, typeSize, &maxValue, &minValue);
}

// Gelu, FasterGelu and FasterGeluV2.
BASCULE_HIDDEN inline void GetGeluMaxMinTmpSize(const TensorShape& srcShape,
                                                const uint32_t typeSize, uint32_t& maxValue,
                                                uint32_t& minValue) {
  bascule_host::MaxMinTmpBytes("GetGeluMaxMinTmpSize", srcShape, typeSize, &maxValue, &minValue);
}
BASCULE_HIDDEN inline uint32_t GetGeluMaxTmpSize(const TensorShape& srcShape,
                                                 const uint32_t typeSize) {
  return bascule_host::MaxTmpBytes("GetGeluMaxTmpSize", srcShape, typeSize);
}
BASCULE_HIDDEN inline uint32_t GetGeluMinTmpSize(const TensorShape& srcShape, const uint32_t) {
  bascule_host::Elements("GetGeluMinTmpSize", srcShape);
  return bascule_tiling::kMinTmpBytes;
}

BASCULE_HIDDEN inline void GetGeGLUTmpBufferFactorSize(const uint32_t typeSize,
                                                       uint32_t& maxLiveNodeCount,
                                                       uint32_t& extraBuf) {
  bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuf);
}
BASCULE_HIDDEN inline void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize,
                                                        uint32_t& maxLiveNodeCount,
                                                        uint32_t& extraBuffer) {
  bascule_host::TmpFactor(typeSize, &maxLiveNodeCount, &extraBuffer);
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_ACTIVATION_ACTIVATION_TILING_H_
