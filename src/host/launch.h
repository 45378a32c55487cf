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

}  // namespace bascule::host

#endif  // BASCULE_HOST_LAUNCH_H_
