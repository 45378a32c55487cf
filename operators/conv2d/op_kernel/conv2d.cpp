// Windows over images in NCHW. With one point in a window (key 1) all is one product of matrices
// for each image. Else (key 2) vector cores bring images and filters into blocks of channels, cube
// cores multiply, and vector cores bring the results back. SPDX-License-Identifier: Apache-2.0
#include "conv2d_tiling.h"
#include "conv2d_vectors.h"
#include "conv2d_windows.h"
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
    product.Operands(data.pointwise, weight, x, bias, out);
    for (uint64_t i = begin; i < begin + data.blockUnits && i < data.pointwise.units; ++i) {
      product.Unit(i);
    }
  } else if (TILING_KEY_IS(2)) {
    GM_ADDR images = AscendC::GetUserWorkspace(workspace);
    GM_ADDR filters = images + data.xBytes;
    GM_ADDR results = filters + data.filterBytes;
    Conv2dVectors<DTYPE_X> vectors;
    if ASCEND_IS_AIV {
      vectors.Init(&pipe);
      vectors.ToBlocks(data.x, x, images);
      vectors.FiltersToBlocks(data.product, data.channels, weight, filters);
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIC {
      Conv2dCube<DTYPE_X> cube;
      cube.Init(&pipe, data.buffers);
      cube.Windows(data.product, images, filters, bias, data.hasBias != 0, results);
      for (uint64_t i = begin; i < begin + data.blockUnits && i < data.product.units; ++i) {
        cube.WindowsUnit(i);
      }
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIV
      vectors.ToPlanes(data.out, results, out);
  }
}
