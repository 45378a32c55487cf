// The kernels of all layout operators. Elements are moved and not computed with: two bytes are
// half, four are float. SPDX-License-Identifier: Apache-2.0
#ifndef LAYOUTS_KERNELS_H
#define LAYOUTS_KERNELS_H

#include "../../common/blocked_layout.h"
#include "kernel_operator.h"
#include "layouts_tiling.h"

template <typename Element>
struct Moved {
  using Type = half;
};
template <>
struct Moved<float> {
  using Type = float;
};

template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> Tensor(GM_ADDR address) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T*)address);
  return tensor;
}
__aicore__ inline uint32_t Least(uint64_t rest, uint32_t most) {
  return rest < most ? static_cast<uint32_t>(rest) : most;
}

// Planes of channels to blocks, or back: tiles of 16 channels.
template <typename T, bool toBlocks>
__aicore__ inline void ChangeImages(const LayoutsTilingData& of, GM_ADDR x, GM_ADDR out) {
  using Layout = BlockedLayout<T>;
  constexpr uint32_t SIDE = Layout::SIDE;
  AscendC::TPipe pipe;
  Layout layout;
  layout.Init(&pipe);
  const AscendC::GlobalTensor<T> from = Tensor<T>(x);
  const AscendC::GlobalTensor<T> to = Tensor<T>(out);
  const uint64_t groups = (of.channels + SIDE - 1) / SIDE;
  const uint64_t tiles = (of.plane + Layout::TILE - 1) / Layout::TILE;
  for (uint64_t unit = AscendC::GetBlockIdx(); unit < of.images * groups * tiles;
       unit += AscendC::GetBlockNum()) {
    const uint64_t first = unit % tiles * Layout::TILE;
    const uint64_t group = unit / tiles % groups;
    const uint64_t image = unit / tiles / groups;
    const uint64_t block = group * Layout::PLANES;
    const uint64_t inPlanes = (image * of.channels + group * SIDE) * of.plane + first;
    const uint64_t inBlocks = ((image * of.blocks + block) * of.plane + first) * Layout::C0;
    const uint32_t channels = Least(of.channels - group * SIDE, SIDE);
    const uint32_t count = Least(of.plane - first, Layout::TILE);
    if constexpr (toBlocks) {
      layout.ToBlocks(to[inBlocks], of.plane * Layout::C0, static_cast<uint32_t>(of.blocks - block),
                      from[inPlanes], of.plane, channels, count);
    } else {
      layout.ToPlanes(to[inPlanes], of.plane, channels, from[inBlocks], of.plane * Layout::C0,
                      count);
    }
  }
}

// Rows to strips of 32 bytes, each with all rows, or back; strips have whole fractals of 16 rows,
// filled up with zeros.
template <typename T>
class Matrices {
 public:
  __aicore__ inline Matrices(const LayoutsTilingData& tiling, GM_ADDR x, GM_ADDR out)
      : of(tiling), from(Tensor<T>(x)), to(Tensor<T>(out)) {
    pipe.InitBuffer(queue, 2, ROWS * STRIPS * DATABLOCK);
    upRows = (of.plane + SIDE - 1) / SIDE * SIDE;
    rowTiles = (upRows + ROWS - 1) / ROWS;
    stripTiles = (of.blocks + STRIPS - 1) / STRIPS;
  }

