// The toolkit splits its kernel headers; here there is one.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_MACROS_H
#define KERNEL_MACROS_H

#include "kernel_operator.h"

#endif  // KERNEL_MACROS_H
