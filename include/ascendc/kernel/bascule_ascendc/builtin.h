// What the kernel language has without a header: the numbers of the block as variables, the
// question which kind of core this is, and a kernel's word on which cores it is for.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_BUILTIN_H
#define BASCULE_ASCENDC_BUILTIN_H

#include <math.h>  // kernels call sqrt and its kin on scalars, without a namespace

#include "bascule_ascendc/core.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// Of the launch: the vector cores of a mixed kernel's block share one.
struct BlockIndex {
  operator int64_t() const { return BlockOfLaunch(); }
};
struct BlockCount {
  operator int64_t() const { return Core()->block_count; }
};

// AscendC::AIC or AscendC::AIV. One build serves both kinds of core, so it is no constant:
// `if (g_coreType == AIV)` it is, without constexpr.
struct CoreTypeKnownWhenItRuns {
  operator int32_t() const {
    return Core()->kind == BASCULE_CORE_AIC ? AscendC::AIC : AscendC::AIV;
  }
};

// KERNEL_TASK_TYPE_DEFAULT and KERNEL_TASK_TYPE.
// Builds of libraries read which types a kernel's code has from a section that no program loads.
template <int type, bool keyed>
void SetKernelType(const Site& site) {
  // What the inference series has beside its AI cores is part of them here.
  constexpr int kType = type == KERNEL_TYPE_MIX_VECTOR_CORE ? int{KERNEL_TYPE_AIV_ONLY} : type;
  static_assert(kType >= KERNEL_TYPE_AIV_ONLY && kType <= KERNEL_TYPE_MIX_AIC_1_2,
                "KERNEL_TASK_TYPE: Atlas A2 has kernels of type KERNEL_TYPE_AIV_ONLY, _AIC_ONLY, "
                "_MIX_AIV_1_0, _MIX_AIC_1_0, _MIX_AIC_1_1 and _MIX_AIC_1_2");
  constexpr uint32_t kNumbers[] = {BASCULE_KERNEL_AIV_ONLY,    BASCULE_KERNEL_AIC_ONLY,
                                   BASCULE_KERNEL_MIX_AIV_1_0, BASCULE_KERNEL_MIX_AIC_1_0,
                                   BASCULE_KERNEL_MIX_AIC_1_1, BASCULE_KERNEL_MIX_AIC_1_2};
  __asm__ volatile(".pushsection .bascule.types, \"\"\n  .byte %c0, %c1\n  .popsection"
                   :
                   : "i"(kNumbers[kType]), "i"(keyed ? 1 : 0));
  BasculeCore* core = Core();
  core->api->kernel_type(core, kNumbers[kType], keyed ? 1 : 0, &site);
}

}  // namespace bascule_ascendc

// Objects, so that a kernel may have a variable of its own with the name.
inline constexpr bascule_ascendc::BlockIndex block_idx = {};
inline constexpr bascule_ascendc::BlockCount block_num = {};
namespace AscendC {
#ifdef BASCULE_KIND_OF_CORE  // one compile for each kind, by `bascule build`
inline constexpr int32_t g_coreType = BASCULE_KIND_OF_CORE;
#else
inline constexpr bascule_ascendc::CoreTypeKnownWhenItRuns g_coreType = {};
#endif
}  // namespace AscendC
using AscendC::g_coreType;
BASCULE_PRIVATE_END

// Which way a condition mostly goes.
constexpr bool likely(bool condition) { return __builtin_expect(condition, true); }
constexpr bool unlikely(bool condition) { return __builtin_expect(condition, false); }

// `if ASCEND_IS_AIV { … }`, without parentheses.
#define ASCEND_IS_AIV (bascule_ascendc::Core()->kind == BASCULE_CORE_AIV)
#define ASCEND_IS_AIC (bascule_ascendc::Core()->kind == BASCULE_CORE_AIC)

// Which cores the kernel is for, where its declaration does not say: of all launches, or of those
// with a tiling key. A block of a kernel for more than one vector core begins again on the right
// cores when this runs, so it has to be the kernel's first statement, or nearly: nothing may have
// been written to global memory before.
#define KERNEL_TASK_TYPE_DEFAULT(type) \
  bascule_ascendc::SetKernelType<(type), false>(bascule_ascendc::Site())
#define KERNEL_TASK_TYPE(key, type)                                          \
  do {                                                                       \
    if (bascule_ascendc::Core()->tiling_key == static_cast<uint64_t>(key)) { \
      bascule_ascendc::SetKernelType<(type), true>(bascule_ascendc::Site()); \
    }                                                                        \
  } while (false)

#endif  // BASCULE_ASCENDC_BUILTIN_H
