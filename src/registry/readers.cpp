// SPDX-License-Identifier: Apache-2.0
#include "registry/readers.h"

#include <pthread.h>

#include <algorithm>

namespace bascule::registry {

namespace {

std::atomic<ReaderSlot*> all{nullptr};

// Gives the slot back when its thread ends.
struct Holder {
  ReaderSlot* slot = nullptr;
  ~Holder() {
    if (slot != nullptr) slot->taken.store(false, std::memory_order_release);
    slot = my_reader_slot = nullptr;  // a later destructor of this thread that reads takes another
  }
};
thread_local Holder holder;

// A forked child has one thread: the others will not finish what they were reading.
void ForgetOthers() {
  for (ReaderSlot* slot = all.load(); slot != nullptr; slot = slot->next) {
    if (slot == my_reader_slot) continue;
    slot->since.store(0);
    slot->taken.store(false);
  }
}

ReaderSlot* FreeOrNewSlot() {
  static const int registered = pthread_atfork(nullptr, nullptr, ForgetOthers);
  (void)registered;
  for (ReaderSlot* slot = all.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    bool free = false;
    if (slot->taken.compare_exchange_strong(free, true)) return slot;
  }
  ReaderSlot* const made = new ReaderSlot;
  made->next = all.load();
  do {
    made->number = made->next != nullptr ? made->next->number + 1 : 0;
  } while (!all.compare_exchange_weak(made->next, made));
  return made;
}

}  // namespace

constinit thread_local ReaderSlot* my_reader_slot = nullptr;

ReaderSlot* TakeReaderSlot() { return my_reader_slot = holder.slot = FreeOrNewSlot(); }

uint64_t RemovalTime() { return removals.fetch_add(1); }

uint64_t OldestReader() {
  uint64_t oldest = removals.load();
  for (ReaderSlot* slot = all.load(); slot != nullptr; slot = slot->next) {
    const uint64_t since = slot->since.load();
    if (since != 0) oldest = std::min(oldest, since);
  }
  return oldest;
}

}  // namespace bascule::registry
