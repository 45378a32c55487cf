// Memory that acl gave out: which bytes are the device's, which the host's, and which are gone.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_DEVICE_MEMORY_H_
#define BASCULE_HOST_DEVICE_MEMORY_H_

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "engine/launch.h"
#include "host/arena.h"

namespace bascule::host {

// Addresses are those of host memory. Every method may be called from several threads; those that
// refuse throw Error, with a sentence that begins with `call`.
class DeviceMemory {
 public:
  static constexpr const char* kUnnamed = "device memory";

  // kFreed: in this object's address space, and not allocated now.
  enum class Kind : uint8_t { kForeign, kDevice, kHost, kFreed };

  struct Place {
    Kind kind = Kind::kForeign;
    uint64_t begin = 0;  // of the allocation the address lies or lay in
    uint64_t bytes = 0;  // 0 for kFreed: of an allocation that is not remembered
  };

  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Memory of `kind`, kDevice or kHost, not cleared. Device memory has room for a whole datablock
  // at its end, which kernels may touch and copies may not.
  void* Allocate(Kind kind, uint64_t bytes, const char* call);
  // Gives the bytes it had.
  uint64_t Release(Kind kind, void* address, const char* call);

  // Where an address lies. The end of an allocation counts as inside.
  Place Find(const void* address) const;

  // Refuses a range of `bytes` bytes that cannot be one end of a copy: `device` says on which side
  // it has to lie (-1: on any). `what` is "source" or "destination", `why` what asks for that side.
  void Check(const void* address, uint64_t bytes, int device, const char* call, const char* what,
             const char* why) const;

  // All device memory, by address, as a launch sees it; all of it is called "device memory". The
  // result is the state's number: while `known` is that number, `out` is left as it is.
  uint64_t Intervals(std::vector<engine::GlobalInterval>* out, uint64_t known) const;

  uint64_t used_bytes() const;

 private:
  struct Allocation {
    Kind kind;
    uint64_t bytes;
  };
  Place FindLocked(uint64_t address) const;

  mutable std::mutex mutex_;
  Arena arena_;
  std::map<uint64_t, Allocation> live_;
  std::map<uint64_t, uint64_t> freed_;  // bytes by address, of the last that were freed
  std::deque<uint64_t> freed_order_;
  uint64_t used_bytes_ = 0;
  uint64_t generation_ = 1;  // of the set of device allocations
};

}  // namespace bascule::host

#endif  // BASCULE_HOST_DEVICE_MEMORY_H_
