// What the kernel language has without a header: the numbers of the block as variables, and the
// question which kind of core this is.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_BUILTIN_H
#define BASCULE_ASCENDC_BUILTIN_H

#include "bascule_ascendc/core.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

struct BlockIndex {
  operator int64_t() const { return Core()->block_index; }
};
struct BlockCount {
  operator int64_t() const { return Core()->block_count; }
};

}  // namespace bascule_ascendc

// Objects, so that a kernel may have a variable of its own with the name.
inline constexpr bascule_ascendc::BlockIndex block_idx = {};
inline constexpr bascule_ascendc::BlockCount block_num = {};
BASCULE_PRIVATE_END

// `if ASCEND_IS_AIV { … }`, without parentheses.
#define ASCEND_IS_AIV (bascule_ascendc::Core()->kind == BASCULE_CORE_AIV)
#define ASCEND_IS_AIC (bascule_ascendc::Core()->kind == BASCULE_CORE_AIC)

#endif  // BASCULE_ASCENDC_BUILTIN_H
