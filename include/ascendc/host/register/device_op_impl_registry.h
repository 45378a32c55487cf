// DEVICE_IMPL_OP_OPTILING(MyOp).Tiling(function): tiling that the NPU's own processor may run
// instead of the host. Here the host runs all tiling, so the macro is op_impl_registry.h's.
//
// Source: page "Tiling sink" of the operator guide.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_
#define BASCULE_ASCENDC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_

#include "register/op_impl_registry.h"

#endif  // BASCULE_ASCENDC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_
