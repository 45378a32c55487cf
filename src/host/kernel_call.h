// One call of a lone kernel: a kernel without operator project, known by its symbol.
//
// Its caller knows how many inputs and outputs it takes; nothing else is known of it. So it runs on
// min(vector cores, ceil(total / share)) blocks, where total and share are what GetTensorNum() and
// GetBlockSize(total) answer. A tensor that ends within a datablock of 32 bytes has padding behind
// it, which the kernel may touch. What lies behind the known arguments was not passed: using it is
// an error. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_KERNEL_CALL_H_
#define BASCULE_HOST_KERNEL_CALL_H_

#include <span>

#include "bascule/c_api.h"
#include "host/library.h"

namespace bascule::host {

// `op.kernel` is not null. A null input is an optional one that was left out. Throws Error.
// Thread-safe.
void CallKernel(Operator& op, std::span<const BasculeTensor* const> inputs,
                std::span<BasculeTensor* const> outputs);

}  // namespace bascule::host

#endif  // BASCULE_HOST_KERNEL_CALL_H_
