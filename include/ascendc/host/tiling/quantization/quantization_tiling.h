// Temporary space of quantisation and back. The functions without "Ascend" in their names plan for
// calls that Atlas A2 does not have; a host may ask all the same.
// Source: the GetXxxMaxMinTmpSize and GetXxxTmpBufferFactorSize pages of the quantisation chapter.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_QUANTIZATION_QUANTIZATION_TILING_H_
#define BASCULE_ASCENDC_TILING_QUANTIZATION_QUANTIZATION_TILING_H_

#include "tiling/tmp_size.h"

namespace AscendC {

// All of them compute in half or float.
#define BASCULE_TMP_SIZE(name)                                                                     \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(const TensorShape& srcShape,                 \
                                                      const uint32_t typeSize, uint32_t& maxValue, \
                                                      uint32_t& minValue) {                        \
    bascule_host::MaxMinTmpBytes("Get" #name "MaxMinTmpSize", srcShape, typeSize, &maxValue,       \
                                 &minValue);                                                       \
  }
BASCULE_TMP_SIZE(AscendQuant)
BASCULE_TMP_SIZE(AscendDequant)
BASCULE_TMP_SIZE(Quantize)
BASCULE_TMP_SIZE(Dequantize)
#undef BASCULE_TMP_SIZE

#define BASCULE_TMP_SIZE(name)                                                                    \
  BASCULE_HIDDEN inline void Get##name##MaxMinTmpSize(                                            \
      const TensorShape& srcShape, const TensorShape&, bool, TensorDataType, TensorDataType,      \
      uint32_t& maxValue, uint32_t& minValue) {                                                   \
    bascule_host::MaxMinTmpBytes("Get" #name "MaxMinTmpSize", srcShape, 4, &maxValue, &minValue); \
  }
BASCULE_TMP_SIZE(AscendAntiQuant)
BASCULE_TMP_SIZE(AntiQuantize)
#undef BASCULE_TMP_SIZE
BASCULE_HIDDEN inline uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape,
                                                            const TensorShape&, bool,
                                                            TensorDataType, TensorDataType) {
  return bascule_host::MaxTmpBytes("GetAscendAntiQuantMaxTmpSize", srcShape, 4);
}
BASCULE_HIDDEN inline uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape&, const TensorShape&,
                                                            bool, TensorDataType, TensorDataType) {
  return bascule_tiling::kMinTmpBytes;
}

// The largest space is that of the source in float.
BASCULE_HIDDEN inline void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount,
                                                             uint32_t& extraBuf) {
  bascule_host::TmpFactor(2, &maxLiveNodeCount, &extraBuf);
}
BASCULE_HIDDEN inline void GetQuantizeTmpBufferFactorSize(uint32_t& maxLiveNodeCount,
                                                          uint32_t& extraBuf) {
  bascule_host::TmpFactor(2, &maxLiveNodeCount, &extraBuf);
}
BASCULE_HIDDEN inline void GetAscendDequantTmpBufferFactorSize(const TensorShape&,
                                                               uint32_t& maxLiveNodeCount,
                                                               uint32_t& extraBuf) {
  bascule_host::TmpFactor(4, &maxLiveNodeCount, &extraBuf);
}
BASCULE_HIDDEN inline void GetDequantizeTmpBufferFactorSize(const TensorShape&,
                                                            uint32_t& maxLiveNodeCnt,
                                                            uint32_t& extraBuf) {
  bascule_host::TmpFactor(4, &maxLiveNodeCnt, &extraBuf);
}
BASCULE_HIDDEN inline void GetAscendAntiQuantTmpBufferFactorSize(const TensorShape&,
                                                                 const TensorShape&, bool,
                                                                 TensorDataType, TensorDataType,
                                                                 uint32_t& maxLiveNodeCount,
                                                                 uint32_t& extraBuf) {
  bascule_host::TmpFactor(1, &maxLiveNodeCount, &extraBuf);
}
BASCULE_HIDDEN inline void GetAntiQuantizeTmpBufferFactorSize(const TensorShape&,
                                                              const TensorShape&, TensorDataType,
                                                              TensorDataType,
                                                              uint32_t& maxLiveNodeCount,
                                                              uint32_t& extraBuf) {
  bascule_host::TmpFactor(1, &maxLiveNodeCount, &extraBuf);
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_QUANTIZATION_QUANTIZATION_TILING_H_
