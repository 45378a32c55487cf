// Facts about the machine a kernel is planned for.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_PLATFORM_PLATFORM_ASCENDC_H_
#define BASCULE_ASCENDC_TILING_PLATFORM_PLATFORM_ASCENDC_H_

#include <cstdint>
#include <cstring>

#include "acl/acl_base.h"
#include "exe_graph/runtime/tiling_context.h"
#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"

namespace platform_ascendc {

// Source: "GetCoreMemSize" page of the Ascend C interface documentation.
enum class CoreMemType {
  L0_A = 0,
  L0_B = 1,
  L0_C = 2,
  L1 = 3,
  L2 = 4,
  UB = 5,
  HBM = 6,
  FB = 7,
  BT = 8,
  RESERVED
};

enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND910_95,
  ASCEND950 = ASCEND910_95,
  MC62CM12A,
  ASCEND910_93,
  ASCEND310,
  ASCEND910E,
  KIRINX90,
  KIRIN9020,
  KIRIN9030,
  RESERVED_VERSION = 99999
};

// How much of the unified buffer is set aside.
enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
 public:
  PlatformAscendC() = delete;
  BASCULE_HIDDEN explicit PlatformAscendC(fe::PlatFormInfos* platform_info)
      : platform_(platform_info == nullptr ? nullptr : platform_info->Get()) {
    if (platform_ == nullptr) {
      throw bascule_host::HostError(
          "PlatformAscendC was given a null platform; pass context->GetPlatformInfo() of a tiling "
          "function");
    }
  }

  // Vector cores where vector and cube cores are separate, else cube cores.
  BASCULE_HIDDEN uint32_t GetCoreNum() const {
    return platform_->aiv_cores != 0 ? platform_->aiv_cores : platform_->aic_cores;
  }
  BASCULE_HIDDEN uint32_t GetCoreNumAic() const { return platform_->aic_cores; }
  BASCULE_HIDDEN uint32_t GetCoreNumAiv() const { return platform_->aiv_cores; }
  // Vector cores apart from the AI cores; this family has none.
  BASCULE_HIDDEN uint32_t GetCoreNumVector() const { return 0; }

  // How many blocks to launch for `slice_num` slices of vector work in a kernel that uses both core
  // types: one block drives a cube core and its vector cores.
  BASCULE_HIDDEN uint32_t CalcTschNumBlocks(uint32_t slice_num, uint32_t aic_core_num,
                                            uint32_t aiv_core_num) const {
    if (aic_core_num == 0 || aiv_core_num == 0 || aic_core_num > aiv_core_num) return slice_num;
    const uint32_t ratio = aiv_core_num / aic_core_num;
    return slice_num / ratio + (slice_num % ratio != 0 ? 1 : 0);
  }
  BASCULE_HIDDEN uint32_t CalcTschBlockDim(uint32_t slice_num, uint32_t aic_core_num,
                                           uint32_t aiv_core_num) const {
    return CalcTschNumBlocks(slice_num, aic_core_num, aiv_core_num);
  }

  // Bytes that user code may use; 0 where the platform's table has no figure.
  BASCULE_HIDDEN void GetCoreMemSize(const CoreMemType& mem_type, uint64_t& size) const {
    switch (mem_type) {
      case CoreMemType::L0_A:
        size = platform_->memory_bytes[BASCULE_L0A];
        break;
      case CoreMemType::L0_B:
        size = platform_->memory_bytes[BASCULE_L0B];
        break;
      case CoreMemType::L0_C:
        size = platform_->memory_bytes[BASCULE_L0C];
        break;
      case CoreMemType::L1:
        size = platform_->memory_bytes[BASCULE_L1];
        break;
      case CoreMemType::L2:
        size = platform_->l2_bytes;
        break;
      case CoreMemType::UB:
        size = platform_->memory_bytes[BASCULE_UB];
        size -= size < reserved_bytes_ ? size : reserved_bytes_;
        break;
      case CoreMemType::FB:
        size = platform_->memory_bytes[BASCULE_FB];
        break;
      case CoreMemType::BT:
        size = platform_->memory_bytes[BASCULE_BT];
        break;
      default:
        size = 0;
        break;
    }
  }

  // What GetCoreMemSize() tells of the unified buffer is less by so much; the last call counts.
  BASCULE_HIDDEN void ReserveLocalMemory(ReservedSize size) {
    reserved_bytes_ = uint64_t{8 * 1024} << static_cast<int>(size);
  }

  // Bytes a cycle and AI core: 7 TB/s and 1.6 TB/s, which the guide's examples count on, over 24
  // cores at 1.85 GHz. 0 for the other memories, which the interface reserves.
  BASCULE_HIDDEN void GetCoreMemBw(const CoreMemType& mem_type, uint64_t& bw_size) const {
    bw_size = mem_type == CoreMemType::L2 ? 158 : mem_type == CoreMemType::HBM ? 36 : 0;
  }

  BASCULE_HIDDEN uint32_t GetLibApiWorkSpaceSize() const {
    return static_cast<uint32_t>(platform_->system_workspace_bytes);
  }

  // Groups of cores and their barriers talk through the engine here; a workspace of any size does.
  BASCULE_HIDDEN uint32_t GetResCubeGroupWorkSpaceSize() const { return 16 * 1024; }
  BASCULE_HIDDEN uint32_t GetResGroupBarrierWorkSpaceSize() const { return 16 * 1024; }
  // This family computes on memory and has no vector registers.
  BASCULE_HIDDEN uint32_t GetVecRegLen() const { return 0; }

  BASCULE_HIDDEN NpuArch GetCurNpuArch() const {
    return GetSocVersion() == SocVersion::ASCEND910B ? NpuArch::DAV_2201 : NpuArch::DAV_RESV;
  }
  BASCULE_HIDDEN SocVersion GetSocVersion() const {
    if (std::strcmp(platform_->name, "Ascend910B") == 0) return SocVersion::ASCEND910B;
    return SocVersion::RESERVED_VERSION;
  }

 private:
  const BasculePlatform* platform_;
  uint64_t reserved_bytes_ = 0;
};

// For programs that launch kernels themselves and so have no tiling context.
class PlatformAscendCManager {
 public:
  PlatformAscendCManager() = delete;
  // The machine; null, with a sentence on standard error, where the runtime is not to be found.
  BASCULE_HIDDEN static PlatformAscendC* GetInstance() {
    const BasculeAclApi* api = BasculeAcl();
    if (api == nullptr) return nullptr;
    static fe::PlatFormInfos infos(api->platform());
    static PlatformAscendC platform(&infos);
    return &platform;
  }
  // The name of the processor changes nothing: there is one.
  BASCULE_HIDDEN static PlatformAscendC* GetInstance(const char* /*custom_soc_version*/) {
    return GetInstance();
  }
};

}  // namespace platform_ascendc

#endif  // BASCULE_ASCENDC_TILING_PLATFORM_PLATFORM_ASCENDC_H_
