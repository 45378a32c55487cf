// Plans that were made before. Bounded and shared by threads; a hit takes no lock.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_PLAN_CACHE_H_
#define BASCULE_REGISTRY_PLAN_CACHE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "registry/holders.h"
#include "registry/inference.h"
#include "registry/readers.h"

namespace bascule::registry {

// An output as a plan remembers it.
struct PlannedOutput {
  int32_t dtype;
  int32_t format;
  int64_t rank;
  const int64_t* dims;
};

// A plan as it is kept: immutable but for the time. This part is what a look-up compares. Plans lie
// side by side in it, a cache line each, so that those of thousands of shapes stay in a processor's
// own cache; the rest is elsewhere and touched by who uses the plan.
class alignas(64) CachedPlan {
 public:
  const BasculeKernelVariant* variant() const { return rest_->variant; }
  uint32_t block_count() const { return rest_->block_count; }  // 0: there is nothing to launch
  uint32_t kernel_type() const { return rest_->kernel_type; }
  uint64_t tiling_key() const { return rest_->tiling_key; }
  uint64_t workspace_bytes() const { return rest_->workspace_bytes; }
  uint64_t tiling_bytes() const { return rest_->tiling_bytes; }
  const void* tiling_data() const {
    return reinterpret_cast<const char*>(rest_) + rest_->tiling_offset;
  }
  uint32_t output_count() const { return rest_->output_count; }
  PlannedOutput Output(uint32_t index) const;
  // How long its launches took, smoothed; 0: none yet.
  std::atomic<uint64_t>& launch_ns() const { return rest_->launch_ns; }

  std::vector<int64_t> key() const;
  // The outputs in the form in which they are kept and saved: a word that says dtype, format and
  // rank, then the dimensions.
  std::span<const int64_t> output_words() const {
    return {far_key().data() + far_key().size(), rest_->output_words};
  }
  // Memory it takes, the allocator's share included.
  uint64_t memory_bytes() const { return rest_->memory_bytes; }

 private:
  friend class PlanCache;
  friend class PlanRef;

  static constexpr uint32_t kNearWords = 6;  // of two matrices
  static constexpr uint32_t kPageBits = 10;
  static constexpr uint32_t kPagePlans = 1u << kPageBits;

  // Followed by the key's other words, the outputs' words and the tiling data.
  struct Rest {
    const BasculeKernelVariant* variant = nullptr;
    uint64_t tiling_key = 0;
    uint64_t workspace_bytes = 0;
    std::atomic<uint64_t> launch_ns{0};
    uint32_t block_count = 0;
    uint16_t kernel_type = 0;
    uint16_t output_count = 0;
    uint32_t tiling_offset = 0;
    uint32_t tiling_bytes = 0;
    uint32_t memory_bytes = 0;
    uint32_t hash = 0;
    uint32_t place = 0;  // in the cache's list
    uint32_t slot = 0;   // in the cache's table
    uint32_t taken = 0;  // how often, when somebody last looked for a plan to drop
    uint16_t output_words = 0;
  };

  CachedPlan() = default;
  bool Has(std::span<const int64_t> key) const {
    const size_t near = std::min<size_t>(key_words_, kNearWords);
    return key.size() == key_words_ && std::equal(near_key_, near_key_ + near, key.begin()) &&
           (near == key_words_ || std::ranges::equal(far_key(), key.subspan(near)));
  }
  std::span<const int64_t> far_key() const {
    return {reinterpret_cast<const int64_t*>(rest_ + 1),
            key_words_ - std::min<size_t>(key_words_, kNearWords)};
  }
  static CachedPlan* Make(std::span<const int64_t> key, uint64_t hash, const Plan& plan);
  static void Destroy(CachedPlan* plan);
  // The plan under a number, which exists.
  static CachedPlan* At(uint32_t number) {
    return pages[number >> kPageBits].load(std::memory_order_acquire) + (number & (kPagePlans - 1));
  }
  // Memory for the plan under a number.
  static void* Place(uint32_t number);
  void Keep() { Holders::Take(number_, ThreadNumber()); }
  void LetGo() { Holders::Release(number_, ThreadNumber()); }

  Rest* rest_ = nullptr;
  uint32_t number_ = 0;  // under which it is found and its holders are counted
  uint16_t key_words_ = 0;
  int64_t near_key_[kNearWords] = {};

