// out = (x - mean) * rstd * weight + bias for each row of x, with rstd = 1 / sqrt(variance +
// epsilon).
//
// Rows go to the library, as many as a tile holds. A row that does not fit is read three times: for
// the mean, for the variance, and for the result. Everything is computed in float and rounded once;
// mean and rstd stay float.
// SPDX-License-Identifier: Apache-2.0
#include "layer_norm_tile.h"

namespace {

template <typename T>
class KernelLayerNorm {
 public:
  __aicore__ inline explicit KernelLayerNorm(const LayerNormTilingData& tilingData)
      : tiling(tilingData), length(static_cast<uint32_t>(tilingData.length)) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR out, GM_ADDR mean,
                              GM_ADDR rstd) {
    xGm.SetGlobalBuffer((__gm__ T*)x);
    outGm.SetGlobalBuffer((__gm__ T*)out);
    if (tiling.hasWeight != 0) weightGm.SetGlobalBuffer((__gm__ T*)weight);
    if (tiling.hasBias != 0) biasGm.SetGlobalBuffer((__gm__ T*)bias);
    meanGm.SetGlobalBuffer((__gm__ float*)mean);
    rstdGm.SetGlobalBuffer((__gm__ float*)rstd);
    pipe.InitBuffer(inQueue, tiling.buffers, tiling.tileLength * sizeof(T));
    pipe.InitBuffer(outQueue, tiling.buffers, tiling.tileLength * sizeof(T));
    const uint32_t statistics =
        PitchOf<float>(tiling.tileRows != 0 ? tiling.tileRows : 1) * sizeof(float);
    pipe.InitBuffer(meanQueue, 1, statistics);
    pipe.InitBuffer(rstdQueue, 1, statistics);
    pipe.InitBuffer(gamma, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(beta, tiling.tileLength * sizeof(float));
    if constexpr (!IS_FLOAT<T>) pipe.InitBuffer(wideX, tiling.tileLength * sizeof(float));
    if (tiling.tileRows == 0) {
      pipe.InitBuffer(running, tiling.tileLength * sizeof(float));
      pipe.InitBuffer(one, DATABLOCK_BYTES);
    }
  }

  __aicore__ inline void Process() {
    uint64_t row = tiling.blockRows * AscendC::GetBlockIdx();
    const uint64_t end =
        row + tiling.blockRows < tiling.rows ? row + tiling.blockRows : tiling.rows;
    if (row >= end) return;
    if (tiling.tileRows == 0) {
      for (; row < end; ++row) Pieces(row);
      return;
    }
    LoadFactors(0, length);
    for (; row < end; row += tiling.tileRows) Rows(row, Least(tiling.tileRows, end - row));
  }

 private:
  // --- rows that fit

  __aicore__ inline void Rows(uint64_t row, uint32_t rows) {
    const uint32_t pitch = PitchOf<T>(length);
    AscendC::LocalTensor<T> local = Load(xGm[row * length], rows, length);
    AscendC::LocalTensor<T> result = outQueue.template AllocTensor<T>();
    FloatTensor means = meanQueue.AllocTensor<float>();
    FloatTensor rstds = rstdQueue.AllocTensor<float>();
    const AscendC::LayerNormPara para{rows, length, pitch};
    if constexpr (AscendC::IsSameType<T, bfloat16_t>::value) {
      FloatTensor wide = Widen(local, wideX, rows * pitch);
      AscendC::LayerNorm<float, float>(wide, means, rstds, wide, gamma.Get<float>(),
                                       beta.Get<float>(), tiling.epsilon, para, tiling.library);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(result, wide, AscendC::RoundMode::CAST_RINT, rows * pitch);
    } else {
      AscendC::LayerNorm<float, T>(result, means, rstds, local, gamma.Get<float>(),
                                   beta.Get<float>(), tiling.epsilon, para, tiling.library);
    }
    inQueue.FreeTensor(local);
    Store(outGm[row * length], result, rows, length);
    StoreStatistics(means, rstds, row, rows);
  }

  __aicore__ inline AscendC::LocalTensor<T> Load(const AscendC::GlobalTensor<T>& from,
                                                 uint32_t rows, uint32_t count) {
    AscendC::LocalTensor<T> local = inQueue.template AllocTensor<T>();
    LoadRows(local, from, rows, count);
    inQueue.EnQue(local);
    return inQueue.template DeQue<T>();
  }

  __aicore__ inline void Store(const AscendC::GlobalTensor<T>& to,
                               const AscendC::LocalTensor<T>& from, uint32_t rows, uint32_t count) {
    outQueue.template EnQue<T>(from);
    AscendC::LocalTensor<T> local = outQueue.template DeQue<T>();
    StoreRows(to, local, rows, count);
    outQueue.FreeTensor(local);
  }

  __aicore__ inline void StoreStatistics(FloatTensor& means, FloatTensor& rstds, uint64_t row,
                                         uint32_t rows) {
    meanQueue.EnQue(means);
    rstdQueue.EnQue(rstds);
    means = meanQueue.DeQue<float>();
    rstds = rstdQueue.DeQue<float>();
    StoreRows(meanGm[row], means, 1, rows);
    StoreRows(rstdGm[row], rstds, 1, rows);
    meanQueue.FreeTensor(means);
    rstdQueue.FreeTensor(rstds);
  }

  // weight and bias as floats, from an element on.
  __aicore__ inline void LoadFactors(uint64_t at, uint32_t count) {
    LoadFactor(gamma.Get<float>(), weightGm, tiling.hasWeight != 0, 1.0f, at, count);
    LoadFactor(beta.Get<float>(), biasGm, tiling.hasBias != 0, 0.0f, at, count);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void LoadFactor(const FloatTensor& to, const AscendC::GlobalTensor<T>& from,
                                    bool isThere, float otherwise, uint64_t at, uint32_t count) {
    if (!isThere) {
      AscendC::Duplicate(to, otherwise, static_cast<int32_t>(count));
      return;
    }
    AscendC::LocalTensor<T> local = Load(from[at], 1, count);
    if constexpr (IS_FLOAT<T>) {
      AscendC::Muls(to, local, 1.0f, static_cast<int32_t>(count));
    } else {
      AscendC::Cast(to, local, AscendC::RoundMode::CAST_NONE, count);
    }
    inQueue.FreeTensor(local);
  }

  // --- rows in pieces

  __aicore__ inline void Pieces(uint64_t row) {
    const uint64_t place = row * tiling.length;
    const float count = static_cast<float>(tiling.length);
    const float average = SumOfPieces(place, 0.0f, false) / count;
    const float variance = SumOfPieces(place, average, true) / count;
    FloatTensor means = meanQueue.AllocTensor<float>();
    FloatTensor rstds = rstdQueue.AllocTensor<float>();
    AscendC::Duplicate(means, average, DATABLOCK_FLOATS);
    AscendC::Duplicate(rstds, variance, DATABLOCK_FLOATS);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(rstds, rstds, tiling.epsilon, DATABLOCK_FLOATS);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sqrt(rstds, rstds, DATABLOCK_FLOATS);
    FloatTensor ones = one.Get<float>();
    AscendC::Duplicate(ones, 1.0f, DATABLOCK_FLOATS);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(rstds, ones, rstds, DATABLOCK_FLOATS);
    AscendC::PipeBarrier<PIPE_V>();
    WaitFor<AscendC::HardEvent::V_S>();
    const float rstd = rstds.GetValue(0);
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t now = Least(tiling.tileLength, tiling.length - at);
      const int32_t n = static_cast<int32_t>(now);
      LoadFactors(at, now);
      AscendC::LocalTensor<T> local = Load(xGm[place + at], 1, now);
      AscendC::LocalTensor<T> result = outQueue.template AllocTensor<T>();
      const FloatTensor wide = Widen(local, wideX, now);
      AscendC::Adds(wide, wide, -average, n);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Muls(wide, wide, rstd, n);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Mul(wide, wide, gamma.Get<float>(), n);
      AscendC::PipeBarrier<PIPE_V>();
      if constexpr (IS_FLOAT<T>) {
        AscendC::Add(result, wide, beta.Get<float>(), n);
      } else {
        AscendC::Add(wide, wide, beta.Get<float>(), n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(result, wide, AscendC::RoundMode::CAST_RINT, now);
      }
      inQueue.FreeTensor(local);
      Store(outGm[place + at], result, 1, now);
    }
    StoreStatistics(means, rstds, row, 1);
  }

  // The sum of x - less, or of its squares.
  __aicore__ inline float SumOfPieces(uint64_t place, float less, bool isSquared) {
    FloatTensor lanes = running.Get<float>();
    AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(tiling.tileLength));
    AscendC::PipeBarrier<PIPE_V>();
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t now = Least(tiling.tileLength, tiling.length - at);
      const int32_t n = static_cast<int32_t>(now);
      AscendC::LocalTensor<T> local = Load(xGm[place + at], 1, now);
      const FloatTensor wide = Widen(local, wideX, now);
      if (isSquared) {
        AscendC::Adds(wide, wide, -less, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(wide, wide, wide, n);
        AscendC::PipeBarrier<PIPE_V>();
      }
      AscendC::Add(lanes, lanes, wide, n);
      AscendC::PipeBarrier<PIPE_V>();
      inQueue.FreeTensor(local);
    }
    SumOfRow(one.Get<float>(), lanes, lanes, tiling.tileLength);
    WaitFor<AscendC::HardEvent::V_S>();
    return one.Get<float>().GetValue(0);
  }

  const LayerNormTilingData& tiling;
  uint32_t length;  // of rows that fit
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> meanQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> rstdQueue;
  Calculation gamma;
  Calculation beta;
  Calculation wideX;
  Calculation running;
  Calculation one;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> weightGm;
  AscendC::GlobalTensor<T> biasGm;
  AscendC::GlobalTensor<T> outGm;
  AscendC::GlobalTensor<float> meanGm;
  AscendC::GlobalTensor<float> rstdGm;
};

}  // namespace

extern "C" __global__ __aicore__ void layer_norm(GM_ADDR x, GM_ADDR weight, GM_ADDR bias,
                                                 GM_ADDR out, GM_ADDR mean, GM_ADDR rstd,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(LayerNormTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelLayerNorm<DTYPE_X> op(tilingData);
  op.Init(x, weight, bias, out, mean, rstd);
  op.Process();
}
