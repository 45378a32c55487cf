// The path of the toolkit's later versions.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_BASIC_API_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#define BASCULE_ASCENDC_BASIC_API_KERNEL_OPERATOR_LIST_TENSOR_INTF_H

#include "bascule_ascendc/list_tensor.h"

#endif  // BASCULE_ASCENDC_BASIC_API_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
