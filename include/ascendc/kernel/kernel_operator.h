// The header a kernel includes. Ascend C's spelling; what each call does is in docs and in the
// public Ascend C documentation. C++17 (g++ 11 or clang 14 and later), nothing to link.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_OPERATOR_H
#define KERNEL_OPERATOR_H

#include "bascule_ascendc/allocator.h"
#include "bascule_ascendc/atomic.h"
#include "bascule_ascendc/axis.h"
#include "bascule_ascendc/builtin.h"
#include "bascule_ascendc/cast.h"
#include "bascule_ascendc/cce.h"
#include "bascule_ascendc/cce_vector.h"
#include "bascule_ascendc/compare.h"
#include "bascule_ascendc/control.h"
#include "bascule_ascendc/cube.h"
#include "bascule_ascendc/debug.h"
#include "bascule_ascendc/fill.h"
#include "bascule_ascendc/filter.h"
#include "bascule_ascendc/gather.h"
#include "bascule_ascendc/keywords.h"
#include "bascule_ascendc/layout.h"
#include "bascule_ascendc/library_math.h"
#include "bascule_ascendc/list_tensor.h"
#include "bascule_ascendc/math.h"
#include "bascule_ascendc/missing.h"
#include "bascule_ascendc/move.h"
#include "bascule_ascendc/norm.h"
#include "bascule_ascendc/operators.h"
#include "bascule_ascendc/pool.h"
#include "bascule_ascendc/quantize.h"
#include "bascule_ascendc/queue.h"
#include "bascule_ascendc/rearrange.h"
#include "bascule_ascendc/reduce.h"
#include "bascule_ascendc/share.h"
#include "bascule_ascendc/softmax.h"
#include "bascule_ascendc/sort.h"
#include "bascule_ascendc/std.h"
#include "bascule_ascendc/sync.h"
#include "bascule_ascendc/system.h"
#include "bascule_ascendc/tensor.h"
#include "bascule_ascendc/tiling.h"
#include "bascule_ascendc/topk.h"
#include "bascule_ascendc/transpose.h"
#include "bascule_ascendc/unqualified.h"
#include "bascule_ascendc/vector.h"
#include "bascule_ascendc/workspace.h"
#include "kernel_tiling/kernel_tiling.h"

// Names kernels use without a namespace.
using AscendC::GetBlockIdx;
using AscendC::GetBlockNum;
using AscendC::GetBlockSize;
using AscendC::GetTensorNum;

#endif  // KERNEL_OPERATOR_H
