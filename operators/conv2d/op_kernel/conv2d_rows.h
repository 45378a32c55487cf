// The matrix of windows, row by row from planes, on a cube core: nothing is stored of it but what
// is in L1. SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_ROWS_H
#define CONV2D_ROWS_H

#include "../../common/cube_product.h"
#include "conv2d_tiling.h"

template <typename T>
class Conv2dRowLoader {
 public:
  __aicore__ inline void Init(const Conv2dRows& rowsOf, GM_ADDR planes) {
    rows = &rowsOf;
    gmPlanes.SetGlobalBuffer((__gm__ T*)planes);
    points = rows->filterH * rows->filterW;
    plane = rows->planes.size * rows->planes.phasesH * rows->planes.phasesW;
  }

  // `length` rows from `first` on, `columns` positions from `position` on, as squares: row of
  // squares by row of squares. `image` counts images of a group.
  __aicore__ inline void BringCrossed(const AscendC::LocalTensor<T>& to, uint64_t image,
                                      uint32_t first, uint32_t length, uint64_t position,
                                      uint32_t columns) const {
    const uint32_t squares = (columns + SIDE - 1) / SIDE * SIDE * SIDE;
    for (uint32_t at = 0; at < length; at += SIDE) {
      const uint32_t some = length - at < SIDE ? length - at : SIDE;
      BringStraight(to[at / SIDE * squares], image, first + at, some, position, columns, SIDE);
    }
  }

  // The same as strips of `pace` rows.
  __aicore__ inline void BringStraight(const AscendC::LocalTensor<T>& to, uint64_t image,
                                       uint32_t first, uint32_t length, uint64_t position,
                                       uint32_t columns, uint32_t pace) const {
    const uint64_t base = image * rows->channels * plane + position;
    AscendC::Nd2NzParams copy;
    copy.ndNum = 1;
    copy.dValue = static_cast<uint16_t>(columns);
    copy.srcDValue = static_cast<uint16_t>(rows->runPitch);
    copy.dstNzC0Stride = static_cast<uint16_t>(pace);
    copy.dstNzNStride = static_cast<uint16_t>(rows->runStep);
    for (uint32_t at = 0; at < length;) {
      const uint32_t left = rows->run - (first + at) % rows->run;
      const uint32_t some = length - at < left ? length - at : left;
      for (uint32_t i = 0; i < rows->runStep && i < some; ++i) {
        copy.nValue = static_cast<uint16_t>((some - i + rows->runStep - 1) / rows->runStep);
        AscendC::DataCopy(to[(at + i) * WIDE], gmPlanes[base + Place(first + at + i)], copy);
      }
      at += some;
    }
  }

 private:
  static constexpr uint32_t SIDE = 16;
  static constexpr uint32_t WIDE = 32 / sizeof(T);

  // Where a row begins.
  __aicore__ inline uint64_t Place(uint32_t row) const {
    const Conv2dPlanes& of = rows->planes;
    const uint32_t point = row % points;
    const uint32_t down = point / rows->filterW * rows->dilationH;
    const uint32_t across = point % rows->filterW * rows->dilationW;
    const uint32_t phase = down % of.strideH * of.phasesW + across % of.strideW;
    return row / points * plane + phase * of.size +
           static_cast<uint64_t>(down / of.strideH) * of.pitch + across / of.strideW;
  }

  const Conv2dRows* rows = nullptr;
  AscendC::GlobalTensor<T> gmPlanes;
  uint64_t plane = 0;  // elements of all phases
  uint32_t points = 1;
};

// Filters times the matrix of windows.
template <typename T>
class Conv2dProductOfRows : public CubeProduct<T, float, T> {
 public:
  __aicore__ inline void Windows(const Conv2dTilingData& tilingData, GM_ADDR planes,
                                 GM_ADDR filters, GM_ADDR bias, GM_ADDR out) {
    data = &tilingData;
    this->Operands(data->product, filters, planes, bias, out);
    loader.Init(data->rows, planes);
  }

  __aicore__ inline void WindowsUnit(uint64_t unit) {
    const uint64_t product = this->BeginUnit(unit);
    this->Sums([this](const AscendC::LocalTensor<T>& to, uint64_t image, uint64_t first,
                      uint32_t length) {
      loader.BringCrossed(to, image, static_cast<uint32_t>(first), length, this->column, this->n);
    });
    AscendC::LocalTensor<float> c = this->queueC.template DeQue<float>();
    WriteLines(product * data->product.m + this->row, c);
    this->queueC.FreeTensor(c);
  }

 private:
  // Lines go to `out` as they are or, where they begin at strips of L0C, without what lies between.
  __aicore__ inline void WriteLines(uint64_t plane, const AscendC::LocalTensor<float>& c) {
    const uint64_t pitch = data->rows.planes.pitch;
    const uint64_t width = data->rows.outWidth;
    const uint64_t height = data->outHeight;
    if (data->compacts != 0 || width == pitch) {
      this->Write(this->gmC[plane * height * pitch + this->column], c, height * pitch);
      return;
    }
    const uint64_t end = this->column + this->n;
    for (uint64_t at = this->column; at < end;) {
      const uint64_t line = at / pitch;
      const uint64_t first = at - line * pitch;
      const uint64_t last = end - line * pitch < width ? end - line * pitch : width;
      if (first < last) {
        this->Write(this->gmC[(plane * height + line) * width + first],
                    c[(at - this->column) * this->upM], height * width,
                    static_cast<uint32_t>(last - first));
      }
      at = (line + 1) * pitch;
    }
  }

  const Conv2dTilingData* data = nullptr;
  Conv2dRowLoader<T> loader;
};

#endif  // CONV2D_ROWS_H
