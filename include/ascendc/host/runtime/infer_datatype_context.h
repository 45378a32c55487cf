// Another path of exe_graph/runtime/infer_datatype_context.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_RUNTIME_INFER_DATATYPE_CONTEXT_H_
#define BASCULE_ASCENDC_RUNTIME_INFER_DATATYPE_CONTEXT_H_

#include "exe_graph/runtime/infer_datatype_context.h"

#endif  // BASCULE_ASCENDC_RUNTIME_INFER_DATATYPE_CONTEXT_H_
