// dx = out * (dout - sum(out * dout)) along one axis, of any length; `out` is the result of
// Softmax.
//
// Cut as softmax.cpp; a row or a column that does not fit is read twice. Everything is computed in
// float and rounded once.
// SPDX-License-Identifier: Apache-2.0
#include "softmax_tile.h"

namespace {

constexpr uint32_t DATABLOCK_FLOATS = DATABLOCK_BYTES / sizeof(float);
constexpr uint32_t REPEAT_FLOATS = 64;
constexpr uint32_t MAX_REPEATS = 255;
// Rows from this length on are computed with one by one.
constexpr uint32_t LONG_ROW = 128;

template <typename T>
class KernelSoftmaxGrad {
 public:
  __aicore__ inline explicit KernelSoftmaxGrad(const SoftmaxTilingData& tilingData)
      : tiling(tilingData) {}

  __aicore__ inline void Init(GM_ADDR out, GM_ADDR dout, GM_ADDR dx) {
    outGm.SetGlobalBuffer((__gm__ T*)out);
    doutGm.SetGlobalBuffer((__gm__ T*)dout);
    dxGm.SetGlobalBuffer((__gm__ T*)dx);
    pipe.InitBuffer(outQueue, tiling.buffers, tiling.tileLength * sizeof(T));
    if constexpr (!IS_FLOAT<T>) {
      pipe.InitBuffer(wideOut, tiling.tileLength * sizeof(float));
      pipe.InitBuffer(wideDout, tiling.tileLength * sizeof(float));
    }
    pipe.InitBuffer(spread, tiling.tileLength * sizeof(float));
    if (tiling.kind == SOFTMAX_ROWS) {
      pipe.InitBuffer(rowQueue, tiling.buffers, tiling.tileLength * sizeof(T));
      return;
    }
    pipe.InitBuffer(doutQueue, tiling.buffers, tiling.tileLength * sizeof(T));
    pipe.InitBuffer(dxQueue, tiling.buffers, tiling.tileLength * sizeof(T));
    pipe.InitBuffer(scratch, tiling.tileLength * sizeof(float));
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
    AscendC::LocalTensor<T> localOut = outQueue.template AllocTensor<T>();
    // In place: a result where dout was is still in a CPU's first cache.
    AscendC::LocalTensor<T> local = rowQueue.template AllocTensor<T>();
    LoadBlocks(localOut, outGm[first * length], rows, length, 0);
    LoadBlocks(local, doutGm[first * length], rows, length, 0);
    outQueue.EnQue(localOut);
    rowQueue.template EnQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, T>(local);
    localOut = outQueue.template DeQue<T>();
    local = rowQueue.template DeQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, T>();
    const AscendC::SoftMaxShapeInfo shape{rows, pitch, rows, length};
    const FloatTensor out = Widen(localOut, wideOut, rows * pitch);
    const FloatTensor dout = Widen(local, wideDout, rows * pitch);
    const FloatTensor sums = spread.Get<float>();
    AscendC::SoftmaxGradFront<float>(sums, dout, out, tiling.library, shape);
    AscendC::PipeBarrier<PIPE_V>();
    SubtractFromRows(dout, dout, sums, rows, pitch);
    AscendC::SoftmaxGrad<float>(dout, dout, out, tiling.library, false, shape);
    if constexpr (!IS_FLOAT<T>) {
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(local, dout, AscendC::RoundMode::CAST_RINT, rows * pitch);
    }
    outQueue.FreeTensor(localOut);
    rowQueue.template EnQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, T>(local);
    local = rowQueue.template DeQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, T>();
    StoreBlocks(dxGm[first * length], local, rows, length, 0);
    rowQueue.FreeTensor(local);
  }

