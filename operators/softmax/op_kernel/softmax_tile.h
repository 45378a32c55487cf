// What the kernels of Softmax and SoftmaxGrad share: tiles, and reductions along an axis in a tile.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOFTMAX_TILE_H
#define SOFTMAX_TILE_H

#include "kernel_operator.h"
#include "softmax_tiling.h"

constexpr uint32_t DATABLOCK_BYTES = 32;
constexpr uint32_t MAX_COPY_BLOCKS = 4095;
constexpr uint64_t MAX_COPY_GAP = 0xffffffff;
// Rows of columns are taken together until an instruction has about so many elements.
constexpr uint32_t SPREAD_LENGTH = 512;

using FloatTensor = AscendC::LocalTensor<float>;
using Calculation = AscendC::TBuf<AscendC::TPosition::VECCALC>;

template <typename T>
constexpr bool IS_FLOAT = AscendC::IsSameType<T, float>::value;

// Elements from a row of `length` to the next, in a tile: rows begin with datablocks.
template <typename T>
__aicore__ inline uint32_t PitchOf(uint32_t length) {
  constexpr uint32_t DATABLOCK = DATABLOCK_BYTES / sizeof(T);
  return (length + DATABLOCK - 1) / DATABLOCK * DATABLOCK;
}

// The columns of a unit.
struct SoftmaxColumns {
  uint64_t outer;
  uint64_t column;
  uint32_t outers;
  uint32_t width;
  uint32_t rowLength;  // of a tile

  template <typename T>
  __aicore__ inline static SoftmaxColumns Of(const SoftmaxTilingData& tiling, uint64_t unit) {
    const uint64_t across = (tiling.inner + tiling.width - 1) / tiling.width;
    SoftmaxColumns columns;
    columns.outer = unit / across * tiling.outers;
    columns.column = unit % across * tiling.width;
    columns.outers = Least(tiling.outers, tiling.outer - columns.outer);
    columns.width = Least(tiling.width, tiling.inner - columns.column);
    columns.rowLength = columns.outers * PitchOf<T>(columns.width);
    return columns;
  }

  __aicore__ inline static uint32_t Least(uint32_t most, uint64_t left) {
    return left < most ? static_cast<uint32_t>(left) : most;
  }
};

// `count` blocks of elements, `gap` elements between them in global memory; in a tile they begin
// with datablocks.
template <typename T>
__aicore__ inline void LoadBlocks(const AscendC::LocalTensor<T>& to,
                                  const AscendC::GlobalTensor<T>& from, uint32_t count,
                                  uint32_t length, uint64_t gap) {
  if ((count == 1 || (gap == 0 && PitchOf<T>(length) == length)) &&
      count * length * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, count * length);
    return;
  }
  const uint32_t most = gap * sizeof(T) > MAX_COPY_GAP ? 1 : MAX_COPY_BLOCKS;
  for (uint32_t done = 0; done < count; done += most) {
    const uint32_t now = count - done < most ? count - done : most;
    const AscendC::DataCopyExtParams copy{
        static_cast<uint16_t>(now), static_cast<uint32_t>(length * sizeof(T)),
        static_cast<uint32_t>(now == 1 ? 0 : gap * sizeof(T)), 0, 0};
    AscendC::DataCopyPad(to[done * PitchOf<T>(length)], from[done * (length + gap)], copy,
                         AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
  }
}

template <typename T>
__aicore__ inline void StoreBlocks(const AscendC::GlobalTensor<T>& to,
                                   const AscendC::LocalTensor<T>& from, uint32_t count,
                                   uint32_t length, uint64_t gap) {
  if ((count == 1 || (gap == 0 && PitchOf<T>(length) == length)) &&
      count * length * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, count * length);
    return;
  }
  const uint32_t most = gap * sizeof(T) > MAX_COPY_GAP ? 1 : MAX_COPY_BLOCKS;
  for (uint32_t done = 0; done < count; done += most) {
    const uint32_t now = count - done < most ? count - done : most;
    const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(now),
                                          static_cast<uint32_t>(length * sizeof(T)), 0,
                                          static_cast<uint32_t>(now == 1 ? 0 : gap * sizeof(T)), 0};
    AscendC::DataCopyPad(to[done * (length + gap)], from[done * PitchOf<T>(length)], copy);
  }
}

// Elements `row` to `row + rows` of the axis, of all columns of a unit; in the tile each is a row.
template <typename T>
__aicore__ inline void LoadColumns(const AscendC::LocalTensor<T>& to,
                                   const AscendC::GlobalTensor<T>& from,
                                   const SoftmaxTilingData& tiling, const SoftmaxColumns& columns,
                                   uint64_t row, uint32_t rows) {
  const uint64_t place = (columns.outer * tiling.length + row) * tiling.inner + columns.column;
  if (columns.outers == 1) {
    LoadBlocks(to, from[place], rows, columns.width, tiling.inner - columns.width);
    return;
  }
  for (uint32_t i = 0; i < rows; ++i) {
    LoadBlocks(to[i * columns.rowLength], from[place + i * tiling.inner], columns.outers,
               columns.width, tiling.length * tiling.inner - columns.width);
  }
}

