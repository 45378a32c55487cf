// fe::PlatFormInfos: facts about the machine; mostly read through
// platform_ascendc::PlatformAscendC. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_PLATFORM_PLATFORM_INFOS_DEF_H_
#define BASCULE_ASCENDC_PLATFORM_PLATFORM_INFOS_DEF_H_

#include <cstdint>
#include <string>

#include "bascule_host_base.h"

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class PlatFormInfos {
 public:
  BASCULE_HIDDEN PlatFormInfos() = default;
  BASCULE_HIDDEN explicit PlatFormInfos(const BasculePlatform* platform) : platform_(platform) {}
  BASCULE_HIDDEN const BasculePlatform* Get() const { return platform_; }

  BASCULE_HIDDEN bool Init() { return true; }
  // Vector cores where vector and cube cores are separate, else cube cores.
  BASCULE_HIDDEN uint32_t GetCoreNum() const {
    if (platform_ == nullptr) return 0;
    return platform_->aiv_cores != 0 ? platform_->aiv_cores : platform_->aic_cores;
  }
  // 0 where the platform's table has no figure.
  BASCULE_HIDDEN void GetLocalMemSize(const LocalMemType& type, uint64_t& size) const {
    size = 0;
    if (platform_ == nullptr) return;
    switch (type) {
      case LocalMemType::L0_A:
        size = platform_->memory_bytes[BASCULE_L0A];
        break;
      case LocalMemType::L0_B:
        size = platform_->memory_bytes[BASCULE_L0B];
        break;
      case LocalMemType::L0_C:
        size = platform_->memory_bytes[BASCULE_L0C];
        break;
      case LocalMemType::L1:
        size = platform_->memory_bytes[BASCULE_L1];
        break;
      case LocalMemType::L2:
        size = platform_->l2_bytes;
        break;
      case LocalMemType::UB:
        size = platform_->memory_bytes[BASCULE_UB];
        break;
      default:
        break;
    }
  }
  // The toolkit's configuration files; false: there is no such entry. Known are the processor's
  // name and its numbers of cores.
  BASCULE_HIDDEN bool GetPlatformRes(const std::string& label, const std::string& key,
                                     std::string& value) const {
    if (platform_ == nullptr) return false;
    if (key == "Short_SoC_version" || key == "SoC_version") {
      value = platform_->name;
    } else if (label == "SoCInfo" && key == "ai_core_cnt") {
      value = std::to_string(platform_->aic_cores);
    } else if (label == "SoCInfo" && key == "cube_core_cnt") {
      value = std::to_string(platform_->aic_cores);
    } else if (label == "SoCInfo" && key == "vector_core_cnt") {
      value = std::to_string(platform_->aiv_cores);
    } else {
      return false;
    }
    return true;
  }
  BASCULE_HIDDEN bool GetPlatformResWithLock(const std::string& label, const std::string& key,
                                             std::string& value) const {
    return GetPlatformRes(label, key, value);
  }

 private:
  const BasculePlatform* platform_ = nullptr;
};
using OptionalInfos = PlatFormInfos;

}  // namespace fe

#endif  // BASCULE_ASCENDC_PLATFORM_PLATFORM_INFOS_DEF_H_
