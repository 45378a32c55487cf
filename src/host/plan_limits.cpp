// SPDX-License-Identifier: Apache-2.0
#include "host/plan_limits.h"

#include <atomic>

#include "base/error.h"
#include "engine/platform.h"

namespace bascule::host {
namespace {

std::atomic<uint32_t> limited_cores{0};
std::atomic<uint64_t> limited_ub_bytes{0};

// No word of a tensor or an attribute.
constexpr int64_t kMark = -2;

}  // namespace

void LimitPlans(uint32_t vector_cores, uint64_t ub_bytes) {
  const BasculePlatform& platform = engine::Ascend910B();
  if (vector_cores > platform.aiv_cores || ub_bytes > platform.memory_bytes[BASCULE_UB]) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(platform.name, " has ", platform.aiv_cores, " vector cores and ",
                     platform.memory_bytes[BASCULE_UB],
                     " bytes of unified buffer for each; plans cannot be made for ", vector_cores,
                     " cores and ", ub_bytes, " bytes"));
  }
  limited_cores.store(vector_cores, std::memory_order_relaxed);
  limited_ub_bytes.store(ub_bytes, std::memory_order_relaxed);
}

BasculePlatform PlannedPlatform() {
  BasculePlatform platform = engine::Ascend910B();
  const uint32_t cores = limited_cores.load(std::memory_order_relaxed);
  const uint64_t bytes = limited_ub_bytes.load(std::memory_order_relaxed);
  if (cores != 0) platform.aiv_cores = cores;
  if (bytes != 0) platform.memory_bytes[BASCULE_UB] = bytes;
  return platform;
}

void AddPlanLimits(registry::PlanKey* key) {
  const uint32_t cores = limited_cores.load(std::memory_order_relaxed);
  const uint64_t bytes = limited_ub_bytes.load(std::memory_order_relaxed);
  if (cores == 0 && bytes == 0) [[likely]]
    return;
  key->Add(kMark);
  key->Add(cores);
  key->Add(static_cast<int64_t>(bytes));
}

}  // namespace bascule::host
