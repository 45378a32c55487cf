// What to think of a gradient function that works.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_CHECK_ADVICE_H_
#define BASCULE_CHECK_ADVICE_H_

#include <nlohmann/json.hpp>

namespace bascule::check {

// From facts about a gradient function to hints and warnings; docs/check.md names both.
nlohmann::json Advise(const nlohmann::json& facts);

}  // namespace bascule::check

#endif  // BASCULE_CHECK_ADVICE_H_