  // `sums` has a datablock for each row.
  __aicore__ inline void SubtractFromRows(const FloatTensor& to, const FloatTensor& from,
                                          const FloatTensor& sums, uint32_t rows, uint32_t pitch) {
    if (pitch >= LONG_ROW) {
      WaitForVector();
      for (uint32_t row = 0; row < rows; ++row) {
        AscendC::Adds(to[row * pitch], from[row * pitch], -sums.GetValue(row * DATABLOCK_FLOATS),
                      static_cast<int32_t>(pitch));
      }
    } else {
      const uint8_t stride = static_cast<uint8_t>(pitch / DATABLOCK_FLOATS);
      const AscendC::BinaryRepeatParams repeats{1, 1, 0, stride, stride, 1};
      for (uint32_t row = 0; row < rows; row += MAX_REPEATS) {
        const uint32_t now = rows - row < MAX_REPEATS ? rows - row : MAX_REPEATS;
        for (uint32_t at = 0; at < pitch; at += REPEAT_FLOATS) {
          const uint64_t mask = pitch - at < REPEAT_FLOATS ? pitch - at : REPEAT_FLOATS;
          AscendC::Sub(to[row * pitch + at], from[row * pitch + at], sums[row * DATABLOCK_FLOATS],
                       mask, static_cast<uint8_t>(now), repeats);
        }
      }
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void LoadBoth(uint64_t place, uint32_t rows, uint32_t length) {
    AscendC::LocalTensor<T> out = outQueue.template AllocTensor<T>();
    AscendC::LocalTensor<T> dout = doutQueue.template AllocTensor<T>();
    LoadBlocks(out, outGm[place], rows, length, 0);
    LoadBlocks(dout, doutGm[place], rows, length, 0);
    Take(out, dout);
  }

  __aicore__ inline void Take(const AscendC::LocalTensor<T>& out,
                              const AscendC::LocalTensor<T>& dout) {
    outQueue.EnQue(out);
    doutQueue.EnQue(dout);
    loadedOut = outQueue.template DeQue<T>();
    loadedDout = doutQueue.template DeQue<T>();
  }

  __aicore__ inline void FreeBoth() {
    outQueue.FreeTensor(loadedOut);
    doutQueue.FreeTensor(loadedDout);
  }

  // --- rows in pieces

  __aicore__ inline void Pieces(uint64_t place) {
    const float sum = SumOfPieces(place, 0.0f);
    const float rest = SumOfPieces(place, sum);
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t count = SoftmaxColumns::Least(tiling.tileLength, tiling.length - at);
      LoadBoth(place + at, 1, count);
      const FloatTensor dout = Less(sum, count);
      AscendC::Adds(dout, dout, -rest, static_cast<int32_t>(count));
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::LocalTensor<T> result = Finish(dout, count);
      StoreBlocks(dxGm[place + at], result, 1, count, 0);
      dxQueue.FreeTensor(result);
    }
  }

  // The sum of out * (dout - less).
  __aicore__ inline float SumOfPieces(uint64_t place, float less) {
    FloatTensor lanes = running.Get<float>();
    FloatTensor one = spread.Get<float>();
    const int32_t whole = static_cast<int32_t>(tiling.tileLength);
    AscendC::Duplicate(lanes, 0.0f, whole);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t count = SoftmaxColumns::Least(tiling.tileLength, tiling.length - at);
      LoadBoth(place + at, 1, count);
      Sum::Join(lanes, lanes, Products(Less(less, count), count), count);
      FreeBoth();
    }
    AscendC::ReduceSum(one, lanes, scratch.Get<float>(), whole);
    WaitForVector();
    return one.GetValue(0);
  }

