// Running a kernel: blocks on fibres, fibres on workers.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_LAUNCH_H_
#define BASCULE_ENGINE_LAUNCH_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "bascule/abi/kernel.h"
#include "bascule/abi/library.h"
#include "bascule/observer.h"

namespace bascule::engine {

// A stretch of host memory that the launch may touch.
struct GlobalInterval {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t rights = BASCULE_READ | BASCULE_WRITE;
  const char* name = "";
  // Behind `end`, up to here, lies padding that a kernel may touch and whose use is noted; 0: none.
  uint64_t padded_end = 0;
  int32_t dtype = -1;  // what the elements are; -1: not known, and not checked
  int32_t bit = -1;    // which bit of LaunchRequest::written stands for it; -1: that of its place
};

// Everything a launch needs. The caller keeps what is pointed to alive until Launch returns.
struct LaunchRequest {
  const char* kernel = "";
  void (*invoke)(const void* closure) =
      nullptr;  // calls the kernel; may be entered by several threads
  const void* closure = nullptr;
  uint32_t block_count = 0;
  // Which cores a block runs on: BASCULE_KERNEL_…. UNSAID leaves it to what the kernel says when it
  // runs (KERNEL_TASK_TYPE), else it is one vector core.
  uint32_t kernel_type = BASCULE_KERNEL_UNSAID;
  uint64_t tiling_key = 0;  // chooses a branch of the kernel
  const BasculePlatform* platform = nullptr;
  std::span<const GlobalInterval> globals;  // sorted by begin
  uint64_t first_elements = 0;              // of the first tensor; 0: not known
  uint32_t first_element_bytes = 0;
  std::atomic<uint64_t>* written =
      nullptr;  // told, a bit each, of which globals the kernel wrote to
  std::atomic<bool>* padding_used = nullptr;  // told that the kernel touched padding
  uint32_t arguments = 0;    // known ones of a kernel that may take more; 0: all are known
  uint64_t bytes = 0;        // of global memory the launch will read and write
  uint64_t expected_ns = 0;  // what it took before; 0: unknown
  uint64_t stream = 0;       // the host's, told to observers
  std::span<Observer* const> observers;
};

// Runs every block and returns when all are done. The calling thread works; helpers join when the
// size or the time taken before justify waking them. A block's cores share a thread. Throws Error:
// the error of the lowest block that failed. Thread-safe; may be called from a forked child.
void Launch(const LaunchRequest& request);

// Threads that work on a launch at most, the caller among them: BASCULE_THREADS, else the
// processors this process may use; 1 with BASCULE_DETERMINISTIC=1.
uint32_t WorkerLimit();
// Changes it for launches from now on; 0 restores the default. For tests and benchmarks.
void SetWorkerLimit(uint32_t limit);

// Fills the on-chip memory of every core with this byte before a block begins; -1 leaves it as the
// block before left it. A kernel whose result depends on it reads what it has not written.
void SetFreshFill(int byte);

// The table that kernels call (kernel_api.cpp).
const BasculeKernelApi& KernelApi();

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_LAUNCH_H_
