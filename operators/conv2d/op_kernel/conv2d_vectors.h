// What vector cores do before and after the products: tensors and filters to blocks of channels,
// and results back to planes. SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_VECTORS_H
#define CONV2D_VECTORS_H

#include "../../common/blocked_layout.h"
#include "conv2d_planes.h"
#include "conv2d_tiling.h"

template <typename Element>
class Conv2dVectors {
  using T = typename Conv2dMoved<Element>::Type;
  using Layout = BlockedLayout<T>;
  static constexpr uint32_t SIDE = Layout::SIDE;
  static constexpr uint32_t C0 = Layout::C0;
  static constexpr uint32_t PLANES = Layout::PLANES;
  static constexpr uint32_t TILE = Layout::TILE;

 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe) {
    layout.Init(pipe);
    core = AscendC::GetBlockIdx();
    cores = AscendC::GetBlockNum() * AscendC::GetTaskRatio();
  }

  __aicore__ inline void ToBlocks(const Conv2dLayout& of, GM_ADDR planes, GM_ADDR blocks) {
    const AscendC::GlobalTensor<T> from = Tensor(planes);
    const AscendC::GlobalTensor<T> to = Tensor(blocks);
    const uint64_t groups = (of.channels + SIDE - 1) / SIDE;
    const uint64_t tiles = (of.plane + TILE - 1) / TILE;
    for (uint64_t unit = core; unit < of.images * groups * tiles; unit += cores) {
      const uint64_t first = unit % tiles * TILE;
      const uint64_t group = unit / tiles % groups;
      const uint64_t image = unit / tiles / groups;
      const uint64_t channel = group * SIDE;
      layout.ToBlocks(to[((image * of.blocks + group * PLANES) * of.plane + first) * C0],
                      of.plane * C0, static_cast<uint32_t>(of.blocks - group * PLANES),
                      from[(image * of.channels + channel) * of.plane + first], of.plane,
                      Least(of.channels - channel, SIDE), Least(of.plane - first, TILE));
    }
  }

  __aicore__ inline void ToPlanes(const Conv2dLayout& of, GM_ADDR blocks, GM_ADDR planes) {
    const AscendC::GlobalTensor<T> from = Tensor(blocks);
    const AscendC::GlobalTensor<T> to = Tensor(planes);
    const uint64_t groups = (of.channels + SIDE - 1) / SIDE;
    const uint64_t tiles = (of.plane + TILE - 1) / TILE;
    for (uint64_t unit = core; unit < of.images * groups * tiles; unit += cores) {
      const uint64_t first = unit % tiles * TILE;
      const uint64_t group = unit / tiles % groups;
      const uint64_t image = unit / tiles / groups;
      const uint64_t channel = group * SIDE;
      layout.ToPlanes(to[(image * of.channels + channel) * of.plane + first], of.plane,
                      Least(of.channels - channel, SIDE),
                      from[((image * of.blocks + group * PLANES) * of.plane + first) * C0],
                      of.plane * C0, Least(of.plane - first, TILE));
    }
  }

  // Filters [group][filter][channel][point] to [group][channel block][point][filter][C0]; several
  // filters' points stand in one tile.
  __aicore__ inline void FiltersToBlocks(const Conv2dProduct& of, uint32_t channels,
                                         GM_ADDR filters, GM_ADDR blocks) {
    const AscendC::GlobalTensor<T> from = Tensor(filters);
    const AscendC::GlobalTensor<T> to = Tensor(blocks);
    const uint32_t points = of.windows.filterH * of.windows.filterW;
    const uint32_t room = Up(points);
    const uint32_t atOnce = TILE / room;
    const uint64_t groups = (channels + SIDE - 1) / SIDE;
    const uint64_t tiles = (of.filters + atOnce - 1) / atOnce;
    for (uint64_t unit = core; unit < of.groups * groups * tiles; unit += cores) {
      const uint64_t filter = unit % tiles * atOnce;
      const uint64_t channel = unit / tiles % groups * SIDE;
      const uint64_t group = unit / tiles / groups;
      const uint32_t count = Least(of.filters - filter, atOnce);
      const uint32_t here = Least(channels - channel, SIDE);
      AscendC::LocalTensor<T> planes = layout.in.template AllocTensor<T>();
      Layout::ZeroPlanes(planes, here);
      for (uint32_t i = 0; i < count; ++i) {
        const uint64_t place = ((group * of.filters + filter + i) * channels + channel) * points;
        Layout::BringPlanes(planes[i * room], from[place], points, here, points);
      }
      layout.in.EnQue(planes);
      planes = layout.in.template DeQue<T>();
      AscendC::LocalTensor<T> turned = layout.out.template AllocTensor<T>();
      Layout::TurnToBlocks(turned, planes, count * room);
      layout.in.FreeTensor(planes);
      layout.out.EnQue(turned);
      turned = layout.out.template DeQue<T>();
      for (uint32_t plane = 0; plane < PLANES; ++plane) {
        const uint64_t block = channel / C0 + plane;
        if (block >= of.windows.blocks) break;
        for (uint32_t point = 0; point < points; ++point) {
          const uint64_t strip = (group * of.windows.blocks + block) * points + point;
          const AscendC::DataCopyParams copy{static_cast<uint16_t>(count), 1,
                                             static_cast<uint16_t>(room - 1), 0};
          AscendC::DataCopy(to[(strip * of.upFilters + filter) * C0],
                            turned[(plane * TILE + point) * C0], copy);
        }
      }
      layout.out.FreeTensor(turned);
    }
  }

  // The same with channels in the place of filters, filters in that of channels, and points in the
  // opposite order: filters of the gradient of x. There are `channels` of the former.
  __aicore__ inline void FiltersTurned(const Conv2dProduct& of, uint32_t filters, GM_ADDR weights,
                                       GM_ADDR blocks) {
    const AscendC::GlobalTensor<T> from = Tensor(weights);
    const AscendC::GlobalTensor<T> to = Tensor(blocks);
    const uint32_t points = of.windows.filterH * of.windows.filterW;
    const uint32_t channels = of.filters;
    const uint32_t atOnce = TILE / points;
    const uint64_t groups = (filters + SIDE - 1) / SIDE;
    const uint64_t tiles = (channels + atOnce - 1) / atOnce;
    for (uint64_t unit = core; unit < of.groups * groups * tiles; unit += cores) {
      const uint64_t channel = unit % tiles * atOnce;
      const uint64_t filter = unit / tiles % groups * SIDE;
      const uint64_t group = unit / tiles / groups;
      const uint32_t count = Least(channels - channel, atOnce);
      const uint64_t pitch = static_cast<uint64_t>(channels) * points;
      AscendC::LocalTensor<T> planes = layout.in.template AllocTensor<T>();
      const uint32_t here = Least(filters - filter, SIDE);
      Layout::ZeroPlanes(planes, here);
      Layout::BringPlanes(planes, from[(group * filters + filter) * pitch + channel * points],
                          pitch, here, count * points);
      layout.in.EnQue(planes);
      planes = layout.in.template DeQue<T>();
      AscendC::LocalTensor<T> turned = layout.out.template AllocTensor<T>();
      Layout::TurnToBlocks(turned, planes, count * points);
      layout.in.FreeTensor(planes);
      layout.out.EnQue(turned);
      turned = layout.out.template DeQue<T>();
      for (uint32_t plane = 0; plane < PLANES; ++plane) {
        const uint64_t block = filter / C0 + plane;
        if (block >= of.windows.blocks) break;
        for (uint32_t point = 0; point < points; ++point) {
          const uint64_t strip = (group * of.windows.blocks + block) * points + points - 1 - point;
          const AscendC::DataCopyParams copy{static_cast<uint16_t>(count), 1,
                                             static_cast<uint16_t>(points - 1), 0};
          AscendC::DataCopy(to[(strip * of.upFilters + channel) * C0],
                            turned[(plane * TILE + point) * C0], copy);
        }
      }
      layout.out.FreeTensor(turned);
    }
  }

  // Rows of points [group][filter][channel block][point][C0] to filters.
  __aicore__ inline void PointsToFilters(const Conv2dProduct& of, uint32_t channels, GM_ADDR rows,
                                         GM_ADDR filters) {
    const AscendC::GlobalTensor<T> from = Tensor(rows);
    const AscendC::GlobalTensor<T> to = Tensor(filters);
    const uint32_t points = of.windows.filterH * of.windows.filterW;
    const uint32_t room = Up(points);
    const uint32_t atOnce = TILE / room;
    const uint64_t groups = (channels + SIDE - 1) / SIDE;
    const uint64_t tiles = (of.filters + atOnce - 1) / atOnce;
    const uint64_t pitch = static_cast<uint64_t>(of.windows.blocks) * points;
    for (uint64_t unit = core; unit < of.groups * groups * tiles; unit += cores) {
      const uint64_t filter = unit % tiles * atOnce;
      const uint64_t channel = unit / tiles % groups * SIDE;
      const uint64_t group = unit / tiles / groups;
      const uint32_t count = Least(of.filters - filter, atOnce);
      AscendC::LocalTensor<T> blocks = layout.in.template AllocTensor<T>();
      for (uint32_t plane = 0; plane < PLANES; ++plane) {
        const uint64_t block = channel / C0 + plane;
        if (block >= of.windows.blocks) break;
        for (uint32_t i = 0; i < count; ++i) {
          const uint64_t place = (group * of.filters + filter + i) * pitch + block * points;
          AscendC::DataCopy(blocks[(plane * TILE + i * room) * C0], from[place * C0], points * C0);
        }
      }
      layout.in.EnQue(blocks);
      blocks = layout.in.template DeQue<T>();
      AscendC::LocalTensor<T> planes = layout.out.template AllocTensor<T>();
      Layout::TurnToPlanes(planes, blocks, count * room);
      layout.in.FreeTensor(blocks);
      layout.out.EnQue(planes);
      planes = layout.out.template DeQue<T>();
      for (uint32_t i = 0; i < count; ++i) {
        const uint64_t place = ((group * of.filters + filter + i) * channels + channel) * points;
        Layout::StorePlanes(to[place], points, planes[i * room], Least(channels - channel, SIDE),
                            points);
      }
      layout.out.FreeTensor(planes);
    }
  }

  __aicore__ inline void Zero(GM_ADDR memory, uint64_t bytes) {
    const AscendC::GlobalTensor<T> to = Tensor(memory);
    constexpr uint32_t AT_ONCE = SIDE * TILE;
    AscendC::LocalTensor<T> zeros = layout.out.template AllocTensor<T>();
    AscendC::Duplicate(zeros, T(0.0f), AT_ONCE);
    layout.out.EnQue(zeros);
    zeros = layout.out.template DeQue<T>();
    const uint64_t all = bytes / sizeof(T);
    for (uint64_t first = core * AT_ONCE; first < all; first += cores * AT_ONCE) {
      AscendC::DataCopy(to[first], zeros, Least(all - first, AT_ONCE));
    }
    layout.out.FreeTensor(zeros);
  }

  // dout to blocks, its elements as far apart as the windows were: what is between them is 0.
  __aicore__ inline void Spread(const Conv2dGradTilingData& of, GM_ADDR planes, GM_ADDR blocks) {
    const AscendC::GlobalTensor<T> from = Tensor(planes);
    const AscendC::GlobalTensor<T> to = Tensor(blocks);
    const Conv2dWindows& w = of.ofX.windows;
    const uint64_t plane = static_cast<uint64_t>(of.outHeight) * of.outWidth;
    const uint64_t groups = (of.filters + SIDE - 1) / SIDE;
    const uint64_t tiles = (of.outWidth + TILE - 1) / TILE;
    const uint64_t units = of.ofX.images * of.ofX.groups * groups * of.outHeight * tiles;
    for (uint64_t unit = core; unit < units; unit += cores) {
      const uint64_t first = unit % tiles * TILE;
      const uint64_t row = unit / tiles % of.outHeight;
      const uint64_t filter = unit / tiles / of.outHeight % groups * SIDE;
      const uint64_t image = unit / tiles / of.outHeight / groups;
      const uint32_t count = Least(of.outWidth - first, TILE);
      AscendC::LocalTensor<T> lines = layout.in.template AllocTensor<T>();
      const uint32_t here = Least(of.filters - filter, SIDE);
      Layout::ZeroPlanes(lines, here);
      Layout::BringPlanes(lines,
                          from[(image * of.filters + filter) * plane + row * of.outWidth + first],
                          plane, here, count);
      layout.in.EnQue(lines);
      lines = layout.in.template DeQue<T>();
      AscendC::LocalTensor<T> turned = layout.out.template AllocTensor<T>();
      Layout::TurnToBlocks(turned, lines, count);
      layout.in.FreeTensor(lines);
      layout.out.EnQue(turned);
      turned = layout.out.template DeQue<T>();
      for (uint32_t i = 0; i < PLANES; ++i) {
        const uint64_t block = filter / C0 + i;
        if (block >= w.blocks) break;
        const uint64_t line = (image * w.blocks + block) * w.height + row * of.strideH;
        const AscendC::DataCopyParams copy{static_cast<uint16_t>(count), 1, 0,
                                           static_cast<uint16_t>(of.strideW - 1)};
        AscendC::DataCopy(to[(line * w.width + first * of.strideW) * C0], turned[i * TILE * C0],
                          copy);
      }
      layout.out.FreeTensor(turned);
    }
  }

 private:
  __aicore__ inline static AscendC::GlobalTensor<T> Tensor(GM_ADDR address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T*)address);
    return tensor;
  }
  __aicore__ inline static uint32_t Least(uint64_t rest, uint32_t most) {
    return rest < most ? static_cast<uint32_t>(rest) : most;
  }
  __aicore__ inline static uint32_t Up(uint32_t points) {
    return (points + SIDE - 1) / SIDE * SIDE;
  }

  Layout layout;
  uint64_t core = 0;
  uint64_t cores = 1;
};

#endif  // CONV2D_VECTORS_H
