// Products of windows over images, on a cube core. Images come in blocks of channels (NC1HWC0),
// from which LoadData makes the matrix of all windows while it fills L0. SPDX-License-Identifier:
// Apache-2.0
#ifndef CONV2D_WINDOWS_H
#define CONV2D_WINDOWS_H

#include "../../common/cube_product.h"
#include "conv2d_tiling.h"

template <typename T>
class Conv2dCube : public CubeProduct<T, float, T> {
  using Base = CubeProduct<T, float, T>;
  using Base::SIDE;
  using Base::Up;
  using Base::WIDE;

 public:
  // --- Windows times filters: positions are rows, filters columns.
  // `x` is in blocks, `filters` in strips of points, [group][point][filter][WIDE]; `out` comes in
  // blocks.
  __aicore__ inline void Windows(const Conv2dProduct& of, GM_ADDR x, GM_ADDR filters, GM_ADDR bias,
                                 bool hasBias, GM_ADDR out) {
    product = &of;
    gmX.SetGlobalBuffer((__gm__ T*)x);
    gmFilters.SetGlobalBuffer((__gm__ T*)filters);
    this->gmBias.SetGlobalBuffer((__gm__ T*)bias);
    this->gmC.SetGlobalBuffer((__gm__ T*)out);
    withBias = hasBias;
    this->tiling = &plain;
    points = of.windows.filterH * of.windows.filterW;
  }

  __aicore__ inline void WindowsUnit(uint64_t unit) {
    const Conv2dWindows& w = product->windows;
    const uint32_t filterTile = static_cast<uint32_t>(unit % product->filterTiles);
    unit /= product->filterTiles;
    const uint32_t columnTile = static_cast<uint32_t>(unit % product->columnTiles);
    unit /= product->columnTiles;
    const uint32_t rowTile = static_cast<uint32_t>(unit % product->rowTiles);
    unit /= product->rowTiles;
    const uint64_t group = unit % product->groups;
    View(rowTile * product->tileRows, columnTile * product->tileColumns);
    const uint32_t filter = filterTile * product->baseFilters;
    this->m = rows * columns;
    this->n = this->Least(product->filters - filter, product->baseFilters);
    this->upM = Up(this->m, SIDE);
    this->upN = Up(this->n, SIDE);
    this->mmadM = this->m == 1 ? SIDE : this->m;
    this->column = group * product->filters + filter;
    this->oneRow = false;

    AscendC::LocalTensor<float> c = this->queueC.template AllocTensor<float>();
    this->isFirst = true;
    if (withBias) this->AddBias(c);
    const uint64_t image = unit * w.blocks;
    for (uint32_t block = 0; block < w.blocks; block += product->blocksAtOnce) {
      const uint32_t blocks = this->Least(w.blocks - block, product->blocksAtOnce);
      AscendC::LocalTensor<T> view = this->queueA1.template AllocTensor<T>();
      BringView(view, image + block, blocks);
      this->queueA1.EnQue(view);
      view = this->queueA1.template DeQue<T>();
      const uint32_t strips = blocks * points;
      for (uint32_t strip = 0; strip < strips; strip += product->stripsAtOnce) {
        Filters(c, view, blocks, strip, this->Least(strips - strip, product->stripsAtOnce),
                (group * w.blocks + block) * points, filter);
      }
      this->queueA1.FreeTensor(view);
    }
    if (this->isFirst) this->Zero(c);  // there is no channel
    this->queueC.EnQue(c);
    c = this->queueC.template DeQue<float>();
    // Whole blocks of filters, whose columns without a filter are never looked at.
    const uint64_t plane = static_cast<uint64_t>(w.outHeight) * w.outWidth;
    const uint64_t to = (unit * product->upFilters / WIDE + filter / WIDE) * plane +
                        static_cast<uint64_t>(firstRow) * w.outWidth + firstColumn;
    WriteBlocks(this->gmC[to * WIDE], c, plane);
    this->queueC.FreeTensor(c);
  }

