// out = exp(x - max) / sum(exp(x - max)) along one axis, of any length.
//
// Rows of the last axis go to the library, as many as a tile holds. A row that does not fit is read
// three times: for its largest element, for the sum, and for the result. Along another axis a tile
// holds columns, and what the library does in a row is done from row to row. Everything is computed
// in float and rounded once.
// SPDX-License-Identifier: Apache-2.0
#include "softmax_tile.h"

namespace {

constexpr float LEAST = -__builtin_huge_valf();

template <typename T>
class KernelSoftmax {
 public:
  __aicore__ inline explicit KernelSoftmax(const SoftmaxTilingData& tilingData)
      : tiling(tilingData) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out) {
    xGm.SetGlobalBuffer((__gm__ T*)x);
    outGm.SetGlobalBuffer((__gm__ T*)out);
    if constexpr (!IS_FLOAT<T>) pipe.InitBuffer(wideX, tiling.tileLength * sizeof(float));
    if (tiling.kind == SOFTMAX_ROWS) {
      pipe.InitBuffer(rowQueue, tiling.buffers, tiling.tileLength * sizeof(T));
      return;
    }
    pipe.InitBuffer(inQueue, tiling.buffers, tiling.tileLength * sizeof(T));
    pipe.InitBuffer(outQueue, tiling.buffers, tiling.tileLength * sizeof(T));
    pipe.InitBuffer(scratch, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(spread, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(running, tiling.tileLength * sizeof(float));
  }

  __aicore__ inline void Process() {
    uint64_t unit = tiling.blockUnits * AscendC::GetBlockIdx();
    const uint64_t end =
        unit + tiling.blockUnits < tiling.units ? unit + tiling.blockUnits : tiling.units;
    for (; unit < end; ++unit) {
      if (tiling.kind == SOFTMAX_ROWS) {
        Rows(unit);
      } else if (tiling.kind == SOFTMAX_PIECES) {
        Pieces(unit * tiling.length);
      } else {
        Columns(SoftmaxColumns::Of<T>(tiling, unit));
      }
    }
  }

 private:
  // --- rows that fit

  __aicore__ inline void Rows(uint64_t unit) {
    const uint64_t first = unit * tiling.tileRows;
    const uint32_t rows = SoftmaxColumns::Least(tiling.tileRows, tiling.outer - first);
    const uint32_t length = static_cast<uint32_t>(tiling.length);
    const uint32_t pitch = PitchOf<T>(length);
    // In place: a result where x was is still in a CPU's first cache.
    AscendC::LocalTensor<T> local = rowQueue.template AllocTensor<T>();
    LoadBlocks(local, xGm[first * length], rows, length, 0);
    rowQueue.template EnQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, T>(local);
    local = rowQueue.template DeQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, T>();
    const AscendC::SoftMaxShapeInfo shape{rows, pitch, rows, length};
    if constexpr (AscendC::IsSameType<T, bfloat16_t>::value) {
      FloatTensor wide = Widen(local, wideX, rows * pitch);
      AscendC::SoftMax<float>(wide, wide, tiling.library, shape);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(local, wide, AscendC::RoundMode::CAST_RINT, rows * pitch);
    } else {
      AscendC::SoftMax<T>(local, local, tiling.library, shape);
    }
    rowQueue.template EnQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, T>(local);
    local = rowQueue.template DeQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, T>();
    StoreBlocks(outGm[first * length], local, rows, length, 0);
    rowQueue.FreeTensor(local);
  }

  // --- rows in pieces

  __aicore__ inline uint32_t PieceOf(uint64_t at) const {
    return SoftmaxColumns::Least(tiling.tileLength, tiling.length - at);
  }

  __aicore__ inline FloatTensor LoadPiece(uint64_t place, uint32_t count) {
    AscendC::LocalTensor<T> local = inQueue.template AllocTensor<T>();
    LoadBlocks(local, xGm[place], 1, count, 0);
    inQueue.EnQue(local);
    loaded = inQueue.template DeQue<T>();
    return Widen(loaded, wideX, count);
  }

  __aicore__ inline void Pieces(uint64_t place) {
    FloatTensor lanes = running.Get<float>();
    FloatTensor room = scratch.Get<float>();
    FloatTensor one = spread.Get<float>();
    const int32_t whole = static_cast<int32_t>(tiling.tileLength);
    AscendC::Duplicate(lanes, LEAST, whole);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t count = PieceOf(at);
      Larger::Join(lanes, lanes, LoadPiece(place + at, count), count);
      inQueue.FreeTensor(loaded);
    }
    AscendC::ReduceMax(one, lanes, room, whole, false);
    WaitForVector();
    const float largest = one.GetValue(0);
    AscendC::Duplicate(lanes, 0.0f, whole);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t count = PieceOf(at);
      const FloatTensor x = LoadPiece(place + at, count);
      Exponential(x, x, largest, count);
      Sum::Join(lanes, lanes, x, count);
      inQueue.FreeTensor(loaded);
    }
    AscendC::ReduceSum(one, lanes, room, whole);
    WaitForVector();
    const float scale = 1.0f / one.GetValue(0);
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t count = PieceOf(at);
      const FloatTensor x = LoadPiece(place + at, count);
      AscendC::LocalTensor<T> result = outQueue.template AllocTensor<T>();
      FloatTensor wide = x;
      if constexpr (IS_FLOAT<T>) wide = result;
      Exponential(wide, x, largest, count);
      AscendC::Muls(wide, wide, scale, static_cast<int32_t>(count));
      inQueue.FreeTensor(loaded);
      Finish(result, wide, count);
      StoreBlocks(outGm[place + at], result, 1, count, 0);
      outQueue.FreeTensor(result);
    }
  }

  __aicore__ inline void Exponential(const FloatTensor& to, const FloatTensor& x, float largest,
                                     uint32_t count) {
    AscendC::Adds(to, x, -largest, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(to, to, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
  }

  // Rounds a tile to what is stored.
  __aicore__ inline void Finish(AscendC::LocalTensor<T>& result, const FloatTensor& wide,
                                uint32_t count) {
    if constexpr (!IS_FLOAT<T>) {
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(result, wide, AscendC::RoundMode::CAST_RINT, count);
    }
    outQueue.template EnQue<T>(result);
    result = outQueue.template DeQue<T>();
  }

  // --- columns

  __aicore__ inline FloatTensor LoadTile(const SoftmaxColumns& columns, uint64_t row,
                                         uint32_t rows) {
    AscendC::LocalTensor<T> local = inQueue.template AllocTensor<T>();
    LoadColumns(local, xGm, tiling, columns, row, rows);
    inQueue.EnQue(local);
    loaded = inQueue.template DeQue<T>();
    return Widen(loaded, wideX, rows * columns.rowLength);
  }

  __aicore__ inline void Columns(const SoftmaxColumns& columns) {
    const uint32_t rowLength = columns.rowLength;
    if (tiling.length <= tiling.tileRows) {
      const uint32_t rows = static_cast<uint32_t>(tiling.length);
      const FloatTensor x = LoadTile(columns, 0, rows);
      const FloatTensor largest = Fold<Larger>(x, scratch.Get<float>(), rows, rowLength);
      ExponentialOfRows(x, largest, rows, rowLength);
      const FloatTensor sums = Fold<Sum>(x, scratch.Get<float>(), rows, rowLength);
      StoreQuotient(x, sums, columns, 0, rows);
      return;
    }
    FloatTensor largest = running.Get<float>();
    FloatTensor sums = largest[tiling.tileLength / 2];
    const int32_t length = static_cast<int32_t>(rowLength);
    AscendC::Duplicate(largest, LEAST, length);
    AscendC::Duplicate(sums, 0.0f, length);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint64_t row = 0; row < tiling.length; row += tiling.tileRows) {
      const uint32_t rows = SoftmaxColumns::Least(tiling.tileRows, tiling.length - row);
      const FloatTensor x = LoadTile(columns, row, rows);
      Larger::Join(largest, largest, Fold<Larger>(x, scratch.Get<float>(), rows, rowLength),
                   rowLength);
      inQueue.FreeTensor(loaded);
    }
    for (uint64_t row = 0; row < tiling.length; row += tiling.tileRows) {
      const uint32_t rows = SoftmaxColumns::Least(tiling.tileRows, tiling.length - row);
      const FloatTensor x = LoadTile(columns, row, rows);
      ExponentialOfRows(x, largest, rows, rowLength);
      Sum::Join(sums, sums, Fold<Sum>(x, scratch.Get<float>(), rows, rowLength), rowLength);
      inQueue.FreeTensor(loaded);
    }
    for (uint64_t row = 0; row < tiling.length; row += tiling.tileRows) {
      const uint32_t rows = SoftmaxColumns::Least(tiling.tileRows, tiling.length - row);
      const FloatTensor x = LoadTile(columns, row, rows);
      ExponentialOfRows(x, largest, rows, rowLength);
      StoreQuotient(x, sums, columns, row, rows);
    }
  }

  __aicore__ inline void ExponentialOfRows(const FloatTensor& x, const FloatTensor& largest,
                                           uint32_t rows, uint32_t rowLength) {
    SpreadRow(largest, spread.Get<float>(), rowLength, rows).Subtract(x, x);
    AscendC::Exp(x, x, static_cast<int32_t>(rows * rowLength));
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void StoreQuotient(const FloatTensor& x, const FloatTensor& sums,
                                       const SoftmaxColumns& columns, uint64_t row, uint32_t rows) {
    AscendC::LocalTensor<T> result = outQueue.template AllocTensor<T>();
    FloatTensor wide = x;
    if constexpr (IS_FLOAT<T>) wide = result;
    SpreadRow(sums, spread.Get<float>(), columns.rowLength, rows).Divide(wide, x);
    inQueue.FreeTensor(loaded);
    Finish(result, wide, rows * columns.rowLength);
    StoreColumns(outGm, result, tiling, columns, row, rows);
    outQueue.FreeTensor(result);
  }

  const SoftmaxTilingData& tiling;
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> rowQueue;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
  Calculation wideX;
  Calculation scratch;
  Calculation spread;
  Calculation running;
  AscendC::LocalTensor<T> loaded;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> outGm;
};

}  // namespace

extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                              GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(SoftmaxTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelSoftmax<DTYPE_X> op(tilingData);
  op.Init(x, out);
  op.Process();
}
