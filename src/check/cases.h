// Which cases an operator is tried with, and the numbers in their tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_CHECK_CASES_H_
#define BASCULE_CHECK_CASES_H_

#include <nlohmann/json.hpp>

#include "bascule/c_api.h"

namespace bascule::check {

// The cases of an operator: an array of objects, docs/check.md says of which members. `schema` is
// its entry of a manifest. `options` may hold "cases", those of the project's own reference.py. A
// case keeps its number for as long as schema and own cases stay the same. Throws an Error for own
// cases that cannot be used.
nlohmann::json MakeCases(const nlohmann::json& schema, const nlohmann::json& options);

// Fills a tensor of any strides by a member of a case's "fills".
void Fill(const BasculeTensor& tensor, const nlohmann::json& recipe);

}  // namespace bascule::check

#endif  // BASCULE_CHECK_CASES_H_