  // --- Gradients times windows: filters are rows, points columns, positions are summed.
  // `dout` is in planes, `x` in blocks; `out` has a row of points for each filter, in float.
  __aicore__ inline void Gradients(const Conv2dProduct& of, GM_ADDR x, GM_ADDR dout, GM_ADDR out) {
    product = &of;
    gmX.SetGlobalBuffer((__gm__ T*)x);
    gmDout.SetGlobalBuffer((__gm__ T*)dout);
    gmSums.SetGlobalBuffer((__gm__ T*)out);
    this->tiling = &plain;
    points = of.windows.filterH * of.windows.filterW;
  }

  __aicore__ inline void GradientsUnit(uint64_t unit) {
    const Conv2dWindows& w = product->windows;
    const uint32_t strips = w.blocks * points;
    const uint32_t stripTile = static_cast<uint32_t>(unit % product->stripTiles);
    unit /= product->stripTiles;
    const uint32_t filter =
        static_cast<uint32_t>(unit % product->filterTiles) * product->baseFilters;
    const uint64_t group = unit / product->filterTiles;
    const uint32_t strip = stripTile * product->baseStrips;
    const uint32_t count = this->Least(strips - strip, product->baseStrips);
    // The channel blocks that these points lie in.
    const uint32_t firstBlock = strip / points;
    const uint32_t blocks = (strip + count - 1) / points + 1 - firstBlock;
    this->m = this->Least(product->filters - filter, product->baseFilters);
    this->n = count * WIDE;
    this->upM = Up(this->m, SIDE);
    this->upN = Up(this->n, SIDE);
    this->mmadM = this->m == 1 ? SIDE : this->m;
    this->oneRow = false;
    AscendC::LocalTensor<float> c = this->queueC.template AllocTensor<float>();
    this->isFirst = true;
    const uint64_t plane = static_cast<uint64_t>(w.outHeight) * w.outWidth;
    for (uint64_t image = 0; image < product->images; ++image) {
      const uint64_t place = image * product->groups + group;
      for (uint32_t row = 0; row < w.outHeight; row += product->tileRows) {
        for (uint32_t column = 0; column < w.outWidth; column += product->tileColumns) {
          View(row, column);
          const uint32_t length = rows * columns;
          AscendC::LocalTensor<T> left = this->queueB1.template AllocTensor<T>();
          this->BringStraight(left,
                              gmDout[(place * product->filters + filter) * plane +
                                     static_cast<uint64_t>(row) * w.outWidth + column],
                              plane, this->m, length, this->upM);
          this->queueB1.EnQue(left);
          AscendC::LocalTensor<T> view = this->queueA1.template AllocTensor<T>();
          BringView(view, place * w.blocks + firstBlock, blocks);
          this->queueA1.EnQue(view);
          left = this->queueB1.template DeQue<T>();
          view = this->queueA1.template DeQue<T>();
          for (uint32_t at = 0; at < length; at += product->positionsInL0) {
            const uint32_t part = this->Least(length - at, product->positionsInL0);
            AscendC::LocalTensor<T> a2 = this->queueA2.template AllocTensor<T>();
            this->SplitA(a2, left, at, part);
            this->queueA2.EnQue(a2);
            AscendC::LocalTensor<T> b2 = this->queueB2.template AllocTensor<T>();
            LoadView(b2, view, blocks, (strip - firstBlock * points) * WIDE, count * WIDE, at,
                     part);
            this->queueB2.EnQue(b2);
            this->Multiply(c, part, false);
          }
          this->queueB1.FreeTensor(left);
          this->queueA1.FreeTensor(view);
        }
      }
    }
    if (this->isFirst) this->Zero(c);  // there is no image
    this->queueC.EnQue(c);
    c = this->queueC.template DeQue<float>();
    const uint64_t pitch = static_cast<uint64_t>(strips) * WIDE;
    this->Write(gmSums[(group * product->filters + filter) * pitch + strip * WIDE], c, pitch);
    this->queueC.FreeTensor(c);
  }

