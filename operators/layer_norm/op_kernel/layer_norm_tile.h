// What the kernels of LayerNorm and LayerNormGrad share: tiles of rows, and sums of rows.
// SPDX-License-Identifier: Apache-2.0
#ifndef LAYER_NORM_TILE_H
#define LAYER_NORM_TILE_H

#include "kernel_operator.h"
#include "layer_norm_tiling.h"

constexpr uint32_t DATABLOCK_BYTES = 32;
constexpr uint32_t DATABLOCK_FLOATS = DATABLOCK_BYTES / sizeof(float);
constexpr uint32_t REPEAT_FLOATS = 64;

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

__aicore__ inline uint32_t Least(uint32_t most, uint64_t left) {
  return left < most ? static_cast<uint32_t>(left) : most;
}

// Rows that lie one behind the other in global memory.
template <typename T>
__aicore__ inline void LoadRows(const AscendC::LocalTensor<T>& to,
                                const AscendC::GlobalTensor<T>& from, uint32_t rows,
                                uint32_t length) {
  if (length * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, rows * length);
    return;
  }
  const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(rows),
                                        static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
  AscendC::DataCopyPad(to, from, copy, AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
}

template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& to,
                                 const AscendC::LocalTensor<T>& from, uint32_t rows,
                                 uint32_t length) {
  if (length * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, rows * length);
    return;
  }
  const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(rows),
                                        static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
  AscendC::DataCopyPad(to, from, copy);
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

// Until the scalar unit can read what another one has written.
template <AscendC::HardEvent event>
__aicore__ inline void WaitFor() {
  const auto id = GetTPipePtr()->FetchEventID(event);
  AscendC::SetFlag<event>(id);
  AscendC::WaitFlag<event>(id);
}

// one[0] = the sum of `length` elements, the upper half added to the lower half at a time.
__aicore__ inline void SumOfRow(const FloatTensor& one, const FloatTensor& row,
                                const FloatTensor& scratch, uint32_t length) {
  FloatTensor from = row;
  while (length > REPEAT_FLOATS) {
    const uint32_t half = length / 2 / DATABLOCK_FLOATS * DATABLOCK_FLOATS;
    const uint32_t rest = length - 2 * half;
    AscendC::Add(scratch, from, from[half], static_cast<int32_t>(half));
    AscendC::PipeBarrier<PIPE_V>();
    if (rest != 0) {
      AscendC::Add(scratch, scratch, from[2 * half], static_cast<int32_t>(rest));
      AscendC::PipeBarrier<PIPE_V>();
    }
    from = scratch;
    length = half;
  }
  AscendC::WholeReduceSum<float>(one, from, static_cast<int32_t>(length), 1, 1, 1,
                                 REPEAT_FLOATS / DATABLOCK_FLOATS);
  AscendC::PipeBarrier<PIPE_V>();
}

#endif  // LAYER_NORM_TILE_H
