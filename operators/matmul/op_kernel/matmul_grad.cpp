// The gradient of matmul: three products, one after the other, whose tiles are shared out among all
// blocks. What was broadcast is summed where the products are, in the cube unit.
// SPDX-License-Identifier: Apache-2.0
#include "../../common/cube_product.h"
#include "kernel_operator.h"
#include "matmul_tiling.h"

extern "C" __global__ __aicore__ void matmul_grad(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR dout,
                                                  GM_ADDR da, GM_ADDR db, GM_ADDR dbias,
                                                  GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  REGISTER_TILING_DEFAULT(MatmulGradTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  CubeProduct<DTYPE_A, float, DTYPE_DA> product;
  product.Init(&pipe, data.buffers);
  uint64_t first = AscendC::GetBlockIdx() * data.blockUnits;
  uint64_t rest = data.blockUnits;
  for (uint32_t i = 0; i < MATMUL_GRADIENTS && rest > 0; ++i) {
    const CubeProductTiling& of = data.product[i];
    if (first >= of.units) {
      first -= of.units;
      continue;
    }
    const uint64_t count = rest < of.units - first ? rest : of.units - first;
    // Which of the two inputs is on which side depends on what was transposed.
    if (i == 0) {
      product.Operands(of, of.swapped != 0 ? b : dout, of.swapped != 0 ? dout : b, nullptr, da);
    } else if (i == 1) {
      product.Operands(of, of.swapped != 0 ? dout : a, of.swapped != 0 ? a : dout, nullptr, db);
    } else {
      product.Operands(of, dout, dout, nullptr, dbias);
    }
    for (uint64_t unit = first; unit < first + count; ++unit) product.Unit(unit);
    rest -= count;
    first = 0;
  }
}