template <typename T>
__aicore__ inline void StoreColumns(const AscendC::GlobalTensor<T>& to,
                                    const AscendC::LocalTensor<T>& from,
                                    const SoftmaxTilingData& tiling, const SoftmaxColumns& columns,
                                    uint64_t row, uint32_t rows) {
  const uint64_t place = (columns.outer * tiling.length + row) * tiling.inner + columns.column;
  if (columns.outers == 1) {
    StoreBlocks(to[place], from, rows, columns.width, tiling.inner - columns.width);
    return;
  }
  for (uint32_t i = 0; i < rows; ++i) {
    StoreBlocks(to[place + i * tiling.inner], from[i * columns.rowLength], columns.outers,
                columns.width, tiling.length * tiling.inner - columns.width);
  }
}

// A tile as floats: itself, or what it becomes in `room`.
template <typename T>
__aicore__ inline FloatTensor Widen(const AscendC::LocalTensor<T>& tile, Calculation& room,
                                    uint32_t count) {
  if constexpr (IS_FLOAT<T>) {
    return tile;
  } else {
    FloatTensor wide = room.Get<float>();
    AscendC::Cast(wide, tile, AscendC::RoundMode::CAST_NONE, count);
    AscendC::PipeBarrier<PIPE_V>();
    return wide;
  }
}

struct Larger {
  __aicore__ inline static void Join(const FloatTensor& to, const FloatTensor& a,
                                     const FloatTensor& b, uint32_t count) {
    AscendC::Max(to, a, b, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
  }
};
struct Sum {
  __aicore__ inline static void Join(const FloatTensor& to, const FloatTensor& a,
                                     const FloatTensor& b, uint32_t count) {
    AscendC::Add(to, a, b, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
  }
};

// One row of all rows of a tile, the upper half joined to the lower half at a time.
template <typename Op>
__aicore__ inline FloatTensor Fold(const FloatTensor& tile, const FloatTensor& scratch,
                                   uint32_t rows, uint32_t rowLength) {
  if (rows == 1) return tile;
  uint32_t half = (rows + 1) / 2;
  Op::Join(scratch, tile, tile[half * rowLength], (rows - half) * rowLength);
  if (rows % 2 != 0) {  // one row has no partner
    const uint32_t middle = (half - 1) * rowLength;
    AscendC::Adds(scratch[middle], tile[middle], 0.0f, static_cast<int32_t>(rowLength));
    AscendC::PipeBarrier<PIPE_V>();
  }
  while (half > 1) {
    const uint32_t left = half;
    half = (left + 1) / 2;
    Op::Join(scratch, scratch, scratch[half * rowLength], (left - half) * rowLength);
  }
  return scratch;
}

// A row over and over, so that several rows of a tile can be computed with at once.
class SpreadRow {
 public:
  __aicore__ inline SpreadRow(const FloatTensor& row, const FloatTensor& room, uint32_t rowLength,
                              uint32_t rows)
      : spread(row), rowLength(rowLength), tileRows(rows), times(1) {
    uint32_t most = SPREAD_LENGTH / rowLength;
    if (most > rows) most = rows;
    if (most <= 1) return;
    Copy(room, row, rowLength);
    while (times < most) {
      const uint32_t now = most - times < times ? most - times : times;
      Copy(room[times * rowLength], room, now * rowLength);
      times += now;
    }
    spread = room;
  }

  // to = from - row, to = from / row; `to` may be `from`.
  __aicore__ inline void Subtract(const FloatTensor& to, const FloatTensor& from) const {
    for (uint32_t row = 0; row < tileRows; row += times) {
      AscendC::Sub(to[row * rowLength], from[row * rowLength], spread, Count(row));
    }
    AscendC::PipeBarrier<PIPE_V>();
  }
  __aicore__ inline void Divide(const FloatTensor& to, const FloatTensor& from) const {
    for (uint32_t row = 0; row < tileRows; row += times) {
      AscendC::Div(to[row * rowLength], from[row * rowLength], spread, Count(row));
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

 private:
  __aicore__ inline static void Copy(const FloatTensor& to, const FloatTensor& from,
                                     uint32_t count) {
    AscendC::Adds(to, from, 0.0f, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
  }
  __aicore__ inline int32_t Count(uint32_t row) const {
    const uint32_t left = tileRows - row;
    return static_cast<int32_t>((left < times ? left : times) * rowLength);
  }

  FloatTensor spread;
  uint32_t rowLength;
  uint32_t tileRows;
  uint32_t times;
};

// Until what the vector unit has written can be read by GetValue.
__aicore__ inline void WaitForVector() {
  const auto event = GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S);
  AscendC::SetFlag<AscendC::HardEvent::V_S>(event);
  AscendC::WaitFlag<AscendC::HardEvent::V_S>(event);
}

#endif  // SOFTMAX_TILE_H
