// Another path of exe_graph/runtime/continuous_vector.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_RUNTIME_CONTINUOUS_VECTOR_H_
#define BASCULE_ASCENDC_RUNTIME_CONTINUOUS_VECTOR_H_

#include "exe_graph/runtime/continuous_vector.h"

#endif  // BASCULE_ASCENDC_RUNTIME_CONTINUOUS_VECTOR_H_