 private:
  // A range of an image's lines that windows reach, and what they reach beside it.
  struct Lines {
    uint32_t first;
    uint32_t count;
    uint8_t before;
    uint8_t behind;
  };
  __aicore__ inline static Lines Reach(int64_t begin, int64_t length, int64_t size) {
    Lines lines;
    int64_t end = begin + length;
    if (end <= 0 || begin >= size) {  // beside the image altogether: above it, one way or the other
      lines.first = 0;
      lines.count = 1;
      lines.before = static_cast<uint8_t>(length);
      lines.behind = 0;
      return lines;
    }
    lines.before = static_cast<uint8_t>(begin < 0 ? -begin : 0);
    lines.behind = static_cast<uint8_t>(end > size ? end - size : 0);
    if (begin < 0) begin = 0;
    if (end > size) end = size;
    lines.first = static_cast<uint32_t>(begin);
    lines.count = static_cast<uint32_t>(end - begin);
    return lines;
  }

  // The tile of positions that begins there, and what its windows reach.
  __aicore__ inline void View(uint32_t row, uint32_t column) {
    const Conv2dWindows& w = product->windows;
    firstRow = row;
    firstColumn = column;
    rows = this->Least(w.outHeight - row, product->tileRows);
    columns = this->Least(w.outWidth - column, product->tileColumns);
    vertical = Reach(static_cast<int64_t>(row) * w.strideH - w.top,
                     static_cast<int64_t>(rows - 1) * w.strideH + (w.filterH - 1) * w.dilationH + 1,
                     w.height);
    horizontal = Reach(
        static_cast<int64_t>(column) * w.strideW - w.left,
        static_cast<int64_t>(columns - 1) * w.strideW + (w.filterW - 1) * w.dilationW + 1, w.width);
  }

  __aicore__ inline void BringView(const AscendC::LocalTensor<T>& to, uint64_t block,
                                   uint32_t blocks) {
    const Conv2dWindows& w = product->windows;
    const uint32_t width = horizontal.count;
    for (uint32_t i = 0; i < blocks; ++i) {
      const uint64_t from = (block + i) * w.height * w.width +
                            static_cast<uint64_t>(vertical.first) * w.width + horizontal.first;
      AscendC::DataCopyParams copy;
      copy.blockCount = static_cast<uint16_t>(vertical.count);
      copy.blockLen = static_cast<uint16_t>(width);
      copy.srcStride = static_cast<uint16_t>(w.width - width);
      copy.dstStride = 0;
      if (width == w.width) {
        copy.blockCount = 1;
        copy.blockLen = static_cast<uint16_t>(vertical.count * width);
      }
      AscendC::DataCopy(to[i * vertical.count * width * WIDE], gmX[from * WIDE], copy);
    }
  }

  // Columns of the matrix of windows from `column` on, and rows from `position` on.
  __aicore__ inline void LoadView(const AscendC::LocalTensor<T>& to,
                                  const AscendC::LocalTensor<T>& view, uint32_t blocks,
                                  uint32_t column, uint32_t count, uint32_t position,
                                  uint32_t positions) {
    const Conv2dWindows& w = product->windows;
    AscendC::LoadData3DParamsV2<T> load;
    load.padList[0] = horizontal.before;
    load.padList[1] = horizontal.behind;
    load.padList[2] = vertical.before;
    load.padList[3] = vertical.behind;
    load.l1H = static_cast<uint16_t>(vertical.count);
    load.l1W = static_cast<uint16_t>(horizontal.count);
    load.channelSize = static_cast<uint16_t>(blocks * WIDE);
    load.kExtension = static_cast<uint16_t>(count);
    load.mExtension = static_cast<uint16_t>(positions);
    load.kStartPt = static_cast<uint16_t>(column);
    load.mStartPt = static_cast<uint16_t>(position);
    load.strideW = static_cast<uint8_t>(w.strideW);
    load.strideH = static_cast<uint8_t>(w.strideH);
    load.filterW = static_cast<uint8_t>(w.filterW);
    load.filterH = static_cast<uint8_t>(w.filterH);
    load.dilationFilterW = static_cast<uint8_t>(w.dilationW);
    load.dilationFilterH = static_cast<uint8_t>(w.dilationH);
    AscendC::LoadData(to, view, load);
  }

