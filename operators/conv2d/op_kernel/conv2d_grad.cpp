// The gradient of conv2d. That of the filters is a product of dout with the matrix of windows,
// which comes row by row from planes. For that of x a product of the filters, turned, and dout
// gives what each point adds at each position, and vector cores add it up (key 2); with one point
// in a window (key 1) that is the gradient already, and without strides it is a convolution of dout
// (key 3). That of the bias is a sum. SPDX-License-Identifier: Apache-2.0
#include "conv2d_fold.h"
#include "conv2d_gradients.h"
#include "conv2d_planes.h"
#include "conv2d_tiling.h"
#include "kernel_operator.h"

namespace {

// A part of a block's run of units, which leads through several kinds one after the other.
class Share {
 public:
  __aicore__ inline Share(uint64_t block, uint64_t blockUnits)
      : first(block * blockUnits), rest(blockUnits) {}

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

// What vector cores finish is computed for some images at once, so that it stays in the caches.
template <typename T>
__aicore__ inline void Columns(Conv2dGradients<T>& product, const Conv2dGradTilingData& data,
                               uint64_t image, GM_ADDR weight, GM_ADDR dout, GM_ADDR columns) {
  product.Columns(data.ofX.product, weight, dout + image * data.doutImageBytes, columns);
  const uint64_t left = data.images - image;
  const uint64_t units = (left < data.imagesAtOnce ? left : data.imagesAtOnce) * data.imageUnits;
  const uint64_t blocks = AscendC::GetBlockNum();
  const uint64_t share = (units + blocks - 1) / blocks;
  const uint64_t begin = AscendC::GetBlockIdx() * share;
  for (uint64_t i = begin; i < begin + share && i < units; ++i) product.ColumnsUnit(i);
}

template <typename T>
__aicore__ inline void Fold(Conv2dFolder<T>& folder, const Conv2dGradTilingData& data,
                            uint64_t image, GM_ADDR columns, GM_ADDR dx) {
  const uint64_t left = data.images - image;
  const uint64_t planes = (left < data.imagesAtOnce ? left : data.imagesAtOnce) * data.channels;
  const uint64_t plane = static_cast<uint64_t>(data.fold.height) * data.fold.width;
  folder.Fold(planes, columns, dx + image * data.channels * plane * sizeof(T));
}

template <typename T>
__aicore__ inline void SumBias(CubeProduct<T, float, T>& product, const Conv2dGradTilingData& data,
                               GM_ADDR dout, GM_ADDR dbias, Share& share) {
  if (data.hasBias == 0 || !share.Take(data.ofBias.units)) return;
  product.Operands(data.ofBias, dout, dout, nullptr, dbias);
  for (uint64_t i = share.begin; i < share.end; ++i) product.Unit(i);
}

// Gradients of the filters and of the bias. There are fewer of these units than blocks. They go to
// the last ones: the first have most of the gradient of x, and where threads take blocks as they
// come, one thread takes several of the first.
template <typename T>
__aicore__ inline void Others(Conv2dGradients<T>& product, const Conv2dGradTilingData& data,
                              GM_ADDR planes, GM_ADDR wide, GM_ADDR dout, GM_ADDR dweight,
                              GM_ADDR dbias) {
  Share share(AscendC::GetBlockNum() - 1 - AscendC::GetBlockIdx(), data.blockUnits);
  if (share.Take(data.ofFilters.units)) {
    product.Filters(data, planes, wide, dweight);
    for (uint64_t i = share.begin; i < share.end; ++i) product.FiltersUnit(i);
  }
  SumBias<T>(product, data, dout, dbias, share);
}

}  // namespace

extern "C" __global__ __aicore__ void conv2d_grad(GM_ADDR x, GM_ADDR weight, GM_ADDR bias,
                                                  GM_ADDR dout, GM_ADDR dx, GM_ADDR dweight,
                                                  GM_ADDR dbias, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);
  KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIC_1_2);
  KERNEL_TASK_TYPE(3, KERNEL_TYPE_MIX_AIC_1_2);
  REGISTER_TILING_DEFAULT(Conv2dGradTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(1)) {
    Share share(AscendC::GetBlockIdx(), data.blockUnits);
    CubeProduct<DTYPE_X, float, DTYPE_X> product;
    product.Init(&pipe, data.ofX.buffers);
    if (share.Take(data.ofX.product.units)) {
      product.Operands(data.ofX.product, weight, dout, nullptr, dx);
      for (uint64_t i = share.begin; i < share.end; ++i) product.Unit(i);
    }
    if (share.Take(data.ofFilters.units)) {
      product.Operands(data.ofFilters, dout, x, nullptr, dweight);
      for (uint64_t i = share.begin; i < share.end; ++i) product.Unit(i);
    }
    SumBias(product, data, dout, dbias, share);
  } else if (TILING_KEY_IS(2)) {
    GM_ADDR planes = AscendC::GetUserWorkspace(workspace);
    GM_ADDR gradients = planes + data.planeBytes;
    GM_ADDR columns = gradients + data.doutBytes;
    GM_ADDR wide = data.makesDout != 0 ? gradients : dout;
    Conv2dGradients<DTYPE_X> product;
    Conv2dFolder<DTYPE_X> folder;
    if ASCEND_IS_AIV {
      Conv2dPlaneMaker<DTYPE_X> maker;
      maker.Init(&pipe);
      if (data.makesPlanes != 0) maker.Make(data.rows.planes, x, planes);
      if (data.makesDout != 0) maker.Make(data.dout, dout, gradients);
      pipe.Reset();
      folder.Init(&pipe, data.fold);
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIC {
      product.Init(&pipe, data.ofX.buffers);
      if (data.images > 0) Columns(product, data, 0, weight, wide, columns);
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIC {
      Others<DTYPE_X>(product, data, data.makesPlanes != 0 ? planes : x, wide, dout, dweight,
                      dbias);
    }
    if ASCEND_IS_AIV {
      if (data.images > 0) Fold(folder, data, 0, columns, dx);
    }
    for (uint64_t i = data.imagesAtOnce; i < data.images; i += data.imagesAtOnce) {
      AscendC::SyncAll<false>();
      if ASCEND_IS_AIC
        Columns(product, data, i, weight, wide, columns);
      AscendC::SyncAll<false>();
      if ASCEND_IS_AIV
        Fold(folder, data, i, columns, dx);
    }
  } else if (TILING_KEY_IS(3)) {
    GM_ADDR planes = AscendC::GetUserWorkspace(workspace);
    GM_ADDR gradients = planes + data.planeBytes;
    GM_ADDR filters = gradients + data.doutBytes;
    GM_ADDR results = data.ofX.compacts != 0 ? filters + data.filterBytes : dx;
    GM_ADDR wide = data.makesDout != 0 ? gradients : dout;
    Conv2dPlaneMaker<DTYPE_X> maker;
    if ASCEND_IS_AIV {
      const Conv2dRows& rows = data.ofX.rows;
      maker.Init(&pipe);
      maker.TurnFilters(weight, filters, data.filters, data.rows.channels,
                        rows.filterH * rows.filterW);
      if (data.makesPlanes != 0) maker.Make(data.rows.planes, x, planes);
      if (data.makesDout != 0) maker.Make(rows.planes, dout, gradients);
    }
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIC {
      Conv2dGradients<DTYPE_X> product;
      product.Init(&pipe, data.ofX.buffers);
      product.Windows(data.ofX, wide, filters, nullptr, results);
      const uint64_t begin = AscendC::GetBlockIdx() * data.ofX.blockUnits;
      for (uint64_t i = begin; i < begin + data.ofX.blockUnits && i < data.ofX.product.units; ++i) {
        product.WindowsUnit(i);
      }
      Others<DTYPE_X>(product, data, data.makesPlanes != 0 ? planes : x, wide, dout, dweight,
                      dbias);
    }
    if (data.ofX.compacts == 0) return;
    AscendC::SyncAll<false>();
    if ASCEND_IS_AIV {
      maker.Compact(results, dx, data.ofX.outLines, data.ofX.rows.outWidth,
                    data.ofX.rows.planes.pitch);
    }
  }
}
