// The matrix product of the advanced library.
// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_INTF_H
#define LIB_MATMUL_INTF_H

#include "bascule_ascendc/matmul.h"
#include "bascule_ascendc/matmul_config.h"
#include "kernel_operator.h"

#endif  // LIB_MATMUL_INTF_H
