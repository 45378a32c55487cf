// Memory that a kernel uses while it runs, kept from launch to launch.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_WORKSPACE_H_
#define BASCULE_HOST_WORKSPACE_H_

#include <cstdint>

#include "host/tensors.h"

namespace bascule::host {

// At least `bytes` bytes that nobody else uses while this lives, aligned to 512 and not cleared, as
// on the hardware. The thread keeps what one of its launches used for the next, up to kKeptBytes:
// most kernels ask for 16 MiB and touch little of it, and memory fresh from the system is slow.
class Workspace {
 public:
  static constexpr uint64_t kKeptBytes = uint64_t{64} << 20;

  // `name` is the operator's, for the Error.
  Workspace(uint64_t bytes, const char* name);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* get() const { return memory_.get(); }

 private:
  Memory memory_;
  uint64_t capacity_ = 0;
};

}  // namespace bascule::host

#endif  // BASCULE_HOST_WORKSPACE_H_
