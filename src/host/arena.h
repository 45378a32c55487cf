// Address space that is kept apart from the program's own heap: what was given out and freed here
// never turns up as somebody's `new`, so an address tells for ever whose it was.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_ARENA_H_
#define BASCULE_HOST_ARENA_H_

#include <cstdint>
#include <map>
#include <vector>

namespace bascule::host {

// Not thread-safe.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The address of `bytes` bytes; 0 when the system has none left. A multiple of 512, and of 2 MB
  // for what is that large.
  uint64_t Allocate(uint64_t bytes);
  // Gives back what Allocate gave, with the same size. The memory goes back to the system, the
  // addresses stay here.
  void Free(uint64_t address, uint64_t bytes);
  // Whether the address is one of this object's, given out or not.
  bool Holds(uint64_t address) const;

 private:
  struct Region {
    uint64_t begin;
    uint64_t bytes;
  };
  bool Grow(uint64_t bytes);

  std::vector<Region> regions_;
  std::map<uint64_t, uint64_t> free_;  // bytes by address; neighbours are joined
};

}  // namespace bascule::host

#endif  // BASCULE_HOST_ARENA_H_
