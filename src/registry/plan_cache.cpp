// SPDX-License-Identifier: Apache-2.0
#include "registry/plan_cache.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/error.h"
#include "registry/readers.h"
#include "xxhash.h"

namespace bascule::registry {
namespace {

constexpr size_t kAlignment = 32;         // of tiling data: a datablock
constexpr uint64_t kAllocatorBytes = 16;  // what an allocation costs besides
constexpr uint64_t kPointerBytes = sizeof(void*);
constexpr uint32_t kLookedAt = 8;  // plans, when one has to go

uint64_t RoundUp(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

// Dtype, format and rank of an output in one word.
int64_t OutputWord(const BasculeTensorInfo& info) {
  return info.shape.rank << 48 | static_cast<int64_t>(info.format & 0xffff) << 16 |
         (info.dtype & 0xffff);
}

}  // namespace

std::atomic<CachedPlan*> CachedPlan::pages[Holders::kNumbers >> kPageBits];

std::vector<int64_t> CachedPlan::key() const {
  std::vector<int64_t> all(near_key_, near_key_ + (key_words_ - far_key().size()));
  all.insert(all.end(), far_key().begin(), far_key().end());
  return all;
}

PlannedOutput CachedPlan::Output(uint32_t index) const {
  const int64_t* word = output_words().data();
  for (; index != 0; --index) word += 1 + (*word >> 48);
  return {static_cast<int16_t>(*word), static_cast<int16_t>(*word >> 16), *word >> 48, word + 1};
}

void* CachedPlan::Place(uint32_t number) {
  std::atomic<CachedPlan*>& page = pages[number >> kPageBits];
  if (page.load(std::memory_order_acquire) == nullptr) {
    const std::align_val_t alignment{alignof(CachedPlan)};
    void* const made = ::operator new(sizeof(CachedPlan) * kPagePlans, alignment);
    CachedPlan* there = nullptr;
    if (!page.compare_exchange_strong(there, static_cast<CachedPlan*>(made))) {
      ::operator delete(made, alignment);
    }
  }
  return At(number);
}

CachedPlan* CachedPlan::Make(std::span<const int64_t> key, uint64_t hash, const Plan& plan) {
  uint64_t output_words = 0;
  for (const BasculeTensorInfo& output : plan.outputs) {
    output_words += 1 + static_cast<uint64_t>(output.shape.rank);
  }
  const size_t near = std::min<size_t>(key.size(), kNearWords);
  const uint64_t offset =
      RoundUp(sizeof(Rest) + (key.size() - near + output_words) * 8, kAlignment);
  const uint64_t bytes = offset + plan.tiling_data.size() * 8;
  struct Free {
    void operator()(Rest* rest) const { ::operator delete (rest, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<Rest, Free> rest(new (::operator new (bytes, std::align_val_t{kAlignment})) Rest);
  rest->hash = static_cast<uint32_t>(hash);
  rest->output_words = static_cast<uint16_t>(output_words);
  rest->output_count = static_cast<uint16_t>(plan.outputs.size());
  rest->block_count = plan.block_count;
  rest->tiling_offset = static_cast<uint32_t>(offset);
  rest->tiling_bytes = static_cast<uint32_t>(plan.tiling_bytes);
  rest->memory_bytes = static_cast<uint32_t>(bytes + kAllocatorBytes + sizeof(CachedPlan));
  rest->kernel_type = static_cast<uint16_t>(plan.kernel_type);
  rest->variant = plan.variant;
  rest->tiling_key = plan.tiling_key;
  rest->workspace_bytes = plan.workspace_bytes;
  auto* word = std::ranges::copy(key.subspan(near), reinterpret_cast<int64_t*>(rest.get() + 1)).out;
  for (const BasculeTensorInfo& output : plan.outputs) {
    *word++ = OutputWord(output);
    word = std::copy_n(output.shape.dims, output.shape.rank, word);
  }
  std::copy(plan.tiling_data.begin(), plan.tiling_data.end(),
            reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(rest.get()) + offset));
  const uint32_t number = Holders::NewNumber();
  auto* const made = new (Place(number)) CachedPlan;
  made->rest_ = rest.release();
  made->number_ = number;
  made->key_words_ = static_cast<uint16_t>(key.size());
  std::ranges::copy(key.first(near), made->near_key_);
  return made;
}

void CachedPlan::Destroy(CachedPlan* plan) {
  ::operator delete (plan->rest_, std::align_val_t{kAlignment});
  Holders::FreeNumber(plan->number_);
}

size_t PlanCache::DefaultCapacity() {
  static const size_t capacity = [] {
    constexpr size_t kUsual = 16384;
    constexpr size_t kMost = size_t{1} << 24;
    const char* value = std::getenv("BASCULE_PLANS");
    const long long wanted = value != nullptr ? std::atoll(value) : 0;
    return wanted > 0 ? std::min(static_cast<size_t>(wanted), kMost) : kUsual;
  }();
  return capacity;
}

PlanCache::PlanCache(size_t capacity)
    : capacity_(std::max<size_t>(capacity, 1)), mask_(std::bit_ceil(capacity_) * 2 - 1) {}

PlanCache::~PlanCache() {
  for (CachedPlan* plan : plans_) CachedPlan::Destroy(plan);
  for (const Retired& retired : retired_) CachedPlan::Destroy(retired.plan);
  std::free(slots_.load());
}

uint64_t PlanCache::HashOf(std::span<const int64_t> key) {
  return XXH3_64bits(key.data(), key.size_bytes());
}

uint32_t PlanCache::InTable(const Slot* slots, std::span<const int64_t> key, uint64_t hash) const {
  // Half of the slots are empty, so this ends.
  for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
    const uint32_t slot = slots[at].load();
    if (slot == kEmpty) return 0;
    if ((slot & ~kNumberMask) != TagOf(hash)) continue;
    const uint32_t number = slot & kNumberMask;
    if (CachedPlan::At(number)->Has(key)) return number;
  }
}

void PlanCache::PutInto(Slot* slots, const CachedPlan& plan) const {
  size_t at = plan.rest_->hash & mask_;
  while (slots[at].load() != kEmpty) at = (at + 1) & mask_;
  plan.rest_->slot = static_cast<uint32_t>(at);
  slots[at].store(plan.number_ | TagOf(plan.rest_->hash));
}

// Those behind it that may move up, so that slots become empty again: marks in their place would
// become ever more where shapes come and go, until a look-up that finds nothing reads them all.
void PlanCache::TakeOut(Slot* slots, const CachedPlan& plan) {
  moves_.fetch_add(1);
  size_t hole = plan.rest_->slot;
  for (size_t at = (hole + 1) & mask_;; at = (at + 1) & mask_) {
    const uint32_t slot = slots[at].load();
    if (slot == kEmpty) break;
    CachedPlan::Rest& next = *CachedPlan::At(slot & kNumberMask)->rest_;
    // Not before the place of its hash.
    if (((at - next.hash) & mask_) < ((at - hole) & mask_)) continue;
    slots[hole].store(slot);
    next.slot = static_cast<uint32_t>(hole);
    hole = at;
  }
  slots[hole].store(kEmpty);
  moves_.fetch_add(1);
}

PlanRef PlanCache::Look(std::span<const int64_t> key, uint64_t hash) {
  const Slot* const slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return {};
  const Reading reading;
  uint32_t number = 0;
  for (;;) {
    const uint64_t moves = moves_.load();
    number = InTable(slots, key, hash);
    if (number != 0) break;
    // One that moved may have been passed by.
    if (moves % 2 == 0 && moves_.load() == moves) return {};
  }
  Holders::Take(number, reading.thread());
  Count(kHit, reading.thread());
  return PlanRef(CachedPlan::At(number));
}

PlanRef PlanCache::Find(std::span<const int64_t> key) {
  PlanRef found = Look(key, HashOf(key));
  if (!found) Count(kMiss, ThreadNumber());
  return found;
}

PlanRef PlanCache::Add(std::span<const int64_t> key, uint64_t hash, const Plan& plan) {
  if (key.size() > kMaxKeyWords) {
    throw Error(BASCULE_UNSUPPORTED, Join("the shapes and attributes of a call take ", key.size(),
                                          " words; at most ", kMaxKeyWords, " are possible."));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  Slot* slots = slots_.load();
  if (slots == nullptr) {
    // From the system and zeroed by it: pages that no plan falls into are never touched.
    slots = static_cast<Slot*>(std::calloc(mask_ + 1, sizeof(Slot)));
    if (slots == nullptr) throw std::bad_alloc();
    slots_.store(slots);
  }
  if (const uint32_t number = InTable(slots, key, hash); number != 0) {
    CachedPlan* const there = CachedPlan::At(number);
    there->Keep();
    return PlanRef(there);
  }
  if (plans_.size() == plans_.capacity()) plans_.reserve(plans_.size() * 2 + 8);
  CachedPlan* const made = CachedPlan::Make(key, hash, plan);
  MakeRoom(made->memory_bytes());
  made->rest_->place = static_cast<uint32_t>(plans_.size());
  plans_.push_back(made);
  bytes_ += made->memory_bytes();
  tiling_bytes_ += made->tiling_bytes();
  made->Keep();
  made->rest_->taken = Holders::Taken(made->number_);
  PutInto(slots, *made);
  return PlanRef(made);
}

void PlanCache::MakeRoom(uint64_t bytes) {
  while (!plans_.empty() && (plans_.size() >= capacity_ || bytes_ + bytes > kMaxBytes)) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    const size_t start = random_ >> 33;
    CachedPlan* victim = nullptr;
    for (uint32_t i = 0; i < kLookedAt; ++i) {
      victim = plans_[(start + i) % plans_.size()];
      const uint32_t taken = Holders::Taken(victim->number_);
      if (std::exchange(victim->rest_->taken, taken) == taken) break;
    }
    TakeOut(slots_.load(), *victim);
    plans_.back()->rest_->place = victim->rest_->place;
    plans_[victim->rest_->place] = plans_.back();
    plans_.pop_back();
    bytes_ -= victim->memory_bytes();
    tiling_bytes_ -= victim->tiling_bytes();
    ++dropped_;
    Retire(victim);
  }
}

void PlanCache::Retire(CachedPlan* plan) {
  retired_.push_back({plan, RemovalTime()});
  FreeRetired();
}

void PlanCache::FreeRetired() {
  const uint64_t oldest = OldestReader();
  std::erase_if(retired_, [oldest](const Retired& retired) {
    if (retired.when >= oldest || !Holders::Free(retired.plan->number_)) return false;
    CachedPlan::Destroy(retired.plan);
    return true;
  });
}

std::vector<PlanRef> PlanCache::All() {
  std::vector<PlanRef> all;
  const std::lock_guard<std::mutex> lock(mutex_);
  all.reserve(plans_.size());
  for (CachedPlan* plan : plans_) {
    plan->Keep();
    all.emplace_back(plan);
  }
  return all;
}

uint64_t PlanCache::LongestRun() const {
  const Slot* const slots = slots_.load();
  if (slots == nullptr) return 0;
  uint64_t longest = 0;
  uint64_t run = 0;
  // Twice around: a run may go on at the beginning.
  for (size_t at = 0; at < 2 * (mask_ + 1); ++at) {
    run = slots[at & mask_].load(std::memory_order_relaxed) == kEmpty ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  return longest;
}

PlanCache::Statistics PlanCache::GetStatistics() {
  Statistics statistics = {};
  for (const Counters& counters : counters_) {
    statistics.hits += counters.events[kHit].load(std::memory_order_relaxed);
    statistics.misses += counters.events[kMiss].load(std::memory_order_relaxed);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  statistics.dropped = dropped_;
  statistics.entries = plans_.size();
  statistics.capacity = capacity_;
  statistics.bytes = bytes_ + plans_.capacity() * kPointerBytes +
                     plans_.size() * Holders::BytesEach() +
                     (slots_.load() != nullptr ? (mask_ + 1) * sizeof(Slot) : 0);
  statistics.tiling_bytes = tiling_bytes_;
  statistics.longest_run = LongestRun();
  return statistics;
}

}  // namespace bascule::registry
