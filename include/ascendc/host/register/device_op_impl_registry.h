// DEVICE_IMPL_OP_OPTILING(MyOp).Tiling(function): tiling that the NPU's own processor may run
// instead of the host. Here the host's does the work: the one that the OpDef names with SetTiling.
//
// Source: page "Tiling sink" of the operator guide.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_
#define BASCULE_ASCENDC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_

#include "register/op_impl_registry.h"

namespace bascule_host {

class DeviceTiling {
 public:
  BASCULE_HIDDEN DeviceTiling& Tiling(gert::OpImplRegisterV2::TilingKernelFunc) { return *this; }
};

}  // namespace bascule_host

#define DEVICE_IMPL_OP_OPTILING(op_type)                                                 \
  [[maybe_unused]] static ::bascule_host::DeviceTiling bascule_device_tiling_##op_type = \
      ::bascule_host::DeviceTiling()

#endif  // BASCULE_ASCENDC_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_
