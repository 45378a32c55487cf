// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using Matrix = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>;
using Other = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, int8_t>;

extern "C" __global__ __aicore__ void k(GM_ADDR, GM_ADDR, GM_ADDR) {
  // expected: Matmul: A and B have one element type
  AscendC::Matmul<Matrix, Other, Matrix> product;
}
