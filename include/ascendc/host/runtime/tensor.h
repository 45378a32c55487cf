// Another path of exe_graph/runtime/tensor.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_RUNTIME_TENSOR_H_
#define BASCULE_ASCENDC_RUNTIME_TENSOR_H_

#include "exe_graph/runtime/tensor.h"

#endif  // BASCULE_ASCENDC_RUNTIME_TENSOR_H_
