// What vector cores do for windows over planes: planes with zeros beside the images, lines of
// results without what lies between them, and filters turned for the gradient.
// SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_PLANES_H
#define CONV2D_PLANES_H

#include "conv2d_tiling.h"
#include "kernel_operator.h"

// Elements are moved and not computed with: two bytes are half, four are float.
template <typename T>
struct Conv2dMoved {
  using Type = half;
};
template <>
struct Conv2dMoved<float> {
  using Type = float;
};

template <typename Element>
class Conv2dPlaneMaker {
  using T = typename Conv2dMoved<Element>::Type;

 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe) {
    pipe->InitBuffer(queue, 2, AT_ONCE * sizeof(T));
    pipe->InitBuffer(picked, 2, AT_ONCE / 2 * sizeof(T));
    pipe->InitBuffer(zeroBuffer, ZEROS * sizeof(T));
    pipe->InitBuffer(offsetBuffer, AT_ONCE / 2 * sizeof(int32_t));
    core = AscendC::GetBlockIdx();
    cores = AscendC::GetBlockNum() * AscendC::GetTaskRatio();
  }

  // Images to planes.
  __aicore__ inline void Make(const Conv2dPlanes& of, GM_ADDR images, GM_ADDR planes) {
    const AscendC::GlobalTensor<T> from = Tensor(images);
    const AscendC::GlobalTensor<T> to = Tensor(planes);
    zeros = zeroBuffer.template Get<T>();
    AscendC::Duplicate(zeros, T(0.0f), ZEROS);
    if (of.strideW > 1) {
      AscendC::LocalTensor<int32_t> offsets = offsetBuffer.template Get<int32_t>();
      AscendC::CreateVecIndex(offsets, static_cast<int32_t>(0), AT_ONCE / 2);
      AscendC::Muls(offsets, offsets, static_cast<int32_t>(of.strideW * sizeof(T)), AT_ONCE / 2);
    }
    const auto event = GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE3);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event);
    const uint64_t phases = static_cast<uint64_t>(of.phasesH) * of.phasesW;
    const uint64_t units = (of.count + of.atOnce - 1) / of.atOnce * phases;
    for (uint64_t unit = core; unit < units; unit += cores) {
      const uint64_t plane = unit / phases * of.atOnce;
      const uint32_t phase = static_cast<uint32_t>(unit % phases);
      const uint32_t count = Least(of.count - plane, of.atOnce);
      const Part down = PartOf(of.height, of.top, of.strideH, phase / of.phasesW, of.lines);
      const Part across = PartOf(of.width, of.left, of.strideW, phase % of.phasesW, of.pitch);
      const uint64_t first = static_cast<uint64_t>(down.place) * of.pitch + across.place;
      const uint64_t end = first + static_cast<uint64_t>(down.count) * of.pitch;
      // Lines that come with the zeros behind them leave little to fill.
      const uint32_t gap = GapOf(of, across, end);
      const uint64_t step = phases * of.size;
      const AscendC::GlobalTensor<T> begin = to[(plane * phases + phase) * of.size];
      if (gap > 0 && down.count > 0) {
        Zero(begin, first);
        for (uint32_t i = 0; i < count; ++i) {
          const bool goesOn = phases == 1 && i + 1 < count;
          Zero(begin[i * step + end], of.size - end + (goesOn ? first : 0));
          if (phases > 1 && i + 1 < count) Zero(begin[(i + 1) * step], first);
        }
      } else if (phases == 1) {
        Zero(begin, count * of.size);
        AscendC::PipeBarrier<PIPE_MTE3>();
      } else {
        for (uint32_t i = 0; i < count; ++i) Zero(begin[i * step], of.size);
        AscendC::PipeBarrier<PIPE_MTE3>();
      }
      Phase(of, from, to, plane, count, phase, down, across, gap);
    }
  }

  // `lines` lines of `length` elements, `pitch` apart, side by side.
  __aicore__ inline void Compact(GM_ADDR results, GM_ADDR out, uint64_t lines, uint32_t length,
                                 uint32_t pitch) {
    if (lines == 0) return;
    const AscendC::GlobalTensor<T> from = Tensor(results);
    const AscendC::GlobalTensor<T> to = Tensor(out);
    const uint32_t columns = Least(length, AT_ONCE);
    uint64_t atOnce = Least(AT_ONCE / Up(columns), MOST_BLOCKS);
    const uint64_t share = (lines + cores - 1) / cores;
    if (atOnce > share) atOnce = share;
    const uint64_t parts = (length + columns - 1) / columns;
    for (uint64_t unit = core; unit < (lines + atOnce - 1) / atOnce * parts; unit += cores) {
      const uint64_t line = unit / parts * atOnce;
      const uint64_t first = unit % parts * columns;
      const uint32_t count = Least(lines - line, atOnce);
      const uint32_t width = Least(length - first, columns);
      AscendC::LocalTensor<T> lineBuffer = queue.template AllocTensor<T>();
      In(lineBuffer, from[line * pitch + first], count, width, pitch, Up(width), 0);
      queue.EnQue(lineBuffer);
      lineBuffer = queue.template DeQue<T>();
      Out(to[line * length + first], length, lineBuffer, count, width);
      queue.FreeTensor(lineBuffer);
    }
  }

  // Filters of `channels` times `points` elements, of each the other way round: points, the last
  // one first, times channels.
  __aicore__ inline void TurnFilters(GM_ADDR filters, GM_ADDR turned, uint64_t count,
                                     uint32_t channels, uint32_t points) {
    if (count == 0 || channels == 0) return;
    const AscendC::GlobalTensor<T> from = Tensor(filters);
    const AscendC::GlobalTensor<T> to = Tensor(turned);
    // Channels of a filter, or whole filters, whose offsets there is room for.
    const uint32_t width = Least(channels, AT_ONCE / 2 / points / WIDE * WIDE);
    const uint32_t parts = (channels + width - 1) / width;
    uint32_t atOnce = parts > 1 ? 1 : AT_ONCE / 2 / (points * Up(width));
    atOnce = Least(atOnce, (count + cores - 1) / cores);
    const uint64_t units = (count + atOnce - 1) / atOnce * parts;
    if (core >= units) return;
    SetTurnedOffsets(atOnce, width, points);
    for (uint64_t unit = core; unit < units; unit += cores) {
      const uint64_t filter = unit / parts * atOnce;
      const uint32_t first = static_cast<uint32_t>(unit % parts) * width;
      const uint32_t here = Least(channels - first, width);
      const uint32_t some = Least(count - filter, atOnce);
      AscendC::LocalTensor<T> lines = queue.template AllocTensor<T>();
      const uint32_t elements = some * here * points;
      In(lines, from[(filter * channels + first) * points], 1, elements, 0, Up(elements), 0);
      queue.EnQue(lines);
      lines = queue.template DeQue<T>();
      AscendC::LocalTensor<T> result = picked.template AllocTensor<T>();
      const AscendC::LocalTensor<uint32_t> offsets = offsetBuffer.template Get<uint32_t>();
      if (here == width) {
        AscendC::Gather(result, lines, offsets, 0, some * points * Up(width));
      } else {
        for (uint32_t point = 0; point < points; ++point) {
          AscendC::Gather(result[point * Up(here)], lines, offsets[point * Up(width)], 0, here);
        }
      }
      queue.FreeTensor(lines);
      picked.EnQue(result);
      result = picked.template DeQue<T>();
      Out(to[filter * channels * points + first], channels, result, some * points, here);
      picked.FreeTensor(result);
    }
  }

 private:
  static constexpr uint32_t DATABLOCK = 32;
  static constexpr uint32_t WIDE = DATABLOCK / sizeof(T);
  static constexpr uint32_t AT_ONCE = 32768 / sizeof(T);  // elements
  static constexpr uint32_t ZEROS = 16384 / sizeof(T);
  static constexpr uint32_t MOST_BLOCKS = 4095;

  __aicore__ inline static uint32_t Least(uint64_t a, uint64_t b) {
    return static_cast<uint32_t>(a < b ? a : b);
  }
  __aicore__ inline static uint32_t Up(uint32_t count) { return (count + WIDE - 1) / WIDE * WIDE; }

  __aicore__ inline static AscendC::GlobalTensor<T> Tensor(GM_ADDR address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T*)address);
    return tensor;
  }

  __aicore__ inline void Zero(const AscendC::GlobalTensor<T>& to, uint64_t count) {
    for (uint64_t i = 0; i < count; i += ZEROS) {
      const AscendC::DataCopyExtParams copy{
          1, static_cast<uint32_t>(Least(count - i, ZEROS) * sizeof(T)), 0, 0, 0};
      AscendC::DataCopyPad(to[i], zeros, copy);
    }
  }

  // Where the elements of `filters` filters stand, in bytes: datablocks of channels for each point,
  // the last point first.
  __aicore__ inline void SetTurnedOffsets(uint32_t filters, uint32_t channels, uint32_t points) {
    const AscendC::LocalTensor<int32_t> offsets = offsetBuffer.template Get<int32_t>();
    const int32_t step = static_cast<int32_t>(points * sizeof(T));
    const int32_t width = static_cast<int32_t>(Up(channels));
    AscendC::CreateVecIndex(offsets, static_cast<int32_t>(0), width);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(offsets, offsets, step, width);
    AscendC::PipeBarrier<PIPE_V>();
    // What fills a datablock is an element that is there.
    AscendC::Mins(offsets, offsets, static_cast<int32_t>(channels - 1) * step, width);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t point = 0; point < points; ++point) {  // the first line is the last one written
      AscendC::Adds(offsets[(points - 1 - point) * width], offsets,
                    static_cast<int32_t>(point * sizeof(T)), width);
    }
    AscendC::PipeBarrier<PIPE_V>();
    const int32_t filter = static_cast<int32_t>(points) * width;
    for (uint32_t i = 1; i < filters; ++i) {
      AscendC::Adds(offsets[i * filter], offsets, static_cast<int32_t>(i * channels) * step,
                    filter);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  // `rows` rows of `width` elements, `pitch` apart, with `gap` zeros behind each, to rows `room`
  // elements apart.
  __aicore__ inline static void In(const AscendC::LocalTensor<T>& to,
                                   const AscendC::GlobalTensor<T>& from, uint32_t rows,
                                   uint32_t width, uint64_t pitch, uint32_t room, uint32_t gap) {
    const AscendC::DataCopyExtParams copy{
        static_cast<uint16_t>(rows), static_cast<uint32_t>(width * sizeof(T)),
        static_cast<uint32_t>(rows > 1 ? (pitch - width) * sizeof(T) : 0),
        (room - Up(width + gap)) / WIDE, 0};
    const AscendC::DataCopyPadExtParams<T> pad{gap > 0, 0, static_cast<uint8_t>(gap), T(0.0f)};
    AscendC::DataCopyPad(to, from, copy, pad);
  }
  __aicore__ inline static void Out(const AscendC::GlobalTensor<T>& to, uint64_t pitch,
                                    const AscendC::LocalTensor<T>& from, uint32_t rows,
                                    uint32_t width) {
    const AscendC::DataCopyExtParams copy{
        static_cast<uint16_t>(rows), static_cast<uint32_t>(width * sizeof(T)), 0,
        static_cast<uint32_t>(rows > 1 ? (pitch - width) * sizeof(T) : 0), 0};
    AscendC::DataCopyPad(to, from, copy);
  }

  // What of an axis of `size` elements, `before` zeros in front, a phase has.
  struct Part {
    uint32_t place;  // in the phase
    uint32_t first;  // of the image
    uint32_t count;
  };
  __aicore__ inline static Part PartOf(uint32_t size, uint32_t before, uint32_t stride,
                                       uint32_t phase, uint32_t most) {
    Part part;
    part.place = before > phase ? (before - phase + stride - 1) / stride : 0;
    part.first = part.place * stride + phase - before;
    part.count = part.first < size ? (size - 1 - part.first) / stride + 1 : 0;
    if (part.place + part.count > most) part.count = part.place < most ? most - part.place : 0;
    return part;
  }

  // Zeros behind a line that a copy can add to it, in planes whose last line ends before `end`; 0:
  // there are none, or they are too many.
  __aicore__ inline static uint32_t GapOf(const Conv2dPlanes& of, const Part& across,
                                          uint64_t end) {
    const uint32_t gap = of.pitch - across.count;
    const bool fits = of.strideW == 1 && gap <= WIDE && Up(of.pitch) <= AT_ONCE && end <= of.size;
    return fits ? gap : 0;
  }

  // One phase of some planes; each line with `gap` zeros behind it.
  __aicore__ inline void Phase(const Conv2dPlanes& of, const AscendC::GlobalTensor<T>& from,
                               const AscendC::GlobalTensor<T>& to, uint64_t plane, uint32_t planes,
                               uint32_t phase, const Part& down, const Part& across, uint32_t gap) {
    if (down.count == 0 || across.count == 0) return;
    const uint64_t phases = of.phasesH * of.phasesW;
    const uint32_t columns = Least(across.count, AT_ONCE / of.strideW / WIDE * WIDE);
    const uint32_t room = Up(columns + gap);
    const uint32_t rows = Least(AT_ONCE / (room * of.strideW), MOST_BLOCKS);
    const uint32_t together = rows / down.count > 0 ? rows / down.count : 1;
    for (uint32_t p = 0; p < planes; p += together) {
      const uint32_t count = Least(planes - p, together);
      for (uint32_t row = 0; row < down.count; row += rows) {
        const uint32_t here = Least(down.count - row, rows);
        for (uint32_t column = 0; column < across.count; column += columns) {
          const uint32_t width = Least(across.count - column, columns);
          const uint64_t source =
              ((plane + p) * of.height + down.first + row * of.strideH) * of.width + across.first +
              column * of.strideW;
          const uint64_t target = ((plane + p) * phases + phase) * of.size +
                                  static_cast<uint64_t>(down.place + row) * of.pitch +
                                  across.place + column;
          Move(of, from[source], to[target], phases * of.size, count, here, width, room, gap);
        }
      }
    }
  }

  // `rows` lines of each of `planes` planes. What lies a stride apart is picked out in between.
  __aicore__ inline void Move(const Conv2dPlanes& of, const AscendC::GlobalTensor<T>& from,
                              const AscendC::GlobalTensor<T>& to, uint64_t toPlane, uint32_t planes,
                              uint32_t rows, uint32_t width, uint32_t room, uint32_t gap) {
    AscendC::LocalTensor<T> lines = queue.template AllocTensor<T>();
    const uint64_t plane = static_cast<uint64_t>(of.height) * of.width;
    const uint32_t span = (width - 1) * of.strideW + 1;
    const uint32_t inRoom = room * of.strideW;
    const uint64_t pitch = static_cast<uint64_t>(of.width) * of.strideH;
    if (rows * pitch == plane) {  // planes follow one another as lines do
      In(lines, from, planes * rows, span, pitch, inRoom, gap);
    } else {
      for (uint32_t i = 0; i < planes; ++i) {
        In(lines[i * rows * inRoom], from[i * plane], rows, span, pitch, inRoom, gap);
      }
    }
    queue.EnQue(lines);
    lines = queue.template DeQue<T>();
    if (of.strideW == 1) {
      Store(of, to, toPlane, lines, planes, rows, width + gap, room);
    } else {
      AscendC::LocalTensor<T> some = picked.template AllocTensor<T>();
      AscendC::Gather(some, lines, offsetBuffer.template Get<uint32_t>(), 0, planes * rows * room);
      picked.EnQue(some);
      some = picked.template DeQue<T>();
      Store(of, to, toPlane, some, planes, rows, width, room);
      picked.FreeTensor(some);
    }
    queue.FreeTensor(lines);
  }

  __aicore__ inline static void Store(const Conv2dPlanes& of, const AscendC::GlobalTensor<T>& to,
                                      uint64_t toPlane, const AscendC::LocalTensor<T>& from,
                                      uint32_t planes, uint32_t rows, uint32_t width,
                                      uint32_t room) {
    const uint32_t spare = (room - Up(width)) / WIDE;
    for (uint32_t i = 0; i < planes; ++i) {
      const AscendC::DataCopyExtParams copy{
          static_cast<uint16_t>(rows), static_cast<uint32_t>(width * sizeof(T)), spare,
          static_cast<uint32_t>((of.pitch - width) * sizeof(T)), 0};
      AscendC::DataCopyPad(to[i * toPlane], from[i * rows * room], copy);
    }
  }

  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> picked;
  AscendC::TBuf<AscendC::TPosition::VECCALC> zeroBuffer;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsetBuffer;
  AscendC::LocalTensor<T> zeros;
  uint64_t core = 0;
  uint64_t cores = 1;
};

#endif  // CONV2D_PLANES_H
