// Who reads shared structures right now without a lock, so that what was taken out of one is freed
// only when nobody can be looking at it any more.
//
// Time is counted in removals. A reader notes the time when it begins; what is removed later than
// every reader that is still at it began is out of everybody's sight.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_READERS_H_
#define BASCULE_REGISTRY_READERS_H_

#include <atomic>
#include <cstdint>

namespace bascule::registry {

// One of a thread. Lives for ever and is handed on when its thread ends.
struct alignas(64) ReaderSlot {
  std::atomic<uint64_t> since{0};  // when its thread began to read; 0: it does not
  std::atomic<bool> taken{true};
  uint32_t number = 0;  // no other slot's
  ReaderSlot* next = nullptr;
};
// The calling thread's, once it has one.
extern constinit thread_local ReaderSlot* my_reader_slot;
ReaderSlot* TakeReaderSlot();
inline ReaderSlot* MyReaderSlot() {
  ReaderSlot* const mine = my_reader_slot;
  return mine != nullptr ? mine : TakeReaderSlot();
}

// Grows with every removal.
inline std::atomic<uint64_t> removals{1};

// While it lives, nothing that its thread can reach is freed. Short-lived: it holds up every
// removal. Must not be nested.
class Reading {
 public:
  // All accesses that the argument rests on are sequentially consistent: a reader's note comes
  // before its look, a removal before the search for readers, so that one of the two sees the
  // other.
  Reading() : slot_(MyReaderSlot()) { slot_->since.store(removals.load()); }
  ~Reading() { slot_->since.store(0, std::memory_order_release); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  // A small number that no other thread has while this one lives.
  uint32_t thread() const { return slot_->number; }

 private:
  ReaderSlot* const slot_;
};

// Notes a removal, after it was made, and returns its time.
uint64_t RemovalTime();

// Whatever was removed at an earlier time than this is in nobody's sight.
uint64_t OldestReader();

// As Reading::thread().
inline uint32_t ThreadNumber() { return MyReaderSlot()->number; }

// Numbers below this are small enough for a thread to have memory of its own under it, which needs
// no atomic change; the threads with others share some.
constexpr uint32_t kOwnNumbers = 8;

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_READERS_H_
