// The toolkit splits its kernel headers; here there is one.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_EVENT_H
#define KERNEL_EVENT_H

#include "kernel_operator.h"

#endif  // KERNEL_EVENT_H
