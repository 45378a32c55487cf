// What the kernels of Gelu and GeluGrad share: a block's run of elements, and tiles of it as
// floats. SPDX-License-Identifier: Apache-2.0
#ifndef GELU_TILE_H
#define GELU_TILE_H

#include "gelu_tiling.h"
#include "kernel_operator.h"

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t DATABLOCK_BYTES = 32;

constexpr float ROOT_OF_HALF = 0.70710678118654752440f;
// exp(-x² / 2) times this is the density of the normal distribution.
constexpr float DENSITY = 0.39894228040143267794f;
// The approximation is x / (1 + exp(-x (SLOPE + SLOPE * CUBE x²))).
constexpr float SLOPE = 1.59576912160573071176f;
constexpr float CUBE = 0.044715f;

struct GeluBlock {
  uint64_t begin;
  uint64_t length;

  __aicore__ inline explicit GeluBlock(const GeluTilingData& tiling)
      : begin(tiling.blockLength * AscendC::GetBlockIdx()), length(0) {
    if (begin < tiling.totalLength) {
      const uint64_t rest = tiling.totalLength - begin;
      length = rest < tiling.blockLength ? rest : tiling.blockLength;
    }
  }
};

template <typename T>
constexpr bool IS_FLOAT = AscendC::IsSameType<T, float>::value;

template <typename T>
__aicore__ inline void Load(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from,
                            uint32_t count) {
  if (count * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, count);
    return;
  }
  // DataCopy moves whole datablocks only; the last elements of a tensor need not fill one.
  const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
  AscendC::DataCopyPad(to, from, copy, AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
}

template <typename T>
__aicore__ inline void Store(const AscendC::GlobalTensor<T>& to,
                             const AscendC::LocalTensor<T>& from, uint32_t count) {
  if (count * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, count);
    return;
  }
  const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
  AscendC::DataCopyPad(to, from, copy);
}

// A tile as floats: itself, or what it becomes in `room`.
template <typename T>
__aicore__ inline AscendC::LocalTensor<float> Widen(
    const AscendC::LocalTensor<T>& tile, AscendC::TBuf<AscendC::TPosition::VECCALC>& room,
    uint32_t count) {
  if constexpr (IS_FLOAT<T>) {
    return tile;
  } else {
    AscendC::LocalTensor<float> wide = room.Get<float>();
    AscendC::Cast(wide, tile, AscendC::RoundMode::CAST_NONE, count);
    AscendC::PipeBarrier<PIPE_V>();
    return wide;
  }
}

#endif  // GELU_TILE_H
