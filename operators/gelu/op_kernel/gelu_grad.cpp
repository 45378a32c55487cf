// dx = dout * (P(x) + x * P'(x)), element by element, for any length; P as in gelu.cpp.
//
// Far from 0 P' is 0 and x P' with it; x is held within bounds, beyond which nothing changes, so
// that no infinity is multiplied with that 0.
// SPDX-License-Identifier: Apache-2.0
#include "gelu_tile.h"

namespace {

constexpr float BOUND = 16.0f;  // P' of ±16 is 0 in float, exact and approximated

template <typename T>
class KernelGeluGrad {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR dout, GM_ADDR dx, const GeluTilingData& tiling) {
    const GeluBlock block(tiling);
    length = block.length;
    tileLength = tiling.tileLength;
    isTanh = tiling.isTanh != 0;
    xGm.SetGlobalBuffer((__gm__ T*)x + block.begin, length);
    doutGm.SetGlobalBuffer((__gm__ T*)dout + block.begin, length);
    dxGm.SetGlobalBuffer((__gm__ T*)dx + block.begin, length);
    pipe.InitBuffer(inQueueX, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(inQueueDout, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(bounded, tileLength * sizeof(float));
    pipe.InitBuffer(first, tileLength * sizeof(float));
    pipe.InitBuffer(second, tileLength * sizeof(float));
    pipe.InitBuffer(third, tileLength * sizeof(float));
    if constexpr (!IS_FLOAT<T>) {
      pipe.InitBuffer(floatX, tileLength * sizeof(float));
      pipe.InitBuffer(floatDout, tileLength * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    for (uint64_t offset = 0; offset < length; offset += tileLength) {
      const uint64_t rest = length - offset;
      const uint32_t count = rest < tileLength ? static_cast<uint32_t>(rest) : tileLength;
      AscendC::LocalTensor<T> xLocal = inQueueX.template AllocTensor<T>();
      AscendC::LocalTensor<T> doutLocal = inQueueDout.template AllocTensor<T>();
      Load(xLocal, xGm[offset], count);
      Load(doutLocal, doutGm[offset], count);
      inQueueX.EnQue(xLocal);
      inQueueDout.EnQue(doutLocal);
      Compute(count);
      AscendC::LocalTensor<T> dxLocal = outQueue.template DeQue<T>();
      Store(dxGm[offset], dxLocal, count);
      outQueue.FreeTensor(dxLocal);
    }
  }

 private:
  __aicore__ inline void Compute(uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    AscendC::LocalTensor<T> xLocal = inQueueX.template DeQue<T>();
    AscendC::LocalTensor<T> doutLocal = inQueueDout.template DeQue<T>();
    AscendC::LocalTensor<T> dxLocal = outQueue.template AllocTensor<T>();
    AscendC::LocalTensor<float> x = bounded.Get<float>();
    const AscendC::LocalTensor<float> wide = Widen(xLocal, floatX, count);
    AscendC::Maxs(x, wide, -BOUND, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mins(x, x, BOUND, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::LocalTensor<float> slope = first.Get<float>();
    if (isTanh) {
      SlopeOfTanh(slope, x, second.Get<float>(), count);
    } else {
      Slope(slope, x, second.Get<float>(), count);
    }
    const AscendC::LocalTensor<float> dout = Widen(doutLocal, floatDout, count);
    if constexpr (IS_FLOAT<T>) {
      AscendC::Mul(dxLocal, slope, dout, n);
    } else {
      AscendC::Mul(slope, slope, dout, n);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(dxLocal, slope, AscendC::RoundMode::CAST_RINT, count);
    }
    outQueue.template EnQue<T>(dxLocal);
    inQueueX.FreeTensor(xLocal);
    inQueueDout.FreeTensor(doutLocal);
  }

  // erfc(-x / √2) / 2 + x exp(-x² / 2) / √(2 π)
  __aicore__ inline void Slope(const AscendC::LocalTensor<float>& slope,
                               const AscendC::LocalTensor<float>& x,
                               const AscendC::LocalTensor<float>& rest, uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    AscendC::Muls(rest, x, -ROOT_OF_HALF, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Erfc(slope, rest, count);
    AscendC::Mul(rest, x, x, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(slope, slope, 0.5f, n);
    AscendC::Muls(rest, rest, -0.5f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(rest, rest, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(rest, rest, x, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Axpy(slope, rest, DENSITY, n);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // With s = 1 / (1 + exp(-z)), z = x (SLOPE + SLOPE CUBE x²): s + x s (1 - s) z'
  __aicore__ inline void SlopeOfTanh(const AscendC::LocalTensor<float>& slope,
                                     const AscendC::LocalTensor<float>& x,
                                     const AscendC::LocalTensor<float>& rest, uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    AscendC::Mul(rest, x, x, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(slope, rest, SLOPE * CUBE, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(slope, slope, SLOPE, n);
    AscendC::Muls(rest, rest, 3 * SLOPE * CUBE, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(slope, slope, x, n);
    AscendC::Adds(rest, rest, SLOPE, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(rest, rest, x, n);     // x z'
    AscendC::LocalTensor<float> s = x;  // which nobody needs any more
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sigmoid(s, slope, count);
    AscendC::PipeBarrier<PIPE_V>();
    // 1 - s, which as a difference would lose its digits where s is almost 1.
    AscendC::LocalTensor<float> other = third.Get<float>();
    AscendC::Muls(slope, slope, -1.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sigmoid(other, slope, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(slope, other, s, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(slope, slope, rest, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(slope, slope, s, n);
    AscendC::PipeBarrier<PIPE_V>();
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueX;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueDout;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
  AscendC::TBuf<AscendC::TPosition::VECCALC> bounded;
  AscendC::TBuf<AscendC::TPosition::VECCALC> first;
  AscendC::TBuf<AscendC::TPosition::VECCALC> second;
  AscendC::TBuf<AscendC::TPosition::VECCALC> third;
  AscendC::TBuf<AscendC::TPosition::VECCALC> floatX;
  AscendC::TBuf<AscendC::TPosition::VECCALC> floatDout;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> doutGm;
  AscendC::GlobalTensor<T> dxGm;
  uint64_t length = 0;
  uint32_t tileLength = 0;
  bool isTanh = false;
};

}  // namespace

extern "C" __global__ __aicore__ void gelu_grad(GM_ADDR x, GM_ADDR dout, GM_ADDR dx,
                                                GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(GeluTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelGeluGrad<DTYPE_X> op;
  op.Init(x, dout, dx, tilingData);
  op.Process();
}
