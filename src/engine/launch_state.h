// A launch while it runs: which blocks are left, who waits, what went wrong.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_LAUNCH_STATE_H_
#define BASCULE_ENGINE_LAUNCH_STATE_H_

#include <sys/mman.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/core.h"
#include "engine/launch.h"

namespace bascule::engine {

class TimeLimit;

class LaunchState {
 public:
  LaunchState(const LaunchRequest& request, uint64_t number, uint32_t worker_limit);

  // Runs blocks until there is nothing left for this thread to do. Called by every worker.
  void Work();
  // Whether a worker that came now would find a block to start.
  bool HasBlocks() const {
    return next_block_.load(std::memory_order_relaxed) < request.block_count;
  }

  // `core` null: the error is nobody's in particular.
  void RecordError(const Core* core, BasculeStatus status, std::string text);
  bool failed() const { return failed_.load(); }

  // Barrier of `count` cores. Returns the wait that opens when the last one has arrived.
  enum class Party : uint8_t { kVectorCores, kCubeCores, kAllCores };
  Wait Arrive(const Core& core, Party party, uint32_t count);

  // A core sets a flag in a mode that it may set. False: not now, a counter is at its end; `wait`
  // opens when one has room.
  bool CrossCoreSet(const Core& core, uint32_t mode, uint32_t id, const BasculeSite& site,
                    Wait* wait);
  // The wait that opens when the core's counter of the flag is not 0, and what takes one from it.
  Wait CrossCoreWait(const Core& core, uint32_t id);
  void CrossCoreTake(const Core& core, uint32_t id);

  // The count under a key, made when first asked for.
  std::atomic<uint64_t>& Count(uint64_t key);

  // A kernel says its type in a block. False: another block has said something else, `other`.
  bool AgreeOnType(TypeSource source, uint32_t kernel_type, uint32_t* other);
  // The flag of a block and an event, made when first asked for.
  std::atomic<uint32_t>& BlockFlag(uint32_t block, uint32_t event);
  // Grows whenever a block starts, ends, or does something another could see.
  uint64_t Activity() const { return activity_.load(std::memory_order_relaxed); }
  void Act() { activity_.fetch_add(1, std::memory_order_relaxed); }
  // Somebody's wait may have become ready.
  void Progress();

  // The system's workspace of a mixed kernel, which it has whether the caller passed one or not;
  // made when first asked for. Null before where nobody has.
  const GlobalInterval* SystemWorkspace();
  const GlobalInterval* SystemWorkspaceIfMade() const {
    return workspace_made_.load(std::memory_order_acquire) ? &workspace_ : nullptr;
  }

  // After all workers left: hands recorders back in order and throws the error, if any.
  void Finish();

  const LaunchRequest& request;
  const uint64_t number;
  const uint32_t worker_limit;
  uint32_t subscriptions = 0;
  TimeLimit* time_limit = nullptr;          // null: none
  std::atomic<uint32_t> workers_inside{0};  // helpers that may still touch this object

  // Observing: one at a time.
  std::mutex observers_mutex;
  struct Ended {
    uint32_t index;
    CoreInfo core;
    std::vector<Core::Watcher> watchers;
  };
  std::vector<Ended> ended;

 private:
  // Blocks until one of `parked` is ready; false when the launch failed meanwhile.
  bool WaitForReady(const std::vector<Core*>& parked);
  void ReportDeadlock();  // under mutex_
  void NoteError(const Core* core, BasculeStatus status, std::string text);

  std::atomic<uint32_t> next_block_{0};
  std::atomic<bool> failed_{false};
  // One barrier for each party and number of cores that take part.
  struct Barrier {
    uint32_t count = 0;
    const char* who = "";
    std::atomic<uint64_t> generation{0};
    std::atomic<uint32_t> arrived{0};
  };
  std::mutex sync_mutex_;  // guards the maps; what is in them stays where it is
  std::map<std::pair<Party, uint32_t>, Barrier> barriers_;
  // Cores that set a flag together; when all of them have, those that wait for them go on.
  struct Gathering {
    uint32_t members = 0;
    uint32_t complete = 0;                         // rounds in which all have set
    std::vector<uint32_t> sets;                    // by member
    uint32_t arrived[2 * kMaxCrossCoreSets] = {};  // by round
    BasculeSite site = {};                         // of the last set
    // Whose counters grow.
    uint32_t first_block = 0;
    uint32_t blocks = 0;
    uint32_t first_slot = 0;
    uint32_t slots = 0;
  };
  struct GatheringKey {
    uint32_t id;
    uint32_t mode;
    uint32_t kind;   // of the cores that set
    uint32_t block;  // 0 in mode 0
    auto operator<=>(const GatheringKey&) const = default;
  };
  std::map<GatheringKey, Gathering> gatherings_;
  std::vector<std::atomic<uint32_t>> counters_;  // by core and flag; made when first needed
  std::atomic<uint32_t>& Counter(uint32_t core_index, uint32_t id) {
    return counters_[core_index * kCrossCoreFlags + id];
  }
  // Under sync_mutex_: calls `body(counter)` for all that a gathering makes grow.
  template <typename Body>
  void EachCounter(const GatheringKey& key, const Gathering& gathering, Body body) {
    for (uint32_t block = 0; block < gathering.blocks; ++block) {
      for (uint32_t slot = 0; slot < gathering.slots; ++slot) {
        body(Counter((gathering.first_block + block) * kBlockSlots + gathering.first_slot + slot,
                     key.id));
      }
    }
  }
  void MakeCounters();  // under sync_mutex_
  // Likewise: whether `member` can set once more.
  bool HasRoom(const GatheringKey& key, const Gathering& gathering, uint64_t member);
  void WarnOfFlagsLeft();
  std::string DescribeCrossCoreWait(const Core& core, uint32_t id);
  // KERNEL_TASK_TYPE_DEFAULT, KERNEL_TASK_TYPE and libraries, under sync_mutex_.
  uint32_t said_type_[3] = {};
  std::map<std::pair<uint32_t, uint32_t>, std::atomic<uint32_t>> block_flags_;
  std::map<uint64_t, std::atomic<uint64_t>> counts_;
  std::atomic<uint64_t> activity_{0};

  struct Unmap {
    uint64_t bytes;
    void operator()(void* memory) const { munmap(memory, bytes); }
  };
  std::unique_ptr<void, Unmap> workspace_memory_;  // under sync_mutex_
  GlobalInterval workspace_;
  std::atomic<bool> workspace_made_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint32_t> stuck_{0};   // workers inside WaitForReady
  std::atomic<uint32_t> active_{0};  // workers inside Work
  std::vector<Core*> waiting_;       // parked fibres of stuck workers, under mutex_

  std::mutex error_mutex_;
  uint32_t error_index_ = 0;
  std::string error_core_;
  BasculeStatus error_status_ = BASCULE_OK;
  std::string error_text_;
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_LAUNCH_STATE_H_
