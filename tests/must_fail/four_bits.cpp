// Two elements share a byte, so single ones have no address.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

// expected: single elements of int4b_t cannot be read or written
extern "C" __global__ __aicore__ void kernel() {
  AscendC::LocalTensor<AscendC::int4b_t> tile;
  (void)tile.GetValue(0);
}