  template <bool toStrips>
  __aicore__ inline void Run() {
    for (uint64_t unit = AscendC::GetBlockIdx(); unit < of.images * rowTiles * stripTiles;
         unit += AscendC::GetBlockNum()) {
      const uint64_t strip = unit % stripTiles * STRIPS;
      const uint64_t row = unit / stripTiles % rowTiles * ROWS;
      const uint64_t matrix = unit / stripTiles / rowTiles;
      const uint32_t strips = Least(of.blocks - strip, STRIPS);
      const uint32_t all = Least(upRows - row, ROWS);
      const uint32_t rows = row < of.plane ? Least(of.plane - row, all) : 0;
      const uint64_t column = strip * WIDE;
      const uint32_t columns = Least(of.channels - column, strips * WIDE);
      const uint64_t inRows = (matrix * of.plane + row) * of.channels + column;
      const uint64_t inStrips = ((matrix * of.blocks + strip) * upRows + row) * WIDE;
      if constexpr (toStrips) {
        ToStrips(inRows, inStrips, rows, all, columns, strips);
      } else {
        ToRows(inRows, inStrips, rows, columns, strips);
      }
    }
  }

 private:
  static constexpr uint32_t DATABLOCK = 32;
  static constexpr uint32_t SIDE = 16;
  static constexpr uint32_t WIDE = DATABLOCK / sizeof(T);
  static constexpr uint32_t ROWS = 32;  // of a tile
  static constexpr uint32_t STRIPS = 32;

  __aicore__ inline void ToStrips(uint64_t inRows, uint64_t inStrips, uint32_t rows, uint32_t all,
                                  uint32_t columns, uint32_t strips) {
    AscendC::LocalTensor<T> tile = queue.template AllocTensor<T>();
    const uint32_t pitch = strips * WIDE;
    if (rows < all) AscendC::Duplicate(tile[rows * pitch], T(0.0f), (all - rows) * pitch);
    const AscendC::DataCopyExtParams copy{
        static_cast<uint16_t>(rows), static_cast<uint32_t>(columns * sizeof(T)),
        static_cast<uint32_t>((of.channels - columns) * sizeof(T)), 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{true, 0, static_cast<uint8_t>(pitch - columns),
                                               T(0.0f)};
    if (rows > 0) AscendC::DataCopyPad(tile, from[inRows], copy, pad);
    queue.EnQue(tile);
    // What was filled is written by the same copies as what came.
    AscendC::TQueSync<PIPE_V, PIPE_MTE3> filled;
    if (rows < all) {
      filled.SetFlag(0);
      filled.WaitFlag(0);
    }
    tile = queue.template DeQue<T>();
    const AscendC::DataCopyParams store{static_cast<uint16_t>(all), 1,
                                        static_cast<uint16_t>(strips - 1), 0};
    for (uint32_t i = 0; i < strips; ++i) {
      AscendC::DataCopy(to[inStrips + i * upRows * WIDE], tile[i * WIDE], store);
    }
    queue.FreeTensor(tile);
  }

  __aicore__ inline void ToRows(uint64_t inRows, uint64_t inStrips, uint32_t rows, uint32_t columns,
                                uint32_t strips) {
    if (rows == 0) return;
    AscendC::LocalTensor<T> tile = queue.template AllocTensor<T>();
    const AscendC::DataCopyParams copy{static_cast<uint16_t>(rows), 1, 0,
                                       static_cast<uint16_t>(strips - 1)};
    for (uint32_t i = 0; i < strips; ++i) {
      AscendC::DataCopy(tile[i * WIDE], from[inStrips + i * upRows * WIDE], copy);
    }
    queue.EnQue(tile);
    tile = queue.template DeQue<T>();
    const uint32_t bytes = columns * sizeof(T);
    const AscendC::DataCopyExtParams store{
        static_cast<uint16_t>(rows), bytes, strips - (bytes + DATABLOCK - 1) / DATABLOCK,
        static_cast<uint32_t>((of.channels - columns) * sizeof(T)), 0};
    AscendC::DataCopyPad(to[inRows], tile, store);
    queue.FreeTensor(tile);
  }

  const LayoutsTilingData& of;
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue;
  AscendC::GlobalTensor<T> from;
  AscendC::GlobalTensor<T> to;
  uint64_t upRows = 0;
  uint64_t rowTiles = 0;
  uint64_t stripTiles = 0;
};

#endif  // LAYOUTS_KERNELS_H
