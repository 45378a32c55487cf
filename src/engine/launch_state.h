// A launch while it runs: which blocks are left, who waits, what went wrong.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_LAUNCH_STATE_H_
#define BASCULE_ENGINE_LAUNCH_STATE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/core.h"
#include "engine/launch.h"

namespace bascule::engine {

class LaunchState {
 public:
  LaunchState(const LaunchRequest& request, uint64_t number, uint32_t worker_limit);

  // Runs blocks until there is nothing left for this thread to do. Called by every worker.
  void Work();
  // Whether a worker that came now would find a block to start.
  bool HasBlocks() const {
    return next_block_.load(std::memory_order_relaxed) < request.block_count;
  }

  void RecordError(uint32_t block, BasculeStatus status, std::string text);
  bool failed() const { return failed_.load(); }

  // Barrier of all blocks. Returns the wait that opens when the last one has arrived.
  Wait Arrive();
  // Somebody's wait may have become ready.
  void Progress();

  // After all workers left: hands recorders back in block order and throws the error, if any.
  void Finish();

  const LaunchRequest& request;
  const uint64_t number;
  const uint32_t worker_limit;
  uint32_t subscriptions = 0;
  std::atomic<uint32_t> workers_inside{0};  // helpers that may still touch this object

  // Observing: one at a time.
  std::mutex observers_mutex;
  struct Ended {
    uint32_t block;
    std::vector<Core::Watcher> watchers;
  };
  std::vector<Ended> ended;

 private:
  // Blocks until one of `parked` is ready; false when the launch failed meanwhile.
  bool WaitForReady(const std::vector<Core*>& parked);
  void ReportDeadlock();

  std::atomic<uint32_t> next_block_{0};
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> barrier_generation_{0};
  std::atomic<uint32_t> barrier_arrived_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint32_t> stuck_{0};   // workers inside WaitForReady
  std::atomic<uint32_t> active_{0};  // workers inside Work
  std::vector<Core*> waiting_;       // parked fibres of stuck workers, under mutex_

  std::mutex error_mutex_;
  uint32_t error_block_ = 0;
  BasculeStatus error_status_ = BASCULE_OK;
  std::string error_text_;
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_LAUNCH_STATE_H_
