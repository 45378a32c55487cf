// From columns, which hold for each channel and point of a filter what it adds at each position of
// its window, to images: on vector cores. SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_FOLD_H
#define CONV2D_FOLD_H

#include "conv2d_tiling.h"
#include "kernel_operator.h"

// A column is a plane of what is added, as far apart as lines of the phases of images are: adding
// it is adding two runs, one of them shifted. A copy shifts it by zeros in front. Elements of an
// image that lie a stride apart, down or across, are phases, which are picked apart in the end.
template <typename T>
class Conv2dFolder {
 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe, const Conv2dFold& fold) {
    of = &fold;
    pipe->InitBuffer(queue, 2, of->room * sizeof(float));
    pipe->InitBuffer(results, 2, of->lines * of->outPitch * sizeof(T));
    pipe->InitBuffer(sumBuffer, of->strideW * of->room * sizeof(float));
    pipe->InitBuffer(offsetBuffer, of->lines * of->outPitch * sizeof(int32_t));
    if (sizeof(T) < sizeof(float)) {
      pipe->InitBuffer(lineBuffer, of->lines * of->outPitch * sizeof(float));
    }
    if (of->columnTiles == 1) SetOffsets(of->left, of->width);
    core = AscendC::GetBlockIdx();
    cores = AscendC::GetBlockNum() * AscendC::GetTaskRatio();
  }

  // `planes` channels of images.
  __aicore__ inline void Fold(uint64_t planes, GM_ADDR columns, GM_ADDR images) {
    gmColumns.SetGlobalBuffer((__gm__ float*)columns);
    gmImages.SetGlobalBuffer((__gm__ T*)images);
    const uint64_t parts = static_cast<uint64_t>(of->strideH) * of->bands * of->columnTiles;
    for (uint64_t unit = core; unit < planes * parts; unit += cores) {
      uint32_t part = static_cast<uint32_t>(unit % parts);
      plane = unit / parts;
      const uint32_t tile = part % of->columnTiles * of->columns;
      part /= of->columnTiles;
      const uint32_t phase = part % of->strideH;
      // Lines of this phase that lie in the image, and what of them lies in the tile.
      const uint32_t begin = First(of->top, phase) + part / of->strideH * of->lines;
      const uint32_t end = First(of->top + of->height, phase);
      const uint32_t first = Most(tile * of->strideW, of->left);
      const uint32_t last = Least((tile + of->columns) * of->strideW, of->left + of->width);
      if (begin >= end || first >= last) continue;
      if (of->columnTiles > 1) SetOffsets(first - tile * of->strideW, last - first);
      Band(phase, begin, Least(end - begin, of->lines), tile, first - of->left, last - first);
    }
  }

 private:
  static constexpr uint32_t DATABLOCK = 32;
  static constexpr uint32_t WIDE = DATABLOCK / sizeof(float);

  __aicore__ inline static uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
  __aicore__ inline static uint32_t Most(uint32_t a, uint32_t b) { return a > b ? a : b; }
  __aicore__ inline static uint32_t Up(uint32_t value, uint32_t to) {
    return (value + to - 1) / to * to;
  }
  // The first line of a phase that is not in front of `place`.
  __aicore__ inline uint32_t First(uint32_t place, uint32_t phase) const {
    return place > phase ? (place - phase + of->strideH - 1) / of->strideH : 0;
  }

  template <AscendC::HardEvent event>
  __aicore__ inline static void Then() {
    const auto id = GetTPipePtr()->FetchEventID(event);
    AscendC::SetFlag<event>(id);
    AscendC::WaitFlag<event>(id);
  }

  // Where the elements of lines stand among the phases' sums, in bytes; `first` is the first one's
  // place among all.
  __aicore__ inline void SetOffsets(uint32_t first, uint32_t width) {
    const uint32_t stride = of->strideW;
    AscendC::LocalTensor<int32_t> offsets = offsetBuffer.template Get<int32_t>();
    AscendC::Duplicate(offsets, static_cast<int32_t>(0), of->outPitch);
    Then<AscendC::HardEvent::V_S>();
    uint32_t filled = Least(WIDE * stride, width);
    for (uint32_t i = 0; i < filled; ++i) {
      const uint32_t place = (first + i) % stride * of->room + (first + i) / stride;
      offsets.SetValue(i, static_cast<int32_t>(place * sizeof(float)));
    }
    Then<AscendC::HardEvent::S_V>();
    // A stride further is the phase's next element.
    while (filled < width) {
      const uint32_t some = Least(filled, width - filled);
      AscendC::Adds(offsets[filled], offsets, static_cast<int32_t>(filled / stride * sizeof(float)),
                    some);
      AscendC::PipeBarrier<PIPE_V>();
      filled += some;
    }
    for (uint32_t line = 1; line < of->lines; ++line) {
      AscendC::Adds(offsets[line * of->outPitch], offsets,
                    static_cast<int32_t>(line * of->pitch * sizeof(float)), of->outPitch);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  // `lines` lines of a phase from line `begin` on, with the phases' columns from `tile` on; of an
  // image's lines that is `width` elements from `first` on.
  __aicore__ inline void Band(uint32_t phase, uint32_t begin, uint32_t lines, uint32_t tile,
                              uint32_t first, uint32_t width) {
    const AscendC::LocalTensor<float> sums = sumBuffer.template Get<float>();
    AscendC::Duplicate(sums, 0.0f, of->strideW * of->room);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t h = 0; h < of->filterH; ++h) {
      if (h * of->dilationH % of->strideH != phase) continue;
      const uint32_t down = h * of->dilationH / of->strideH;
      const uint32_t top = Most(begin, down);
      const uint32_t bottom = Least(begin + lines, down + of->outHeight);
      if (top >= bottom) continue;
      for (uint32_t w = 0; w < of->filterW; ++w) {
        const uint32_t across = w * of->dilationW / of->strideW;
        const uint32_t other = w * of->dilationW % of->strideW;
        const uint32_t left = Most(tile, across);
        // Where a tile is not all of a line there is one line.
        const uint32_t right = of->columnTiles > 1
                                   ? Least(tile + of->columns, across + of->outWidth)
                                   : across + of->outWidth;
        if (left >= right) continue;
        const uint64_t point = (plane * of->filterH + h) * of->filterW + w;
        const uint64_t from =
            point * of->positions + static_cast<uint64_t>(top - down) * of->pitch + left - across;
        AddRun(sums[other * of->room], (top - begin) * of->pitch + left - tile, gmColumns[from],
               (bottom - top - 1) * of->pitch + right - left);
      }
    }
    AscendC::LocalTensor<T> result = results.template AllocTensor<T>();
    Finish(result, sums, lines);
    results.EnQue(result);
    result = results.template DeQue<T>();
    const uint64_t line = static_cast<uint64_t>(begin) * of->strideH + phase - of->top;
    const uint32_t bytes = width * sizeof(T);
    const AscendC::DataCopyExtParams copy{
        static_cast<uint16_t>(lines), bytes,
        static_cast<uint32_t>((of->outPitch * sizeof(T) - Up(bytes, DATABLOCK)) / DATABLOCK),
        static_cast<uint32_t>((static_cast<uint64_t>(of->width) * of->strideH - width) * sizeof(T)),
        0};
    AscendC::DataCopyPad(gmImages[(plane * of->height + line) * of->width + first], result, copy);
    results.FreeTensor(result);
  }

  // Adds `count` elements to those from `place` on.
  __aicore__ inline void AddRun(const AscendC::LocalTensor<float>& sums, uint32_t place,
                                const AscendC::GlobalTensor<float>& from, uint32_t count) {
    const uint32_t before = place % WIDE;
    const uint32_t all = Up(before + count, WIDE);
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<float> pad{
        true, static_cast<uint8_t>(before), static_cast<uint8_t>(all - before - count), 0.0f};
    AscendC::LocalTensor<float> some = queue.template AllocTensor<float>();
    AscendC::DataCopyPad(some, from, copy, pad);
    queue.EnQue(some);
    some = queue.template DeQue<float>();
    AscendC::Add(sums[place - before], sums[place - before], some, all);
    AscendC::PipeBarrier<PIPE_V>();
    queue.FreeTensor(some);
  }

  // Sums of all phases to lines of an image.
  __aicore__ inline void Finish(const AscendC::LocalTensor<T>& result,
                                const AscendC::LocalTensor<float>& sums, uint32_t lines) {
    const uint32_t count = lines * of->outPitch;
    const AscendC::LocalTensor<uint32_t> offsets = offsetBuffer.template Get<uint32_t>();
    if constexpr (sizeof(T) == sizeof(float)) {
      AscendC::Gather(result, sums, offsets, 0, count);
    } else {
      const AscendC::LocalTensor<float> whole = lineBuffer.template Get<float>();
      AscendC::Gather(whole, sums, offsets, 0, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(result, whole, AscendC::RoundMode::CAST_RINT, count);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  const Conv2dFold* of = nullptr;
  AscendC::GlobalTensor<float> gmColumns;
  AscendC::GlobalTensor<T> gmImages;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> queue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> results;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsetBuffer;
  AscendC::TBuf<AscendC::TPosition::VECCALC> lineBuffer;
  uint64_t core = 0;
  uint64_t cores = 1;
  uint64_t plane = 0;
};

#endif  // CONV2D_FOLD_H
