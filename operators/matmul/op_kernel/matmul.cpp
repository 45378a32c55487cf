// out = a b + bias for matrices of any size, and for many of them; a block computes a run of tiles.
// SPDX-License-Identifier: Apache-2.0
#include "../../common/cube_product.h"
#include "kernel_operator.h"
#include "matmul_tiling.h"

extern "C" __global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR out,
                                             GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  REGISTER_TILING_DEFAULT(MatmulTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  CubeProduct<DTYPE_A, float, DTYPE_OUT> product;
  product.Init(&pipe, data.buffers);
  product.Operands(data.product, a, b, bias, out);
  const uint64_t begin = AscendC::GetBlockIdx() * data.blockUnits;
  for (uint64_t unit = begin; unit < begin + data.blockUnits && unit < data.product.units; ++unit) {
    product.Unit(unit);
  }
}
