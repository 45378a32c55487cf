// SPDX-License-Identifier: Apache-2.0
#include "registry/plan_cache.h"

#include <mutex>
#include <utility>

#include "xxhash.h"

namespace bascule::registry {

size_t PlanCache::Hash::operator()(std::span<const int64_t> words) const {
  return XXH3_64bits(words.data(), words.size_bytes());
}

std::shared_ptr<CachedPlan> PlanCache::Find(std::span<const int64_t> key) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const auto found = plans_.find(key);
  if (found == plans_.end()) {
    misses_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  hits_.fetch_add(1, std::memory_order_relaxed);
  return found->second;
}

std::shared_ptr<CachedPlan> PlanCache::Insert(std::span<const int64_t> key, Plan plan) {
  auto entry = std::make_shared<CachedPlan>();
  entry->plan = std::move(plan);
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  // Full: any entry goes. Plans are cheap to make again, and a map has no order to keep up on a
  // hit.
  if (plans_.size() >= capacity_ && plans_.find(key) == plans_.end()) {
    plans_.erase(plans_.begin());
    ++dropped_;
  }
  return plans_.try_emplace(Key(key.begin(), key.end()), std::move(entry)).first->second;
}

PlanCache::Statistics PlanCache::GetStatistics() const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  return {hits_.load(), misses_.load(), dropped_, plans_.size()};
}

}  // namespace bascule::registry
