// A launch while it runs: which blocks are left, who waits, what went wrong.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_LAUNCH_STATE_H_
#define BASCULE_ENGINE_LAUNCH_STATE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
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

  // Barrier of the first `count` blocks. Returns the wait that opens when the last one has arrived.
  Wait Arrive(uint32_t count);
  // Flags between all cores: a wait opens when every block has set the flag as often as this one
  // waits. Returns how many sets of this block are outstanding beyond what it waited for.
  uint32_t CrossCoreSet(uint32_t block, uint32_t id, uint32_t waited);
  Wait CrossCoreWait(uint32_t id, uint32_t waits);
  // The flag of a block and an event, made when first asked for.
  std::atomic<uint32_t>& BlockFlag(uint32_t block, uint32_t event);
  // Grows whenever a block starts, ends, or does something another could see.
  uint64_t Activity() const { return activity_.load(std::memory_order_relaxed); }
  void Act() { activity_.fetch_add(1, std::memory_order_relaxed); }
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
  // One barrier for each number of blocks that take part.
  struct Barrier {
    uint32_t count = 0;
    std::atomic<uint64_t> generation{0};
    std::atomic<uint32_t> arrived{0};
  };
  std::mutex sync_mutex_;  // guards the maps; what is in them stays where it is
  std::map<uint32_t, Barrier> barriers_;
  struct CrossCoreFlag {
    std::vector<std::atomic<uint32_t>> sets;  // by block
  };
  std::map<uint32_t, CrossCoreFlag> cross_core_flags_;
  std::map<std::pair<uint32_t, uint32_t>, std::atomic<uint32_t>> block_flags_;
  std::atomic<uint64_t> activity_{0};

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
