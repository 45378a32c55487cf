// An object of the matrix product, which is described and not there yet.
// SPDX-License-Identifier: Apache-2.0
#include "lib/matmul_intf.h"

using Matrix = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>;

extern "C" __global__ __aicore__ void kernel() {
  // expected: Matmul is not there yet: this part of the advanced library
  AscendC::Matmul<Matrix, Matrix, Matrix, Matrix, CFG_MDL> product;
}
