// Calls that are known and not there yet, however they are written.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel() {
  LocalTensor<half> tensor;
  // expected: MmadWithSparse is not there yet: this part of the cube unit
  MmadWithSparse(tensor, tensor, tensor, 1);
  // expected: LoadDataWithSparse is not there yet: this part of the cube unit
  LoadDataWithSparse<half>(tensor, tensor);
  // expected: SetHF32Mode is not there yet: this part of the cube unit
  SetHF32Mode<half, float, 3>(tensor, tensor);
  // expected: SetFmatrix is not there yet: this part of the cube unit
  SetFmatrix<1>(1, 1);
  // expected: Interleave is not there yet: Atlas A2 does not have it
  Interleave<half, 1>(tensor);
  // expected: vbitsort is not there yet: nothing public says how it is called
  vbitsort((half*)0, (half*)0, (uint32_t*)0, 1);
}
