// Flags between pipes, barriers, and the barrier of all cores.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SYNC_H
#define BASCULE_ASCENDC_SYNC_H

#include "bascule_ascendc/tensor.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

struct PipePair {
  uint32_t from;
  uint32_t to;
};

// In the order of HardEvent.
constexpr PipePair kPipePairs[] = {
    {PIPE_MTE2, PIPE_V},    {PIPE_V, PIPE_MTE2},    {PIPE_V, PIPE_MTE3},    {PIPE_MTE3, PIPE_V},
    {PIPE_MTE2, PIPE_MTE3}, {PIPE_MTE3, PIPE_MTE2}, {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2},
    {PIPE_MTE1, PIPE_M},    {PIPE_M, PIPE_MTE1},    {PIPE_M, PIPE_FIX},     {PIPE_FIX, PIPE_M},
    {PIPE_M, PIPE_V},       {PIPE_V, PIPE_M},       {PIPE_V, PIPE_S},       {PIPE_S, PIPE_V},
    {PIPE_MTE2, PIPE_S},    {PIPE_S, PIPE_MTE2},    {PIPE_MTE3, PIPE_S},    {PIPE_S, PIPE_MTE3},
    {PIPE_V, PIPE_V},       {PIPE_MTE2, PIPE_FIX},  {PIPE_FIX, PIPE_MTE2},  {PIPE_FIX, PIPE_S},
    {PIPE_M, PIPE_S},       {PIPE_S, PIPE_M},       {PIPE_MTE1, PIPE_V},    {PIPE_FIX, PIPE_V},
    {PIPE_V, PIPE_MTE1},    {PIPE_MTE1, PIPE_FIX},  {PIPE_FIX, PIPE_MTE1},  {PIPE_MTE3, PIPE_MTE1},
    {PIPE_MTE1, PIPE_MTE3}, {PIPE_FIX, PIPE_MTE3},  {PIPE_MTE2, PIPE_M},    {PIPE_M, PIPE_MTE2},
    {PIPE_MTE1, PIPE_S},    {PIPE_S, PIPE_MTE1},    {PIPE_S, PIPE_FIX},
};
static_assert(sizeof(kPipePairs) / sizeof(kPipePairs[0]) ==
                  static_cast<size_t>(AscendC::HardEvent::MAX),
              "one pair for each HardEvent");

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// The event happens when everything the first pipe has been given before is done.
template <HardEvent event>
__aicore__ inline void SetFlag(int32_t id, bascule_ascendc::Site site = {}) {
  constexpr bascule_ascendc::PipePair pair = bascule_ascendc::kPipePairs[static_cast<int>(event)];
  BasculeCore* core = bascule_ascendc::Core();
  core->api->flag_set(core, pair.from, pair.to, static_cast<uint32_t>(id), &site);
}

// The second pipe goes on when the event has happened, which uses it up.
template <HardEvent event>
__aicore__ inline void WaitFlag(int32_t id, bascule_ascendc::Site site = {}) {
  constexpr bascule_ascendc::PipePair pair = bascule_ascendc::kPipePairs[static_cast<int>(event)];
  BasculeCore* core = bascule_ascendc::Core();
  core->api->flag_wait(core, pair.from, pair.to, static_cast<uint32_t>(id), &site);
}

template <pipe_t pipe>
__aicore__ inline void PipeBarrier(bascule_ascendc::Site site = {}) {
  static_assert(pipe != PIPE_S, "PipeBarrier: the scalar pipe has no barrier");
  BasculeCore* core = bascule_ascendc::Core();
  core->api->pipe_barrier(core, pipe, &site);
}

// Which pipes give and await the signal of a SyncAll; all of them do here.
struct SyncAllConfig {
  pipe_t triggerPipe;
  pipe_t waitPipe;
};
constexpr SyncAllConfig DEFAULT_SYNC_ALL_CONFIG = {PIPE_ALL, PIPE_ALL};

// Every vector core of the launch arrives before any goes on; with isAIVOnly false every core,
// which only a mixed kernel can ask for. A cube core passes by the first.
template <bool isAIVOnly = true, const SyncAllConfig& config = DEFAULT_SYNC_ALL_CONFIG>
__aicore__ inline void SyncAll(bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->sync_cores(core, isAIVOnly ? 1 : 0, &site);
}
// The same for the first usedCores vector cores, all when 0. The workspaces are what the hardware
// needs for it.
template <bool isAIVOnly = true>
__aicore__ inline void SyncAll(const GlobalTensor<int32_t>& /*gmWorkspace*/,
                               const LocalTensor<int32_t>& /*ubWorkspace*/,
                               const int32_t usedCores = 0, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->sync_blocks(
      core,
      usedCores == 0 ? core->block_count * core->sub_block_count : static_cast<uint32_t>(usedCores),
      &site);
}

// A flag named by a block and an event. IBSet waits until it is clear and sets it; IBWait waits
// until it is set and clears it.
template <bool isAIVOnly = true>
__aicore__ inline void IBSet(const GlobalTensor<int32_t>& /*gmWorkspace*/,
                             const LocalTensor<int32_t>& /*ubWorkspace*/, int32_t blockIdx,
                             int32_t eventID, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->block_flag_set(core, static_cast<uint32_t>(blockIdx), static_cast<uint32_t>(eventID),
                            &site);
}
template <bool isAIVOnly = true>
__aicore__ inline void IBWait(const GlobalTensor<int32_t>& /*gmWorkspace*/,
                              const LocalTensor<int32_t>& /*ubWorkspace*/, int32_t blockIdx,
                              int32_t eventID, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->block_flag_wait(core, static_cast<uint32_t>(blockIdx), static_cast<uint32_t>(eventID),
                             &site);
}

