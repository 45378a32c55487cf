// The other name of lib/matmul_intf.h.
// SPDX-License-Identifier: Apache-2.0
#include "lib/matmul_intf.h"
