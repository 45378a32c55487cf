// The toolkit splits its kernel headers; here there is one.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_UTILS_H
#define KERNEL_UTILS_H

#include "kernel_operator.h"

#endif  // KERNEL_UTILS_H
