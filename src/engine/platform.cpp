// SPDX-License-Identifier: Apache-2.0
#include "engine/platform.h"

#include "bascule/abi/kernel.h"

namespace bascule::engine {

const BasculePlatform& Ascend910B() {
  constexpr uint64_t kKiB = 1024;
  // Core counts as the public examples use them; memories from "NPU architecture version 2201" of
  // the Ascend C guide. The last 256 bytes of the unified buffer and of L1 are the system's.
  static const BasculePlatform platform = {
      .struct_bytes = sizeof(BasculePlatform),
      .aiv_cores = 48,
      .aic_cores = 24,
      .reserved = 0,
      .memory_bytes = {0, 192 * kKiB - 256, 512 * kKiB - 256, 64 * kKiB, 64 * kKiB, 128 * kKiB,
                       kKiB, 2 * kKiB},
      .l2_bytes = 192 * kKiB * kKiB,
      .system_workspace_bytes = BASCULE_SYSTEM_WORKSPACE_BYTES,
      .name = "Ascend910B",
  };
  return platform;
}

}  // namespace bascule::engine
