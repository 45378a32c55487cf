// ge::Operator, a node of a graph, is a name only: what takes one is never called here.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_GRAPH_OPERATOR_H_
#define BASCULE_ASCENDC_GRAPH_OPERATOR_H_

#include "graph/ascend_string.h"
#include "graph/types.h"

#endif  // BASCULE_ASCENDC_GRAPH_OPERATOR_H_
