// Whether an operator gives the same bits every time, and keeps no memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_CHECK_REPEATABLE_H_
#define BASCULE_CHECK_REPEATABLE_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bascule/c_api.h"

namespace bascule::check {

nlohmann::json CheckRepeatable(const BasculeOperator* op, const BasculeLists* lists,
                               std::span<const BasculeTensor* const> inputs,
                               std::span<const BasculeTensorInfo> outputs,
                               std::span<const BasculeAttribute> attributes,
                               std::span<const std::string> output_names);

nlohmann::json CheckMemory(const std::function<void()>& call, uint32_t calls);

}  // namespace bascule::check

#endif  // BASCULE_CHECK_REPEATABLE_H_