  // Of all caches; made when first used, and never freed.
  static std::atomic<CachedPlan*> pages[Holders::kNumbers >> kPageBits];
};
static_assert(sizeof(CachedPlan) == 64, "or a look-up touches another cache line");

// Holds a plan, also when the cache has dropped it; the cache has to live as long.
class PlanRef {
 public:
  PlanRef() = default;
  // Takes over what the caller holds.
  explicit PlanRef(CachedPlan* held) : plan_(held) {}
  PlanRef(const PlanRef& other) : plan_(other.plan_) {
    if (plan_ != nullptr) plan_->Keep();
  }
  PlanRef(PlanRef&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
  PlanRef& operator=(PlanRef other) noexcept {
    std::swap(plan_, other.plan_);
    return *this;
  }
  ~PlanRef() {
    if (plan_ != nullptr) plan_->LetGo();
  }
  CachedPlan* get() const { return plan_; }
  CachedPlan* operator->() const { return plan_; }
  CachedPlan& operator*() const { return *plan_; }
  explicit operator bool() const { return plan_ != nullptr; }
  // Gives up without dropping.
  CachedPlan* release() { return std::exchange(plan_, nullptr); }

 private:
  CachedPlan* plan_ = nullptr;
};

// The plans of one operator. When it is full, a plan that was not found again lately goes; which
// one, among a few looked at, is chance, so that a program that walks through more shapes than fit
// still finds most of them.
class PlanCache {
 public:
  // BASCULE_PLANS in the environment, else 16384.
  static size_t DefaultCapacity();
  // However few they are, plans take no more than this; one large plan is always kept.
  static constexpr uint64_t kMaxBytes = uint64_t{256} << 20;
  static constexpr size_t kMaxKeyWords = UINT16_MAX;

  explicit PlanCache(size_t capacity = DefaultCapacity());
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // The plan for a key, or null. `key` is any sequence of words that tells requests apart.
  // Lock-free.
  PlanRef Find(std::span<const int64_t> key);
  // Finds the plan or makes it: `make()` gives a Plan. Threads that want the same plan at once wait
  // for the one that makes it; when that throws, the next one tries.
  template <typename Maker>
  PlanRef FindOrMake(std::span<const int64_t> key, Maker make) {
    const uint64_t hash = HashOf(key);
    if (PlanRef found = Look(key, hash)) return found;
    const std::lock_guard<std::recursive_mutex> lock(makers_[hash >> 32 & (makers_.size() - 1)]);
    if (PlanRef found = Look(key, hash)) return found;
    Count(kMiss, ThreadNumber());
    return Add(key, hash, make());
  }
  // Adds a plan unless there is one, and returns what is there.
  PlanRef Insert(std::span<const int64_t> key, const Plan& plan) {
    return Add(key, HashOf(key), plan);
  }
  // Everything that is there.
  std::vector<PlanRef> All();

  struct Statistics {
    uint64_t hits;
    uint64_t misses;
    uint64_t dropped;
    uint64_t entries;
    uint64_t capacity;
    uint64_t bytes;         // of all plans and of what finds them
    uint64_t tiling_bytes;  // of them, tiling data
    uint64_t longest_run;   // slots that a look-up reads at most
  };
  Statistics GetStatistics();

 private:
  enum Event { kHit, kMiss, kEventCount };
  // Counted by several threads without them meeting on a cache line.
  struct alignas(64) Counters {
    std::array<std::atomic<uint64_t>, kEventCount> events{};
  };

  static uint64_t HashOf(std::span<const int64_t> key);
  PlanRef Look(std::span<const int64_t> key, uint64_t hash);  // counts a hit
  PlanRef Add(std::span<const int64_t> key, uint64_t hash, const Plan& plan);
  void Count(Event event, uint32_t thread) {
    std::atomic<uint64_t>& counter = counters_[std::min(thread, kOwnNumbers)].events[event];
    if (thread < kOwnNumbers) [[likely]] {
      counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      counter.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // The caller holds mutex_.
  void MakeRoom(uint64_t bytes);
  void Retire(CachedPlan* plan);
  void FreeRetired();

  // The table that finds a plan: at its hash or, where that slot is taken, in one of the next. A
  // slot holds the plan's number and, in the bits above it, some of its hash, so that a look-up
  // hardly ever touches a plan but its own.
  using Slot = std::atomic<uint32_t>;
  static constexpr uint32_t kEmpty = 0;  // no plan with this hash is farther on
  static constexpr uint32_t kNumberMask = Holders::kNumbers - 1;
  static uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash) & ~kNumberMask; }
  // The number of the plan for a key, or 0, which is wrong if plans moved meanwhile.
  uint32_t InTable(const Slot* slots, std::span<const int64_t> key, uint64_t hash) const;
  // The caller holds mutex_.
  void PutInto(Slot* slots, const CachedPlan& plan) const;
  void TakeOut(Slot* slots, const CachedPlan& plan);
  uint64_t LongestRun() const;

  const size_t capacity_;
  const size_t mask_;  // of the table's indices; it is never more than half full
  // Made with the first plan: most operators of a library are never called.
  std::atomic<Slot*> slots_{nullptr};
  std::atomic<uint64_t> moves_{0};  // of plans to other slots: odd while there is one
  std::array<Counters, kOwnNumbers + 1> counters_;  // the last is of all other threads
  std::array<std::recursive_mutex, 8> makers_;  // recursive: a tiling function may call operators

  std::mutex mutex_;  // of the rest, and of changes to the table
  std::vector<CachedPlan*> plans_;
  uint64_t bytes_ = 0;
  uint64_t tiling_bytes_ = 0;
  uint64_t dropped_ = 0;
  uint64_t random_ = 0x9e3779b97f4a7c15;
  struct Retired {
    CachedPlan* plan;
    uint64_t when;
  };
  std::vector<Retired> retired_;  // taken out, and perhaps still looked at or held
};

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_PLAN_CACHE_H_
