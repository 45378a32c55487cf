// The gradient of conv2d. That of x is a convolution of dout with the filters turned round, between
// whose elements there are zeros where windows had strides; that of the filters a product of dout
// with all windows; that of the bias a sum. The keys are those of conv2d.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_tiling.h"
#include "conv2d_vectors.h"
#include "conv2d_windows.h"
#include "kernel_operator.h"

namespace {

// A part of a block's run of units, which leads through several kinds one after the other.
class Share {
 public:
  __aicore__ inline explicit Share(uint64_t blockUnits)
      : first(AscendC::GetBlockIdx() * blockUnits), rest(blockUnits) {}

  // The units of the next kind, of which there are `units`.
  __aicore__ inline bool Take(uint64_t units) {
    begin = first < units ? first : units;
    end = rest < units - begin ? begin + rest : units;
    first = first < units ? 0 : first - units;
    rest -= end - begin;
    return begin < end;
  }
  uint64_t begin = 0;
  uint64_t end = 0;

 private:
  uint64_t first;
  uint64_t rest;
};

template <typename T>
__aicore__ inline void SumBias(CubeProduct<T, float, T>& product, const Conv2dGradTilingData& data,
                               GM_ADDR dout, GM_ADDR dbias, Share& share) {
  if (data.hasBias == 0 || !share.Take(data.ofBias.units)) return;
  product.Operands(data.ofBias, dout, dout, nullptr, dbias);
  for (uint64_t i = share.begin; i < share.end; ++i) product.Unit(i);
}

}  // namespace

extern "C" __global__ __aicore__ void conv2d_grad(GM_ADDR x, GM_ADDR weight, GM_ADDR bias,
                                                  GM_ADDR dout, GM_ADDR dx, GM_ADDR dweight,
                                                  GM_ADDR dbias, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);
  KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIC_1_2);
  REGISTER_TILING_DEFAULT(Conv2dGradTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  Share share(data.blockUnits);
  if (TILING_KEY_IS(1)) {
    CubeProduct<DTYPE_X, float, DTYPE_X> product;
    product.Init(&pipe, data.buffers);
    if (share.Take(data.pointwise[0].units)) {
      product.Operands(data.pointwise[0], weight, dout, nullptr, dx);
      for (uint64_t i = share.begin; i < share.end; ++i) product.Unit(i);
    }
    if (share.Take(data.pointwise[1].units)) {
      product.Operands(data.pointwise[1], dout, x, nullptr, dweight);
      for (uint64_t i = share.begin; i < share.end; ++i) product.Unit(i);
    }
    SumBias(product, data, dout, dbias, share);
  } else if (TILING_KEY_IS(2)) {
    GM_ADDR images = AscendC::GetUserWorkspace(workspace);
    GM_ADDR gradients = images + data.xBytes;
    GM_ADDR filters = gradients + data.doutBytes;
    GM_ADDR ofX = filters + data.filterBytes;
    GM_ADDR ofFilters = ofX + data.dxBytes;
    Conv2dVectors<DTYPE_X> vectors;
    if ASCEND_IS_AIV {
      vectors.Init(&pipe);
      if (data.spread != 0) {
        vectors.Zero(gradients, data.doutBytes);
        AscendC::SyncAll();
        vectors.Spread(data, dout, gradients);
      } else {
        vectors.ToBlocks(data.dout, dout, gradients);
      }
      vectors.ToBlocks(data.x, x, images);
      vectors.FiltersTurned(data.ofX, data.filters, weight, filters);
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIC {
      Conv2dCube<DTYPE_X> cube;
      cube.Init(&pipe, data.buffers);
      if (share.Take(data.ofX.units)) {
        cube.Windows(data.ofX, gradients, filters, nullptr, false, ofX);
        for (uint64_t i = share.begin; i < share.end; ++i) cube.WindowsUnit(i);
      }
      if (share.Take(data.ofFilters.units)) {
        cube.Gradients(data.ofFilters, images, dout, ofFilters);
        for (uint64_t i = share.begin; i < share.end; ++i) cube.GradientsUnit(i);
      }
      SumBias<DTYPE_X>(cube, data, dout, dbias, share);
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIV {
      Conv2dLayout back = data.x;
      back.blocks = data.ofX.upFilters / (32 / sizeof(DTYPE_X));
      vectors.ToPlanes(back, ofX, dx);
      vectors.PointsToFilters(data.ofFilters, data.channels, ofFilters, dweight);
    }
  }
}
