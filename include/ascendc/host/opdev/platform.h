// op::GetCurrentPlatformInfo(): which processor host code plans for.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OPDEV_PLATFORM_H_
#define BASCULE_ASCENDC_OPDEV_PLATFORM_H_

#include <cstdint>

#include "tiling/platform/platform_ascendc.h"

namespace op {

enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND910_93,
  ASCEND950,
  ASCEND910E,
  ASCEND310,
  ASCEND310P,
  ASCEND310B,
  ASCEND310C,
  ASCEND610LITE,
  RESERVED_VERSION = 99999
};

class PlatformInfo {
 public:
  BASCULE_HIDDEN SocVersion GetSocVersion() const { return SocVersion::ASCEND910B; }
  BASCULE_HIDDEN NpuArch GetCurNpuArch() const { return NpuArch::DAV_2201; }
  // 0, with a sentence on standard error, where the runtime is not to be found.
  BASCULE_HIDDEN uint32_t GetCubeCoreNum() const {
    const auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    return platform == nullptr ? 0 : platform->GetCoreNumAic();
  }
  BASCULE_HIDDEN uint32_t GetVectorCoreNum() const {
    const auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    return platform == nullptr ? 0 : platform->GetCoreNumAiv();
  }
};

BASCULE_HIDDEN inline const PlatformInfo& GetCurrentPlatformInfo() {
  static const PlatformInfo info;
  return info;
}

}  // namespace op

#endif  // BASCULE_ASCENDC_OPDEV_PLATFORM_H_
