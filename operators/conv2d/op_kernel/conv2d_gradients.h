// Products of the gradients of windows, on a cube core.
// SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_GRADIENTS_H
#define CONV2D_GRADIENTS_H

#include "conv2d_rows.h"

template <typename T>
class Conv2dGradients : public Conv2dProductOfRows<T> {
 public:
  // --- What each channel and point of a filter adds at each position: filters, turned, times dout.
  __aicore__ inline void Columns(const CubeProductTiling& of, GM_ADDR weight, GM_ADDR dout,
                                 GM_ADDR columns) {
    this->Operands(of, weight, dout, nullptr, nullptr);
    gmColumns.SetGlobalBuffer((__gm__ float*)columns);
  }
  __aicore__ inline void ColumnsUnit(uint64_t unit) {
    const uint64_t product = this->BeginUnit(unit);
    this->Sums();
    WriteTile(gmColumns, product);
  }

  // --- Those of the filters: dout times rows of windows. Both have the same positions.
  __aicore__ inline void Filters(const Conv2dGradTilingData& data, GM_ADDR planes, GM_ADDR dout,
                                 GM_ADDR dweight) {
    this->Operands(data.ofFilters, dout + data.doutFirst * sizeof(T), planes, nullptr, dweight);
    this->pitchA = data.doutSize;
    windows.Init(data.rows, planes);
  }
  __aicore__ inline void FiltersUnit(uint64_t unit) {
    const uint64_t product = this->BeginUnit(unit);
    this->Sums(
        [this](const AscendC::LocalTensor<T>& to, uint64_t image, uint64_t first, uint32_t length) {
          windows.BringStraight(to, image, static_cast<uint32_t>(this->column), this->n, first,
                                length, this->tiling->paceN);
        });
    WriteTile(this->gmC, product);
  }

 private:
  template <typename To>
  __aicore__ inline void WriteTile(const AscendC::GlobalTensor<To>& to, uint64_t product) {
    AscendC::LocalTensor<float> c = this->queueC.template DeQue<float>();
    const uint64_t n = this->tiling->n;
    this->Write(to[product * this->tiling->m * n + this->row * n + this->column], c, n);
    this->queueC.FreeTensor(c);
  }

  AscendC::GlobalTensor<float> gmColumns;
  Conv2dRowLoader<T> windows;
};

#endif  // CONV2D_GRADIENTS_H
