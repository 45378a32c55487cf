// One call of an operator: check, plan, pack, launch, unpack.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_CALL_H_
#define BASCULE_HOST_CALL_H_

#include <cstdint>
#include <span>

#include "bascule/c_api.h"
#include "host/library.h"
#include "registry/lists.h"

namespace bascule::host {

// Throws Error. Thread-safe. `counts` says which tensors belong to which list. `workspace` is the
// caller's memory for the kernel, of so many bytes, which have to be what its plan says; null: the
// call takes its own.
void Call(Operator& op, std::span<const BasculeTensor* const> inputs,
          std::span<BasculeTensor* const> outputs, std::span<const BasculeAttribute> attributes,
          const registry::Counts& counts = {}, void* workspace = nullptr,
          uint64_t workspace_bytes = 0);

// Throws what Call would throw before it launches anything, and launches nothing. What a lone
// kernel takes shows only when it runs.
void CheckCall(Operator& op, std::span<const BasculeTensor* const> inputs,
               std::span<BasculeTensor* const> outputs,
               std::span<const BasculeAttribute> attributes, const registry::Counts& counts = {});

}  // namespace bascule::host

#endif  // BASCULE_HOST_CALL_H_
