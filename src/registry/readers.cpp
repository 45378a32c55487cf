// SPDX-License-Identifier: Apache-2.0
#include "registry/readers.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>

namespace bascule::registry {

// One of a thread. Lives for ever and is handed on when its thread ends.
struct alignas(64) Slot {
  std::atomic<uint64_t> since{0};  // when its thread began to read; 0: it does not
  std::atomic<bool> taken{true};
  uint32_t number = 0;
  Slot* next = nullptr;
};

namespace {

std::atomic<Slot*> all{nullptr};
std::atomic<uint64_t> now{1};

struct Holder {
  Slot* slot = nullptr;
  ~Holder() {
    if (slot != nullptr) slot->taken.store(false, std::memory_order_release);
    slot = nullptr;  // a later destructor of this thread that reads takes another
  }
};
thread_local Holder holder;

// A forked child has one thread: the others will not finish what they were reading.
void ForgetOthers() {
  for (Slot* slot = all.load(); slot != nullptr; slot = slot->next) {
    if (slot == holder.slot) continue;
    slot->since.store(0);
    slot->taken.store(false);
  }
}

Slot* TakeSlot() {
  static const int registered = pthread_atfork(nullptr, nullptr, ForgetOthers);
  (void)registered;
  for (Slot* slot = all.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    bool free = false;
    if (slot->taken.compare_exchange_strong(free, true)) return slot;
  }
  Slot* const made = new Slot;
  made->next = all.load();
  do {
    made->number = made->next != nullptr ? made->next->number + 1 : 0;
  } while (!all.compare_exchange_weak(made->next, made));
  return made;
}

Slot* MySlot() {
  if (holder.slot == nullptr) [[unlikely]]
    holder.slot = TakeSlot();
  return holder.slot;
}

}  // namespace

// All accesses that the argument rests on are sequentially consistent: a reader's note comes before
// its look, a removal before the search for readers, so that one of the two sees the other.
Reading::Reading() : slot_(MySlot()) { slot_->since.store(now.load()); }

Reading::~Reading() { slot_->since.store(0, std::memory_order_release); }

uint32_t Reading::thread() const { return slot_->number; }

uint64_t RemovalTime() { return now.fetch_add(1); }

uint64_t OldestReader() {
  uint64_t oldest = now.load();
  for (Slot* slot = all.load(); slot != nullptr; slot = slot->next) {
    const uint64_t since = slot->since.load();
    if (since != 0) oldest = std::min(oldest, since);
  }
  return oldest;
}

uint32_t ThreadNumber() { return MySlot()->number; }

}  // namespace bascule::registry
