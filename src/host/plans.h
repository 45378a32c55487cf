// Plans of operators: made, and carried from one process to another.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_PLANS_H_
#define BASCULE_HOST_PLANS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bascule/c_api.h"
#include "host/library.h"
#include "registry/plan_cache.h"

namespace bascule::host {

// Runs the operator's tiling for the platform of this runtime. `outputs`, where the caller has
// them, are for operators without shape inference (registry::MakePlan). Throws Error.
registry::Plan MakePlan(const Operator& op, std::span<const BasculeTensorInfo> inputs,
                        std::span<const BasculeAttribute> complete_attributes,
                        std::span<const void* const> input_data = {},
                        std::span<const BasculeTensorInfo> outputs = {},
                        const registry::Lists& lists = {});

// The plan for a request, from the cache or new. Throws Error.
registry::PlanRef PlanFor(Operator& op, std::span<const BasculeTensorInfo> inputs,
                          std::span<const BasculeAttribute> attributes,
                          std::span<const BasculeTensorInfo> outputs = {},
                          const registry::Counts& counts = {});

// Plans every entry of a JSON list (docs/c_api.md, "Plans ahead"). Returns how many they are.
// Throws Error that says which entry.
uint64_t PlanList(Library& library, const std::string& json);

// What the operators' caches hold, as the content of a file.
std::string PackPlans(const Library& library, std::span<Operator* const> operators);
// Fills the caches of `operators` from such content and returns the number of plans in it that are
// theirs. Throws Error, with `source` in it, for what is damaged or was made from another library
// or for another platform, before it takes anything. `carried`: the content is part of the library,
// which then cannot hold its own hash.
uint64_t UnpackPlans(const Library& library, std::span<Operator* const> operators,
                     std::string_view content, const std::string& source, bool carried);

// The same for what the loaded library that holds `address` carries, if it does. Carried plans that
// do not fit are left out.
void UnpackCarriedPlans(const Library& library, std::span<Operator* const> operators,
                        const void* address);

void SavePlans(const Library& library, std::span<Operator* const> operators,
               const std::string& path);
uint64_t LoadPlans(const Library& library, std::span<Operator* const> operators,
                   const std::string& path);

}  // namespace bascule::host

#endif  // BASCULE_HOST_PLANS_H_
