// SPDX-License-Identifier: Apache-2.0
#include "host/launch.h"

#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "base/error.h"
#include "engine/constants.h"
#include "engine/kernel_type.h"
#include "host/constants.h"
#include "host/observers.h"
#include "simd/targets.h"

namespace bascule::host {

void Launch(engine::LaunchRequest& request, std::atomic<uint64_t>& known_ns) {
  static const bool ready = (simd::ChooseTarget(), engine::SetConstantFinder(FindConstant), true);
  (void)ready;
  const uint64_t known = known_ns.load(std::memory_order_relaxed);
  request.expected_ns = known;
  const ObserverLease lease;
  request.observers = lease.observers();
  // A clock costs as much as a good part of a short launch, so those are timed now and then.
  constexpr uint64_t kShortNanoseconds = 20000;
  constexpr uint32_t kUntimed = 16;
  thread_local uint32_t untimed = 0;
  if (known != 0 && known < kShortNanoseconds && ++untimed % kUntimed != 0) {
    engine::Launch(request);
    return;
  }
  const auto before = std::chrono::steady_clock::now();
  engine::Launch(request);
  const auto after = std::chrono::steady_clock::now();
  const uint64_t took = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(after - before).count());
  // Written when it changes only: threads that launch the same plan share the line it is on.
  const uint64_t next = known == 0 ? took : (known * 3 + took) / 4;
  const uint64_t off = next > known ? next - known : known - next;
  if (off > known / 8) known_ns.store(next, std::memory_order_relaxed);
}

uint32_t KernelTypeOf(const void* entry, uint32_t said) {
  if (said >= BASCULE_KERNEL_TYPE_COUNT) {
    throw Error(BASCULE_VERSION_MISMATCH,
                Join("a kernel is of type ", said,
                     ", which this runtime does not know; install the bascule it was built with."));
  }
  if (said != BASCULE_KERNEL_UNSAID) return said;
  static std::shared_mutex mutex;
  static auto* const known = new std::unordered_map<const void*, uint32_t>;  // outlives statics
  {
    const std::shared_lock<std::shared_mutex> lock(mutex);
    const auto found = known->find(entry);
    if (found != known->end()) return found->second;
  }
  const uint32_t type = engine::MarkedKernelType(entry);
  const std::lock_guard<std::shared_mutex> lock(mutex);
  known->emplace(entry, type);
  return type;
}

}  // namespace bascule::host
