// The path under which kernels include ListTensorDesc.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#define BASCULE_ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H

#include "bascule_ascendc/list_tensor.h"

#endif  // BASCULE_ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
