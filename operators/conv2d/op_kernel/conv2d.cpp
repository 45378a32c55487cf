// Windows over images in NCHW: a product of filters, as they are, and the matrix of windows. With
// one point in a window (key 1) that is the image. Else (key 2) vector cores put zeros beside the
// images, cube cores multiply and take the rows of windows from there, and vector cores take away
// what lies between lines of results. SPDX-License-Identifier: Apache-2.0
#include "conv2d_planes.h"
#include "conv2d_rows.h"
#include "conv2d_tiling.h"
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void conv2d(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR out,
                                             GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);
  KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIC_1_2);
  REGISTER_TILING_DEFAULT(Conv2dTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  const uint64_t begin = AscendC::GetBlockIdx() * data.blockUnits;
  if (TILING_KEY_IS(1)) {
    CubeProduct<DTYPE_X, float, DTYPE_X> product;
    product.Init(&pipe, data.buffers);
    product.Operands(data.product, weight, x, bias, out);
    for (uint64_t i = begin; i < begin + data.blockUnits && i < data.product.units; ++i) {
      product.Unit(i);
    }
  } else if (TILING_KEY_IS(2)) {
    GM_ADDR planes = AscendC::GetUserWorkspace(workspace);
    GM_ADDR results = data.compacts != 0 ? planes + data.planeBytes : out;
    Conv2dPlaneMaker<DTYPE_X> maker;
    if ASCEND_IS_AIV {
      maker.Init(&pipe);
      if (data.makesPlanes != 0) maker.Make(data.rows.planes, x, planes);
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIC {
      Conv2dProductOfRows<DTYPE_X> product;
      product.Init(&pipe, data.buffers);
      product.Windows(data, data.makesPlanes != 0 ? planes : x, weight, bias, results);
      for (uint64_t i = begin; i < begin + data.blockUnits && i < data.product.units; ++i) {
        product.WindowsUnit(i);
      }
    }
    if (data.compacts == 0) return;
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIV {
      maker.Compact(results, out, data.outLines, data.rows.outWidth, data.rows.planes.pitch);
    }
  }
}
