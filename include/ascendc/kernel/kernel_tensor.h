// The toolkit splits its kernel headers; here there is one.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_TENSOR_H
#define KERNEL_TENSOR_H

#include "kernel_operator.h"

#endif  // KERNEL_TENSOR_H
