// Facts about the processor by the names public operator projects ask for them.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_PLATFORM_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_PLATFORM_UTIL_H_

#include <cstdint>

#include "op_common/log/log.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {

// Bytes of a datablock of the unified buffer, of a line of the cache, of a vector register (this
// family has none).
template <typename Context>
BASCULE_HIDDEN inline uint32_t GetUbBlockSize(const Context*) {
  return 32;
}
template <typename Context>
BASCULE_HIDDEN inline uint32_t GetCacheLineSize(const Context*) {
  return 512;
}
template <typename Context>
BASCULE_HIDDEN inline uint32_t GetVRegSize(const Context*) {
  return 256;
}
template <typename Context>
BASCULE_HIDDEN inline uint32_t GetAivCoreNum(const Context* context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
}
template <typename Context>
BASCULE_HIDDEN inline uint32_t GetAicCoreNum(const Context* context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAic();
}
template <typename Context>
BASCULE_HIDDEN inline uint64_t GetUbSize(const Context* context) {
  uint64_t size = 0;
  platform_ascendc::PlatformAscendC(context->GetPlatformInfo())
      .GetCoreMemSize(platform_ascendc::CoreMemType::UB, size);
  return size;
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_PLATFORM_UTIL_H_