  __aicore__ inline FloatTensor Less(float sum, uint32_t count) {
    const FloatTensor dout = Widen(loadedDout, wideDout, count);
    AscendC::Adds(dout, dout, -sum, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
    return dout;
  }

  // With the tile of `out` that is loaded.
  __aicore__ inline FloatTensor Products(const FloatTensor& difference, uint32_t count) {
    const FloatTensor products = scratch.Get<float>();
    AscendC::Mul(products, Widen(loadedOut, wideOut, count), difference,
                 static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
    return products;
  }

  // The result, of dout less the sum; frees what was loaded.
  __aicore__ inline AscendC::LocalTensor<T> Finish(const FloatTensor& difference, uint32_t count) {
    AscendC::LocalTensor<T> result = dxQueue.template AllocTensor<T>();
    const FloatTensor out = Widen(loadedOut, wideOut, count);
    if constexpr (IS_FLOAT<T>) {
      AscendC::Mul(result, difference, out, static_cast<int32_t>(count));
    } else {
      AscendC::Mul(difference, difference, out, static_cast<int32_t>(count));
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(result, difference, AscendC::RoundMode::CAST_RINT, count);
    }
    FreeBoth();
    dxQueue.template EnQue<T>(result);
    return dxQueue.template DeQue<T>();
  }

  // --- columns

  __aicore__ inline void LoadTiles(const SoftmaxColumns& columns, uint64_t row, uint32_t rows) {
    AscendC::LocalTensor<T> out = outQueue.template AllocTensor<T>();
    AscendC::LocalTensor<T> dout = doutQueue.template AllocTensor<T>();
    LoadColumns(out, outGm, tiling, columns, row, rows);
    LoadColumns(dout, doutGm, tiling, columns, row, rows);
    Take(out, dout);
  }

  // A tile of dout less those of `sums` that are known.
  __aicore__ inline FloatTensor Less(const FloatTensor (&sums)[2], uint32_t known, uint32_t rows,
                                     uint32_t rowLength) {
    const FloatTensor dout = Widen(loadedDout, wideDout, rows * rowLength);
    for (uint32_t i = 0; i < known; ++i) {
      SpreadRow(sums[i], spread.Get<float>(), rowLength, rows).Subtract(dout, dout);
    }
    return dout;
  }

  __aicore__ inline void Columns(const SoftmaxColumns& columns) {
    const uint32_t rowLength = columns.rowLength;
    const FloatTensor sums[2] = {running.Get<float>(), running.Get<float>()[tiling.tileLength / 2]};
    if (tiling.length <= tiling.tileRows) {
      const uint32_t rows = static_cast<uint32_t>(tiling.length);
      LoadTiles(columns, 0, rows);
      const FloatTensor dout = Widen(loadedDout, wideDout, rows * rowLength);
      for (uint32_t i = 0; i < 2; ++i) {
        const FloatTensor products = Products(dout, rows * rowLength);
        const FloatTensor sum = Fold<Sum>(products, spread.Get<float>(), rows, rowLength);
        AscendC::Adds(sums[0], sum, 0.0f, static_cast<int32_t>(rowLength));
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRow(sums[0], spread.Get<float>(), rowLength, rows).Subtract(dout, dout);
      }
      StoreTile(dout, columns, 0, rows);
      return;
    }
    for (uint32_t i = 0; i < 2; ++i) {
      AscendC::Duplicate(sums[i], 0.0f, static_cast<int32_t>(rowLength));
      AscendC::PipeBarrier<PIPE_V>();
      for (uint64_t row = 0; row < tiling.length; row += tiling.tileRows) {
        const uint32_t rows = SoftmaxColumns::Least(tiling.tileRows, tiling.length - row);
        LoadTiles(columns, row, rows);
        const FloatTensor products = Products(Less(sums, i, rows, rowLength), rows * rowLength);
        Sum::Join(sums[i], sums[i], Fold<Sum>(products, spread.Get<float>(), rows, rowLength),
                  rowLength);
        FreeBoth();
      }
    }
    for (uint64_t row = 0; row < tiling.length; row += tiling.tileRows) {
      const uint32_t rows = SoftmaxColumns::Least(tiling.tileRows, tiling.length - row);
      LoadTiles(columns, row, rows);
      StoreTile(Less(sums, 2, rows, rowLength), columns, row, rows);
    }
  }

  __aicore__ inline void StoreTile(const FloatTensor& difference, const SoftmaxColumns& columns,
                                   uint64_t row, uint32_t rows) {
    AscendC::LocalTensor<T> result = Finish(difference, rows * columns.rowLength);
    StoreColumns(dxGm, result, tiling, columns, row, rows);
    dxQueue.FreeTensor(result);
  }

  const SoftmaxTilingData& tiling;
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> outQueue;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> doutQueue;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> rowQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> dxQueue;
  Calculation wideOut;
  Calculation wideDout;
  Calculation scratch;
  Calculation spread;
  Calculation running;
  AscendC::LocalTensor<T> loadedOut;
  AscendC::LocalTensor<T> loadedDout;
  AscendC::GlobalTensor<T> outGm;
  AscendC::GlobalTensor<T> doutGm;
  AscendC::GlobalTensor<T> dxGm;
};

}  // namespace

extern "C" __global__ __aicore__ void softmax_grad(GM_ADDR out, GM_ADDR dout, GM_ADDR dx,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(SoftmaxTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelSoftmaxGrad<DTYPE_OUT> op(tilingData);
  op.Init(out, dout, dx);
  op.Process();
}