  // `count` strips of points of the view, times the filters' there.
  __aicore__ inline void Filters(const AscendC::LocalTensor<float>& c,
                                 const AscendC::LocalTensor<T>& view, uint32_t blocks,
                                 uint32_t strip, uint32_t count, uint64_t place, uint32_t filter) {
    AscendC::LocalTensor<T> b1 = this->queueB1.template AllocTensor<T>();
    AscendC::DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(count);
    copy.blockLen = static_cast<uint16_t>(this->upN);
    copy.srcStride = static_cast<uint16_t>(product->upFilters - this->upN);
    AscendC::DataCopy(b1, gmFilters[((place + strip) * product->upFilters + filter) * WIDE], copy);
    this->queueB1.EnQue(b1);
    b1 = this->queueB1.template DeQue<T>();
    for (uint32_t at = 0; at < count; at += product->stripsInL0) {
      const uint32_t part = this->Least(count - at, product->stripsInL0);
      AscendC::LocalTensor<T> a2 = this->queueA2.template AllocTensor<T>();
      LoadView(a2, view, blocks, (strip + at) * WIDE, part * WIDE, 0, this->m);
      this->queueA2.EnQue(a2);
      AscendC::LocalTensor<T> b2 = this->queueB2.template AllocTensor<T>();
      AscendC::LoadData2DParams load;
      load.repeatTimes = static_cast<uint8_t>(this->upN / SIDE);
      load.srcStride = 1;
      for (uint32_t i = 0; i < part; ++i) {
        AscendC::LoadData(b2[i * this->upN * WIDE], b1[(at + i) * this->upN * WIDE], load);
      }
      this->queueB2.EnQue(b2);
      this->Multiply(c, part * WIDE, false);
    }
    this->queueB1.FreeTensor(b1);
  }

  // Strips of WIDE filters, `plane` positions from one to the next.
  __aicore__ inline void WriteBlocks(const AscendC::GlobalTensor<T>& to,
                                     const AscendC::LocalTensor<float>& c, uint64_t plane) {
    AscendC::FixpipeParamsV220 out;
    out.nSize = static_cast<uint16_t>(this->upN);
    out.mSize = static_cast<uint16_t>(this->m);
    out.srcStride = static_cast<uint16_t>(this->upM);
    out.dstStride = static_cast<uint32_t>(plane);
    out.isChannelSplit = sizeof(T) == 4;
    if constexpr (AscendC::IsSameType<T, half>::value) out.quantPre = QuantMode_t::F322F16;
    if constexpr (AscendC::IsSameType<T, bfloat16_t>::value) out.quantPre = QuantMode_t::F322BF16;
    AscendC::Fixpipe<T, float, AscendC::CFG_NZ>(to, c, out);
  }

  const Conv2dProduct* product = nullptr;
  CubeProductTiling plain = {};
  AscendC::GlobalTensor<T> gmX;
  AscendC::GlobalTensor<T> gmFilters;
  AscendC::GlobalTensor<T> gmDout;
  AscendC::GlobalTensor<T> gmSums;
  bool withBias = false;
  uint32_t points = 0;
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t firstRow = 0;
  uint32_t firstColumn = 0;
  Lines vertical = {};
  Lines horizontal = {};
};

#endif  // CONV2D_WINDOWS_H
