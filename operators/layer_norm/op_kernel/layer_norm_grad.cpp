// The gradients of LayerNorm. For each row, with n = (x - mean) * rstd and g = dout * weight:
//   dx = rstd * (g - average(g) - n * average(g * n))
// and down all rows dweight = sum(dout * n), dbias = sum(dout).
//
// Each block has sums of its own rows; where there are several blocks they leave them in global
// memory, and a second pass adds them, always in the same order. A row that does not fit is read
// three times. Everything is computed in float and rounded once.
// SPDX-License-Identifier: Apache-2.0
#include "layer_norm_tile.h"

namespace {

template <typename T>
class KernelLayerNormGrad {
 public:
  __aicore__ inline explicit KernelLayerNormGrad(const LayerNormGradTilingData& tilingData)
      : tiling(tilingData), scale(1.0f / static_cast<float>(tilingData.length)) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR mean, GM_ADDR rstd, GM_ADDR dout,
                              GM_ADDR dx, GM_ADDR dweight, GM_ADDR dbias, GM_ADDR partial) {
    xGm.SetGlobalBuffer((__gm__ T*)x);
    if (tiling.hasWeight != 0) weightGm.SetGlobalBuffer((__gm__ T*)weight);
    meanGm.SetGlobalBuffer((__gm__ float*)mean);
    rstdGm.SetGlobalBuffer((__gm__ float*)rstd);
    doutGm.SetGlobalBuffer((__gm__ T*)dout);
    dxGm.SetGlobalBuffer((__gm__ T*)dx);
    dweightGm.SetGlobalBuffer((__gm__ T*)dweight);
    dbiasGm.SetGlobalBuffer((__gm__ T*)dbias);
    partialGm.SetGlobalBuffer((__gm__ float*)partial);
    pipe.InitBuffer(xQueue, 1, tiling.tileLength * sizeof(T));
    pipe.InitBuffer(doutQueue, 1, tiling.tileLength * sizeof(T));
    // The second pass reads and writes floats in the same buffers.
    pipe.InitBuffer(partQueue, 1, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(outQueue, 1, tiling.tileLength * sizeof(float));
    const uint32_t statistics =
        PitchOf<float>(tiling.tileRows != 0 ? tiling.tileRows : 1) * sizeof(float);
    pipe.InitBuffer(meanQueue, 1, statistics);
    pipe.InitBuffer(rstdQueue, 1, statistics);
    pipe.InitBuffer(gamma, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(dgamma, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(dbeta, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(products, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(one, 2 * DATABLOCK_BYTES);
    if constexpr (!IS_FLOAT<T>) {
      pipe.InitBuffer(wideX, tiling.tileLength * sizeof(float));
      pipe.InitBuffer(wideDout, tiling.tileLength * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    const uint64_t block = static_cast<uint64_t>(AscendC::GetBlockIdx());
    const uint64_t first = tiling.blockRows * block;
    const uint64_t end =
        first + tiling.blockRows < tiling.rows ? first + tiling.blockRows : tiling.rows;
    if (tiling.tileRows != 0) {
      const uint32_t length = static_cast<uint32_t>(tiling.length);
      LoadWeight(0, length);
      ClearSums();
      for (uint64_t row = first; row < end; row += tiling.tileRows) {
        Rows(row, Least(tiling.tileRows, end - row));
      }
      StoreSums(block, 0, length);
      return;
    }
    for (uint64_t row = first; row < end; ++row) Pieces(row);
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t now = Least(tiling.tileLength, tiling.length - at);
      ClearSums();
      for (uint64_t row = first; row < end; ++row) {
        LoadStatistics(row, 1);
        LoadBoth(row * tiling.length + at, 1, now);
        Normalise(0, 0, now);
        Multiply(0, now);
        AddToSums(0, now);
        FreeBoth();
        FreeStatistics();
      }
      StoreSums(block, at, now);
    }
  }

  // Adds what the blocks have left in global memory.
  __aicore__ inline void AddParts() {
    const uint64_t blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
    constexpr uint64_t DATABLOCK = DATABLOCK_BYTES / sizeof(T);
    const uint64_t share =
        ((tiling.length + blocks - 1) / blocks + DATABLOCK - 1) / DATABLOCK * DATABLOCK;
    uint64_t at = share * AscendC::GetBlockIdx();
    const uint64_t end = at + share < tiling.length ? at + share : tiling.length;
    for (; at < end; at += tiling.tileLength) {
      const uint32_t now = Least(tiling.tileLength, end - at);
      ClearSums();
      for (uint64_t block = 0; block < blocks; ++block) {
        AddPart(dgamma.Get<float>(), partialGm[2 * block * tiling.length + at], now);
        AddPart(dbeta.Get<float>(), partialGm[(2 * block + 1) * tiling.length + at], now);
      }
      Store(dweightGm[at], dgamma.Get<float>(), now);
      Store(dbiasGm[at], dbeta.Get<float>(), now);
    }
  }

 private:
  // --- what is loaded

  __aicore__ inline void LoadWeight(uint64_t at, uint32_t count) {
    FloatTensor to = gamma.Get<float>();
    if (tiling.hasWeight == 0) {
      AscendC::Duplicate(to, 1.0f, static_cast<int32_t>(count));
    } else {
      AscendC::LocalTensor<T> local = xQueue.template AllocTensor<T>();
      LoadRows(local, weightGm[at], 1, count);
      xQueue.EnQue(local);
      local = xQueue.template DeQue<T>();
      if constexpr (IS_FLOAT<T>) {
        AscendC::Muls(to, local, 1.0f, static_cast<int32_t>(count));
      } else {
        AscendC::Cast(to, local, AscendC::RoundMode::CAST_NONE, count);
      }
      xQueue.FreeTensor(local);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void LoadStatistics(uint64_t row, uint32_t rows) {
    means = meanQueue.AllocTensor<float>();
    rstds = rstdQueue.AllocTensor<float>();
    LoadRows(means, meanGm[row], 1, rows);
    LoadRows(rstds, rstdGm[row], 1, rows);
    meanQueue.EnQue(means);
    rstdQueue.EnQue(rstds);
    means = meanQueue.DeQue<float>();
    rstds = rstdQueue.DeQue<float>();
    WaitFor<AscendC::HardEvent::MTE2_S>();
  }
  __aicore__ inline void FreeStatistics() {
    meanQueue.FreeTensor(means);
    rstdQueue.FreeTensor(rstds);
  }

  __aicore__ inline void LoadBoth(uint64_t place, uint32_t rows, uint32_t length) {
    localX = xQueue.template AllocTensor<T>();
    localDout = doutQueue.template AllocTensor<T>();
    LoadRows(localX, xGm[place], rows, length);
    LoadRows(localDout, doutGm[place], rows, length);
    xQueue.EnQue(localX);
    doutQueue.EnQue(localDout);
    localX = xQueue.template DeQue<T>();
    localDout = doutQueue.template DeQue<T>();
    const uint32_t count = rows * PitchOf<T>(length);
    x = Widen(localX, wideX, count);
    dout = Widen(localDout, wideDout, count);
  }
  __aicore__ inline void FreeBoth() {
    xQueue.FreeTensor(localX);
    doutQueue.FreeTensor(localDout);
  }

  // --- steps of a row that begins at `at` of what is loaded

  // x becomes n = (x - mean) * rstd.
  __aicore__ inline void Normalise(uint32_t row, uint32_t at, uint32_t length) {
    AscendC::Adds(x[at], x[at], -means.GetValue(row), static_cast<int32_t>(length));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(x[at], x[at], rstds.GetValue(row), static_cast<int32_t>(length));
    AscendC::PipeBarrier<PIPE_V>();
  }

  // products = dout * n.
  __aicore__ inline void Multiply(uint32_t at, uint32_t length) {
    AscendC::Mul(products.Get<float>(), dout[at], x[at], static_cast<int32_t>(length));
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void AddToSums(uint32_t at, uint32_t length) {
    const int32_t n = static_cast<int32_t>(length);
    AscendC::Add(dbeta.Get<float>(), dbeta.Get<float>(), dout[at], n);
    AscendC::Add(dgamma.Get<float>(), dgamma.Get<float>(), products.Get<float>(), n);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // to = rstd * (dout * weight - average - n * slope).
  __aicore__ inline void Finish(const FloatTensor& to, uint32_t row, uint32_t at, uint32_t length,
                                float average, float slope) {
    const int32_t n = static_cast<int32_t>(length);
    AscendC::Mul(dout[at], dout[at], gamma.Get<float>(), n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(dout[at], dout[at], -average, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Axpy(dout[at], x[at], -slope, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(to, dout[at], rstds.GetValue(row), n);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // --- rows that fit

  __aicore__ inline void Rows(uint64_t first, uint32_t rows) {
    const uint32_t length = static_cast<uint32_t>(tiling.length);
    const uint32_t pitch = PitchOf<T>(length);
    LoadStatistics(first, rows);
    LoadBoth(first * length, rows, length);
    const FloatTensor sums = one.Get<float>();
    // The sums of products that the gradient of a softmax begins with.
    const AscendC::SoftMaxShapeInfo shape{1, pitch, 1, length};
    AscendC::LocalTensor<T> result = outQueue.template AllocTensor<T>();
    FloatTensor wide = dout;
    if constexpr (IS_FLOAT<T>) wide = result;
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t at = row * pitch;
      Normalise(row, at, length);
      Multiply(at, length);
      AddToSums(at, length);
      AscendC::SoftmaxGradFront<float>(sums, products.Get<float>(), gamma.Get<float>(),
                                       tiling.library, shape);
      AscendC::SoftmaxGradFront<float>(sums[DATABLOCK_FLOATS], dout[at], gamma.Get<float>(),
                                       tiling.library, shape);
      WaitFor<AscendC::HardEvent::V_S>();
      Finish(wide[at], row, at, length, sums.GetValue(DATABLOCK_FLOATS) * scale,
             sums.GetValue(0) * scale);
    }
    if constexpr (!IS_FLOAT<T>) {
      AscendC::Cast(result, dout, AscendC::RoundMode::CAST_RINT, rows * pitch);
    }
    FreeBoth();
    FreeStatistics();
    outQueue.template EnQue<T>(result);
    result = outQueue.template DeQue<T>();
    StoreRows(dxGm[first * length], result, rows, length);
    outQueue.FreeTensor(result);
  }

  // --- rows in pieces

  __aicore__ inline void Pieces(uint64_t row) {
    const uint64_t place = row * tiling.length;
    const FloatTensor sums = one.Get<float>();
    const FloatTensor product = products.Get<float>();
    LoadStatistics(row, 1);
    ClearSums();  // lanes of the row's sums, here
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t now = Least(tiling.tileLength, tiling.length - at);
      const int32_t n = static_cast<int32_t>(now);
      LoadNormal(place, at, now);
      Multiply(0, now);
      AscendC::Mul(product, product, gamma.Get<float>(), n);
      AscendC::Mul(dout, dout, gamma.Get<float>(), n);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Add(dgamma.Get<float>(), dgamma.Get<float>(), product, n);
      AscendC::Add(dbeta.Get<float>(), dbeta.Get<float>(), dout, n);
      AscendC::PipeBarrier<PIPE_V>();
      FreeBoth();
    }
    SumOfRow(sums, dgamma.Get<float>(), dgamma.Get<float>(), tiling.tileLength);
    SumOfRow(sums[DATABLOCK_FLOATS], dbeta.Get<float>(), dbeta.Get<float>(), tiling.tileLength);
    WaitFor<AscendC::HardEvent::V_S>();
    const float slope = sums.GetValue(0) * scale;
    const float average = sums.GetValue(DATABLOCK_FLOATS) * scale;
    for (uint64_t at = 0; at < tiling.length; at += tiling.tileLength) {
      const uint32_t now = Least(tiling.tileLength, tiling.length - at);
      LoadNormal(place, at, now);
      Finish(dout, 0, 0, now, average, slope);
      Store(dxGm[place + at], dout, now);
      FreeBoth();
    }
    FreeStatistics();
  }

  __aicore__ inline void LoadNormal(uint64_t place, uint64_t at, uint32_t count) {
    LoadWeight(at, count);
    LoadBoth(place + at, 1, count);
    Normalise(0, 0, count);
  }

  // --- sums down all rows

  __aicore__ inline void ClearSums() {
    AscendC::Duplicate(dgamma.Get<float>(), 0.0f, static_cast<int32_t>(tiling.tileLength));
    AscendC::Duplicate(dbeta.Get<float>(), 0.0f, static_cast<int32_t>(tiling.tileLength));
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void StoreSums(uint64_t block, uint64_t at, uint32_t count) {
    if (AscendC::GetBlockNum() > 1) {
      Store(partialGm[2 * block * tiling.length + at], dgamma.Get<float>(), count);
      Store(partialGm[(2 * block + 1) * tiling.length + at], dbeta.Get<float>(), count);
    } else {
      Store(dweightGm[at], dgamma.Get<float>(), count);
      Store(dbiasGm[at], dbeta.Get<float>(), count);
    }
  }

  __aicore__ inline void AddPart(const FloatTensor& to, const AscendC::GlobalTensor<float>& from,
                                 uint32_t count) {
    FloatTensor local = partQueue.AllocTensor<float>();
    LoadRows(local, from, 1, count);
    partQueue.EnQue(local);
    local = partQueue.DeQue<float>();
    AscendC::Add(to, to, local, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
    partQueue.FreeTensor(local);
  }

  template <typename U>
  __aicore__ inline void Store(const AscendC::GlobalTensor<U>& to, const FloatTensor& from,
                               uint32_t count) {
    AscendC::LocalTensor<U> local = outQueue.template AllocTensor<U>();
    if constexpr (IS_FLOAT<U>) {
      AscendC::Muls(local, from, 1.0f, static_cast<int32_t>(count));
    } else {
      AscendC::Cast(local, from, AscendC::RoundMode::CAST_RINT, count);
    }
    outQueue.template EnQue<U>(local);
    local = outQueue.template DeQue<U>();
    StoreRows(to, local, 1, count);
    outQueue.FreeTensor(local);
  }

  const LayerNormGradTilingData& tiling;
  float scale;
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> xQueue;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> doutQueue;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> partQueue;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> meanQueue;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> rstdQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
  Calculation gamma;
  Calculation dgamma;
  Calculation dbeta;
  Calculation products;
  Calculation one;
  Calculation wideX;
  Calculation wideDout;
  AscendC::LocalTensor<T> localX;
  AscendC::LocalTensor<T> localDout;
  FloatTensor x;
  FloatTensor dout;
  FloatTensor means;
  FloatTensor rstds;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> weightGm;
  AscendC::GlobalTensor<float> meanGm;
  AscendC::GlobalTensor<float> rstdGm;
  AscendC::GlobalTensor<T> doutGm;
  AscendC::GlobalTensor<T> dxGm;
  AscendC::GlobalTensor<T> dweightGm;
  AscendC::GlobalTensor<T> dbiasGm;
  AscendC::GlobalTensor<float> partialGm;
};

}  // namespace

extern "C" __global__ __aicore__ void layer_norm_grad(GM_ADDR x, GM_ADDR weight, GM_ADDR mean,
                                                      GM_ADDR rstd, GM_ADDR dout, GM_ADDR dx,
                                                      GM_ADDR dweight, GM_ADDR dbias,
                                                      GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(LayerNormGradTilingData);
  GET_TILING_DATA(tilingData, tiling);
  if (TILING_KEY_IS(1)) {
    KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
    KernelLayerNormGrad<DTYPE_X> op(tilingData);
    op.Init(x, weight, mean, rstd, dout, dx, dweight, dbias, nullptr);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    // Blocks wait for each other, which vector cores alone cannot.
    KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIV_1_0);
    KernelLayerNormGrad<DTYPE_X> op(tilingData);
    op.Init(x, weight, mean, rstd, dout, dx, dweight, dbias, AscendC::GetUserWorkspace(workspace));
    op.Process();
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::SyncAll();
    op.AddParts();
  }
}
