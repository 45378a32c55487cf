// OP_ADD(MyMul): makes the operator defined by class MyMul part of the library.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REGISTER_OP_DEF_REGISTRY_H_
#define BASCULE_ASCENDC_REGISTER_OP_DEF_REGISTRY_H_

#include <iostream>  // host code prints and logs, and leaves the headers to this one

#include "register/op_def.h"
#include "toolchain/slog.h"

#define OP_ADD(op_type)                                                                   \
  [[maybe_unused]] static ::bascule_host::AddedOperator bascule_added_operator_##op_type( \
      #op_type, __FILE__, __LINE__, &::bascule_host::Define<op_type>)

#endif  // BASCULE_ASCENDC_REGISTER_OP_DEF_REGISTRY_H_
