// SPDX-License-Identifier: Apache-2.0
#include "host/launch.h"

#include <chrono>

#include "host/observers.h"
#include "simd/targets.h"

namespace bascule::host {

void Launch(engine::LaunchRequest& request, std::atomic<uint64_t>& known_ns) {
  static const bool ready = (simd::ApplyEnvironment(), true);
  (void)ready;
  const uint64_t known = known_ns.load(std::memory_order_relaxed);
  request.expected_ns = known;
  const ObserverLease lease;
  request.observers = lease.observers();
  const auto before = std::chrono::steady_clock::now();
  engine::Launch(request);
  const auto after = std::chrono::steady_clock::now();
  const uint64_t took = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(after - before).count());
  known_ns.store(known == 0 ? took : (known * 3 + took) / 4, std::memory_order_relaxed);
}

}  // namespace bascule::host
