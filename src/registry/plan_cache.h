// Plans that were made before. Bounded; shared by threads; a plan handed out stays valid as long as
// it is held, also when the cache has dropped it. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_PLAN_CACHE_H_
#define BASCULE_REGISTRY_PLAN_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "registry/inference.h"

namespace bascule::registry {

// A plan and how long its launches took.
struct CachedPlan {
  Plan plan;
  std::atomic<uint64_t> launch_ns{0};  // smoothed; 0: not launched yet
};

class PlanCache {
 public:
  explicit PlanCache(size_t capacity = 4096) : capacity_(capacity) {}

  // The plan for a key, or null. `key` is any sequence of words that tells requests apart.
  std::shared_ptr<CachedPlan> Find(std::span<const int64_t> key) const;
  // Adds a plan; another thread may have been first, in which case its plan is returned.
  std::shared_ptr<CachedPlan> Insert(std::span<const int64_t> key, Plan plan);

  struct Statistics {
    uint64_t hits;
    uint64_t misses;
    uint64_t dropped;
    size_t entries;
  };
  Statistics GetStatistics() const;

 private:
  using Key = std::vector<int64_t>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::span<const int64_t> words) const;
    size_t operator()(const Key& key) const { return (*this)(std::span<const int64_t>(key)); }
  };
  struct Equal {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
  };

  const size_t capacity_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<CachedPlan>, Hash, Equal> plans_;
  mutable std::atomic<uint64_t> hits_{0};
  mutable std::atomic<uint64_t> misses_{0};
  uint64_t dropped_ = 0;
};

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_PLAN_CACHE_H_
