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

// A plan as it is kept: immutable but for the time. Key, outputs and tiling data follow it in
// memory, so that a plan is one small allocation and a look-up touches few cache lines.
class CachedPlan {
 public:
  const BasculeKernelVariant* variant() const { return variant_; }
  uint32_t block_count() const { return block_count_; }  // 0: there is nothing to launch
  uint32_t kernel_type() const { return kernel_type_; }
  uint64_t tiling_key() const { return tiling_key_; }
  uint64_t workspace_bytes() const { return workspace_bytes_; }
  uint64_t tiling_bytes() const { return tiling_bytes_; }
  const void* tiling_data() const { return tiling(); }
  uint32_t output_count() const { return output_count_; }
  PlannedOutput Output(uint32_t index) const;

  std::span<const int64_t> key() const { return {words(), key_words_}; }
  // The outputs in the form in which they are kept and saved: a word that says dtype, format and
  // rank, then the dimensions.
  std::span<const int64_t> output_words() const { return {words() + key_words_, output_words_}; }
  // Memory it takes, the allocator's share included.
  uint64_t memory_bytes() const { return memory_bytes_; }

  std::atomic<uint64_t> launch_ns{0};  // how long its launches took, smoothed; 0: none yet

 private:
  friend class PlanCache;
  friend class PlanRef;

  CachedPlan() = default;
  const int64_t* words() const { return reinterpret_cast<const int64_t*>(this + 1); }
  const uint64_t* tiling() const {
    return reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(this) + tiling_offset_);
  }
  static CachedPlan* Make(std::span<const int64_t> key, uint64_t hash, const Plan& plan);
  void Keep(uint32_t thread) { Holders::Take(number_, thread); }
  void Keep() { Keep(ThreadNumber()); }
  void LetGo() { Holders::Release(number_, ThreadNumber()); }
  static void Destroy(CachedPlan* plan);

  // What a launch needs. A plan begins with a cache line, and this is the first.
  const BasculeKernelVariant* variant_ = nullptr;
  uint64_t tiling_key_ = 0;
  uint64_t workspace_bytes_ = 0;
  uint32_t block_count_ = 0;
  uint16_t kernel_type_ = 0;
  uint16_t output_count_ = 0;
  uint32_t tiling_offset_ = 0;
  uint32_t tiling_bytes_ = 0;
  uint64_t memory_bytes_ = 0;
  uint32_t place_ = 0;  // in the cache's list
  uint32_t slot_ = 0;   // in the cache's table
  // What a look-up needs, on the second with the six words of two matrices behind it.
  uint32_t hash_ = 0;
  uint32_t number_ = 0;  // under which its holders are counted
  uint16_t key_words_ = 0;
  uint16_t output_words_ = 0;
  std::atomic<bool> used_{false};  // found again since somebody looked for a plan to drop
};
static_assert(sizeof(CachedPlan) == 80, "or a look-up touches another cache line");

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
  // slot holds the plan's address and, in the bits that its alignment leaves free, some of its
  // hash, so that a look-up touches no plan but its own.
  using Slot = std::atomic<uintptr_t>;
  static constexpr uintptr_t kEmpty = 0;  // no plan with this hash is farther on
  static constexpr uintptr_t kTagMask = 63;
  static uintptr_t TagOf(uint64_t hash) { return hash >> 26 & kTagMask; }
  static CachedPlan* PlanIn(uintptr_t slot) {
    return reinterpret_cast<CachedPlan*>(slot & ~kTagMask);
  }
  static bool Is(const CachedPlan& plan, std::span<const int64_t> key, uint64_t hash);
  // The plan for a key, or null, which is wrong if plans moved meanwhile.
  CachedPlan* InTable(const Slot* slots, std::span<const int64_t> key, uint64_t hash) const;
  // The caller holds mutex_.
  void PutInto(Slot* slots, CachedPlan* plan) const;
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
