// Another path of exe_graph/runtime/shape.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_RUNTIME_SHAPE_H_
#define BASCULE_ASCENDC_RUNTIME_SHAPE_H_

#include "exe_graph/runtime/shape.h"

#endif  // BASCULE_ASCENDC_RUNTIME_SHAPE_H_
