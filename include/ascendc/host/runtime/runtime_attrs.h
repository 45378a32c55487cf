// Another path of exe_graph/runtime/runtime_attrs.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_RUNTIME_RUNTIME_ATTRS_H_
#define BASCULE_ASCENDC_RUNTIME_RUNTIME_ATTRS_H_

#include "exe_graph/runtime/runtime_attrs.h"

#endif  // BASCULE_ASCENDC_RUNTIME_RUNTIME_ATTRS_H_
