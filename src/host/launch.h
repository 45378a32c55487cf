// The one way to start a kernel: operators, `<<<>>>` and every later way come through here.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_LAUNCH_H_
#define BASCULE_HOST_LAUNCH_H_

#include <atomic>
#include <cstdint>

#include "engine/launch.h"

namespace bascule::host {

// Runs the request, with the observers that are attached now watching. `known_ns` is what such a
// launch took before (0: unknown) and learns from this one. Throws Error. Thread-safe.
void Launch(engine::LaunchRequest& request, std::atomic<uint64_t>& known_ns);

// Which cores the kernel at `entry` is for: `said` where that is more than BASCULE_KERNEL_UNSAID,
// else what its code says (engine/kernel_type.h), which is remembered. Throws Error for a number
// that is no type. Thread-safe.
uint32_t KernelTypeOf(const void* entry, uint32_t said);

}  // namespace bascule::host

#endif  // BASCULE_HOST_LAUNCH_H_
