// SPDX-License-Identifier: Apache-2.0
#include "host/workspace.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace bascule::host {
namespace {

constexpr uint64_t kAlignment = 512;

// Of a thread. Taken out while a launch uses it, so one within another has memory of its own.
struct Kept {
  Memory memory;
  uint64_t capacity = 0;
  bool gone = false;
  ~Kept() { gone = true; }
};
thread_local Kept kept;

}  // namespace

Workspace::Workspace(uint64_t bytes, const char* name) {
  if (bytes == 0) return;
  if (kept.capacity >= bytes) {
    memory_ = std::move(kept.memory);
    capacity_ = std::exchange(kept.capacity, 0);
    return;
  }
  kept.memory.reset();
  kept.capacity = 0;
  // The system's 16 MiB and a little more: the next launch of another operator should fit as well.
  constexpr uint64_t kStep = uint64_t{1} << 20;
  capacity_ = bytes < kStep ? (bytes + kAlignment - 1) / kAlignment * kAlignment
                            : (bytes + kStep - 1) / kStep * kStep;
  memory_.reset(static_cast<char*>(std::aligned_alloc(kAlignment, capacity_)));
  if (memory_ == nullptr) {
    throw Error(BASCULE_OUT_OF_MEMORY,
                Join(name, ": no memory for ", bytes, " bytes of workspace."));
  }
}

Workspace::~Workspace() {
  if (memory_ == nullptr || capacity_ > kKeptBytes || kept.gone || kept.capacity >= capacity_) {
    return;
  }
  kept.memory = std::move(memory_);
  kept.capacity = capacity_;
}

}  // namespace bascule::host
