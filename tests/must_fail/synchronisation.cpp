// Pipes that have no barrier and give no signal. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void kernel() {
  // expected: PipeBarrier: the scalar pipe has no barrier
  AscendC::PipeBarrier<PIPE_S>();
  // expected: CrossCoreSetFlag: not from pipe S or ALL
  AscendC::CrossCoreSetFlag<0, PIPE_ALL>(1);
}
