// REG_OP and what follows it: an operator's prototype for graphs. Nothing is kept of it, because
// the OpDef says what an operator is and no graphs are built here; a file with prototypes compiles.
//
//     REG_OP(AddCustom)
//         .INPUT(x, TensorType({DT_FLOAT}))
//         .OUTPUT(z, TensorType({DT_FLOAT}))
//         .ATTR(scale, Float, 1.0)
//         .OP_END_FACTORY_REG(AddCustom)
//
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_GRAPH_OPERATOR_REG_H_
#define BASCULE_ASCENDC_GRAPH_OPERATOR_REG_H_

#include "graph/operator.h"

namespace bascule_host {

struct Prototype {
  BASCULE_HIDDEN constexpr Prototype Ignored() const { return {}; }
};

}  // namespace bascule_host

#define REG_OP(type)                                                                     \
  [[maybe_unused]] static constexpr ::bascule_host::Prototype bascule_prototype_##type = \
      ::bascule_host::Prototype()
#define INPUT(name, type) Ignored()
#define OPTIONAL_INPUT(name, type) Ignored()
#define DYNAMIC_INPUT(name, type) Ignored()
#define OUTPUT(name, type) Ignored()
#define OPTIONAL_OUTPUT(name, type) Ignored()
#define DYNAMIC_OUTPUT(name, type) Ignored()
#define ATTR(name, type, ...) Ignored()
#define REQUIRED_ATTR(name, type) Ignored()
#define DATATYPE(name, type) Ignored()
#define GRAPH(name) Ignored()
#define DYNAMIC_GRAPH(name) Ignored()
// With a semicolon behind it or without.
#define OP_END_FACTORY_REG(type) Ignored();

#endif  // BASCULE_ASCENDC_GRAPH_OPERATOR_REG_H_
