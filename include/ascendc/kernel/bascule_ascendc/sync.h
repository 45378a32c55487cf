// Flags between pipes, barriers, and the barrier of all cores.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SYNC_H
#define BASCULE_ASCENDC_SYNC_H

#include "bascule_ascendc/core.h"

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
    {PIPE_V, PIPE_V},
};

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

// Every block of the launch arrives before any goes on.
template <bool isAIVOnly = true>
__aicore__ inline void SyncAll(bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->sync_all(core, &site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_SYNC_H
