// Who reads shared structures right now without a lock, so that what was taken out of one is freed
// only when nobody can be looking at it any more.
//
// Time is counted in removals. A reader notes the time when it begins; what is removed later than
// every reader that is still at it began is out of everybody's sight.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_READERS_H_
#define BASCULE_REGISTRY_READERS_H_

#include <cstdint>

namespace bascule::registry {

// While it lives, nothing that its thread can reach is freed. Short-lived: it holds up every
// removal. Must not be nested.
class Reading {
 public:
  Reading();
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  // A small number that other threads most likely do not have.
  uint32_t thread() const;

 private:
  struct Slot* const slot_;
};

// Notes a removal, after it was made, and returns its time.
uint64_t RemovalTime();

// Whatever was removed at an earlier time than this is in nobody's sight.
uint64_t OldestReader();

// As Reading::thread().
uint32_t ThreadNumber();

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_READERS_H_
