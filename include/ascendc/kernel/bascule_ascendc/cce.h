// The lower-level names of the same operations that kernels use here and there.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_CCE_H
#define BASCULE_ASCENDC_CCE_H

#include "bascule_ascendc/atomic.h"
#include "bascule_ascendc/debug.h"
#include "bascule_ascendc/sync.h"
#include "bascule_ascendc/vector.h"

inline int64_t get_block_idx() { return bascule_ascendc::BlockOfLaunch(); }
inline int64_t get_block_num() { return bascule_ascendc::Core()->block_count; }
inline int64_t get_subblockid() { return bascule_ascendc::Core()->sub_block_index; }
inline int64_t get_subblockdim() { return bascule_ascendc::Core()->sub_block_count; }

inline void pipe_barrier(pipe_t pipe, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->pipe_barrier(core, pipe, &site);
}
inline void set_flag(pipe_t from, pipe_t to, int32_t id, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->flag_set(core, from, to, static_cast<uint32_t>(id), &site);
}
inline void wait_flag(pipe_t from, pipe_t to, int32_t id, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->flag_wait(core, from, to, static_cast<uint32_t>(id), &site);
}

inline void set_mask_norm() { AscendC::SetMaskNorm(); }
inline void set_mask_count() { AscendC::SetMaskCount(); }
inline void set_vector_mask(uint64_t high, uint64_t low) {
  AscendC::SetVectorMask<half>(high, low);
}
inline void set_atomic_none() { AscendC::SetAtomicNone(); }
inline int64_t get_system_cycle() { return AscendC::GetSystemCycle(); }

// The register that flags between cores need on the hardware.
inline void set_ffts_base_addr(uint64_t /*config*/) {}

#endif  // BASCULE_ASCENDC_CCE_H
