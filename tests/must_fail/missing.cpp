// Calls that are known and not there yet, however they are written.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel() {
  LocalTensor<half> tensor;
  // expected: LoadImageToLocal is not there yet: this part of the cube unit
  LoadImageToLocal(tensor, 1);
  // expected: BroadCastVecToMM is not there yet: Atlas A2 does not have it
  BroadCastVecToMM<half, half>(tensor, tensor, 1, 1, 0, 1);
  // expected: SetFixPipeClipRelu is not there yet: Atlas A2 does not have it
  SetFixPipeClipRelu<half, float, 3>(tensor, tensor);
  // expected: CheckLocalMemoryIA is not there yet: this part of the cube unit
  CheckLocalMemoryIA<1>(1, 1);
  // expected: Interleave is not there yet: Atlas A2 does not have it
  Interleave<half, 1>(tensor);
  // expected: vbitsort is not there yet: nothing public says how it is called
  vbitsort((half*)0, (half*)0, (uint32_t*)0, 1);
}
