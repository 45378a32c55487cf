// Plans for less than the platform has: what measurements of tile sizes and block counts vary.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_PLAN_LIMITS_H_
#define BASCULE_HOST_PLAN_LIMITS_H_

#include <cstdint>

#include "bascule/abi/library.h"
#include "registry/plan_key.h"

namespace bascule::host {

// What tiling is told of the vector cores and the unified buffer from now on; 0: what there is.
// Throws Error for more than there is.
void LimitPlans(uint32_t vector_cores, uint64_t ub_bytes);

// The platform as tiling sees it.
BasculePlatform PlannedPlatform();

// Plans for a limited platform are kept apart from the others. Costs a load where there is no
// limit.
void AddPlanLimits(registry::PlanKey* key);

}  // namespace bascule::host

#endif  // BASCULE_HOST_PLAN_LIMITS_H_