// Each core has a counter, 0 to 15, for each flag, 0 to 15. A wait goes on when it is not 0, and
// takes one. A set adds one: in mode 0 to all cores of this kind, when all of them have set; in
// mode 1 to the vector cores of this block, when all of them have; in mode 2 to the other kind of
// core of this block, when all of this kind have. modeId and pipe of a wait have no meaning on
// Atlas A2.
template <uint8_t modeId, pipe_t pipe>
__aicore__ inline void CrossCoreSetFlag(uint16_t flagId, bascule_ascendc::Site site = {}) {
  static_assert(pipe != PIPE_S && pipe != PIPE_ALL, "CrossCoreSetFlag: not from pipe S or ALL");
  static_assert(modeId <= 2, "CrossCoreSetFlag: modeId is 0, 1 or 2 on Atlas A2");
  BasculeCore* core = bascule_ascendc::Core();
  core->api->cross_core_set(core, modeId, pipe, flagId, &site);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
__aicore__ inline void CrossCoreWaitFlag(uint16_t flagId, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->cross_core_wait(core, pipe, flagId, &site);
}

enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };
// Orders the scalar unit's memory accesses, which are in order here.
template <MemDsbT kind>
__aicore__ inline void DataSyncBarrier() {}

// SetFlag and WaitFlag between two pipes that are named by themselves.
template <pipe_t src, pipe_t dst>
class TQueSync {
 public:
  void SetFlag(TEventID id, bascule_ascendc::Site site = {}) {
    BasculeCore* core = bascule_ascendc::Core();
    core->api->flag_set(core, src, dst, static_cast<uint32_t>(id), &site);
  }
  void WaitFlag(TEventID id, bascule_ascendc::Site site = {}) {
    BasculeCore* core = bascule_ascendc::Core();
    core->api->flag_wait(core, src, dst, static_cast<uint32_t>(id), &site);
  }
};

// Vector cores in the order of their index, as often as they like: each waits until the one before
// has notified, the first until the last has. The workspaces are what the hardware needs for it;
// the one in global memory tells one such order from another.
__aicore__ inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace,
                                                     LocalTensor<int32_t>& /*ubWorkspace*/) {
  (void)gmWorkspace.Core();
}
__aicore__ inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace,
                                    LocalTensor<int32_t>& /*ubWorkspace*/,
                                    bascule_ascendc::Site site = {}) {
  BasculeCore* core = gmWorkspace.Core();
  core->api->count_wait(core, reinterpret_cast<uint64_t>(gmWorkspace.GetPhyAddr()),
                        core->block_index, uint64_t{core->block_count} * core->sub_block_count,
                        "WaitPreBlock", &site);
}
__aicore__ inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace,
                                       LocalTensor<int32_t>& /*ubWorkspace*/,
                                       bascule_ascendc::Site site = {}) {
  BasculeCore* core = gmWorkspace.Core();
  core->api->count_add(core, reinterpret_cast<uint64_t>(gmWorkspace.GetPhyAddr()),
                       "NotifyNextBlock", &site);
}

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

// One group of vector cores waits until all of another have arrived, round by round. The workspace
// tells one barrier from another.
template <PipeMode pipeMode>
class GroupBarrier {
  static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier: the mode is MTE3_MODE");

 public:
  GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
      : key_(reinterpret_cast<uint64_t>(groupWorkspace)),
        arrive_size_(arriveSizeIn),
        wait_size_(waitSizeIn) {}

  void Arrive(uint32_t arriveIndex, bascule_ascendc::Site site = {}) {
    if (arriveIndex >= arrive_size_) {
      bascule_ascendc::Fail("GroupBarrier::Arrive: the index is not below arriveSize", site);
    }
    BasculeCore* core = bascule_ascendc::Core();
    core->api->count_add(core, key_, "GroupBarrier::Arrive", &site);
  }
  void Wait(uint32_t waitIndex, bascule_ascendc::Site site = {}) {
    if (waitIndex >= wait_size_) {
      bascule_ascendc::Fail("GroupBarrier::Wait: the index is not below waitSize", site);
    }
    BasculeCore* core = bascule_ascendc::Core();
    core->api->count_wait(core, key_, arrive_size_, arrive_size_, "GroupBarrier::Wait", &site);
  }
  // Bytes of the workspace.
  uint64_t GetWorkspaceLen() const { return uint64_t{wait_size_} * 512; }

 private:
  uint64_t key_;
  uint32_t arrive_size_;
  uint32_t wait_size_;
};

// Where kernels of one task may overlap with those of the next; they do not here.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
__aicore__ inline void SetNextTaskStart() {}
template <bool FORCE = false>
__aicore__ inline void WaitPreTaskEnd() {}

// The register that flags between cores need on the hardware.
__aicore__ inline void SetSyncBaseAddr(uint64_t /*config*/) {}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_SYNC_H
