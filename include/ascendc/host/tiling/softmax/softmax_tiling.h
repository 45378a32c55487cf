// Tiling and temporary space of SoftMax and its family.
//
// A shape is [rows…, columns]: all dimensions but the last count as rows.
// Source: the "Tiling" pages of the SoftMax and LogSoftMax chapters of the Ascend C documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_SOFTMAX_SOFTMAX_TILING_H_
#define BASCULE_ASCENDC_TILING_SOFTMAX_SOFTMAX_TILING_H_

#include "register/tilingdata_base.h"
#include "tiling/tmp_size.h"

namespace bascule_host {

BASCULE_HIDDEN inline AscendC::tiling::SoftMaxTiling SoftMaxTilingOf(const char* function,
                                                                     const ge::Shape& shape,
                                                                     uint32_t type_bytes,
                                                                     uint32_t tmp_bytes) {
  const uint64_t elements = Elements(function, shape);
  const size_t rank = shape.GetDimNum();
  const uint64_t columns = rank == 0 ? 1 : static_cast<uint64_t>(shape.GetDim(rank - 1));
  if (elements > std::numeric_limits<uint32_t>::max()) {
    throw HostError(std::string(function) + ": the shape has " + std::to_string(elements) +
                    " elements; what a core computes at once has to fit in its memory");
  }
  return bascule_tiling::SoftMaxSplit(static_cast<uint32_t>(columns == 0 ? 0 : elements / columns),
                                      static_cast<uint32_t>(columns), type_bytes, tmp_bytes);
}

}  // namespace bascule_host

namespace AscendC {

// `parameters` stand between the shape and what comes out; the size of the statistics' element is
// called `dataTypeSize`.
#define BASCULE_UNPACK(...) __VA_ARGS__
#define BASCULE_TMP_SIZES(name, parameters, last)                                    \
  BASCULE_HIDDEN inline uint32_t Get##name##MaxTmpSize(                              \
      const TensorShape& srcShape, BASCULE_UNPACK parameters, BASCULE_UNPACK last) { \
    return bascule_host::MaxTmpBytes("Get" #name "MaxTmpSize", srcShape, 4);         \
  }                                                                                  \
  BASCULE_HIDDEN inline uint32_t Get##name##MinTmpSize(                              \
      const TensorShape& srcShape, BASCULE_UNPACK parameters, BASCULE_UNPACK last) { \
    bascule_host::Elements("Get" #name "MinTmpSize", srcShape);                      \
    return bascule_tiling::kMinTmpBytes;                                             \
  }
BASCULE_TMP_SIZES(SoftMax, (const uint32_t), (const bool))
BASCULE_TMP_SIZES(LogSoftMax, (const uint32_t), (const bool))
BASCULE_TMP_SIZES(SoftMaxFlash, (const uint32_t), (const bool, const bool))
BASCULE_TMP_SIZES(SoftMaxGrad, (const uint32_t), (const bool, const bool))
BASCULE_TMP_SIZES(SoftMaxFlashV2, (const uint32_t, const uint32_t),
                  (const bool, const bool = false, const bool = false))
#undef BASCULE_TMP_SIZES

BASCULE_HIDDEN inline void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape,
                                                          const uint32_t, const uint32_t,
                                                          uint32_t& maxValue, uint32_t& minValue,
                                                          const bool, const bool = false) {
  bascule_host::MaxMinTmpBytes("GetSoftMaxFlashV3MaxMinTmpSize", srcShape, 4, &maxValue, &minValue);
}

// Each for the plain structure and for the class.
#define BASCULE_TILING_OF(function, Struct, parameters, last)                                   \
  BASCULE_HIDDEN inline void function(const TensorShape& srcShape, BASCULE_UNPACK parameters,   \
                                      const uint32_t localWorkSpaceSize,                        \
                                      tiling::Struct& out BASCULE_UNPACK last) {                \
    bascule_host::Assign(&out, bascule_host::SoftMaxTilingOf(#function, srcShape, dataTypeSize, \
                                                             localWorkSpaceSize));              \
  }                                                                                             \
  BASCULE_HIDDEN inline void function(const TensorShape& srcShape, BASCULE_UNPACK parameters,   \
                                      const uint32_t localWorkSpaceSize,                        \
                                      optiling::Struct& out BASCULE_UNPACK last) {              \
    bascule_host::Assign(&out, bascule_host::SoftMaxTilingOf(#function, srcShape, dataTypeSize, \
                                                             localWorkSpaceSize));              \
  }
BASCULE_TILING_OF(SoftMaxTilingFunc, SoftMaxTiling, (const uint32_t dataTypeSize), ())
BASCULE_TILING_OF(LogSoftMaxTilingFunc, LogSoftMaxTiling, (const uint32_t dataTypeSize), ())
BASCULE_TILING_OF(SoftMaxFlashTilingFunc, SoftMaxTiling, (const uint32_t dataTypeSize),
                  (, const bool = false))
BASCULE_TILING_OF(SoftMaxGradTilingFunc, SoftMaxTiling, (const uint32_t dataTypeSize),
                  (, const bool = false))
BASCULE_TILING_OF(SoftMaxFlashV2TilingFunc, SoftMaxTiling,
                  (const uint32_t, const uint32_t dataTypeSize),
                  (, const bool, const bool = false, const bool = false))
BASCULE_TILING_OF(SoftMaxFlashV3TilingFunc, SoftMaxTiling,
                  (const uint32_t, const uint32_t dataTypeSize), (, const bool, const bool = false))
#undef BASCULE_TILING_OF
#undef BASCULE_UNPACK

// Whether a kernel may ask for basic blocks.
BASCULE_HIDDEN inline bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& tiling,
                                                 const uint32_t dataTypeSize = 2) {
  return bascule_tiling::IsBasicBlock(tiling.splitM, tiling.tailM, tiling.splitK, dataTypeSize);
}
BASCULE_HIDDEN inline bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling,
                                                 const uint32_t dataTypeSize = 2) {
  return bascule_tiling::IsBasicBlock(tiling.get_splitM(), tiling.get_tailM(), tiling.get_splitK(),
                                      dataTypeSize);
}

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_TILING_SOFTMAX_SOFTMAX_TILING_H_
