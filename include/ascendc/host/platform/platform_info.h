// What host code asks for the processor's name where it has no PlatFormInfos: the same everywhere
// here. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_PLATFORM_PLATFORM_INFO_H_
#define BASCULE_ASCENDC_PLATFORM_PLATFORM_INFO_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/platform_infos_def.h"

// Host code that includes this header uses these names as they stand.
using std::map;     // NOLINT(google-global-names-in-headers)
using std::string;  // NOLINT(google-global-names-in-headers)
using std::vector;  // NOLINT(google-global-names-in-headers)

namespace fe {

struct StrInfo {
  std::string short_soc_version;
};
struct PlatformInfo {
  StrInfo str_info;
};
struct OptionalInfo {
  std::string soc_version;
  std::string core_type;
};

class PlatformInfoManager {
 public:
  BASCULE_HIDDEN static PlatformInfoManager& Instance() {
    static PlatformInfoManager manager;
    return manager;
  }
  // 0: there is such a processor.
  BASCULE_HIDDEN uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& platform,
                                                           OptionalInfo& optional) {
    platform.str_info.short_soc_version = "Ascend910B";
    optional.soc_version = "Ascend910B1";
    optional.core_type = "AiCore";
    return 0;
  }
};

}  // namespace fe

#endif  // BASCULE_ASCENDC_PLATFORM_PLATFORM_INFO_H_
