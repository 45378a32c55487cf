// out = x * P(x), element by element, for any length; P is the distribution function of the normal
// distribution, or its approximation by tanh.
//
// P(x) = erfc(-x / √2) / 2, which keeps its digits where P is small: 1 + erf(x / √2) would lose
// them. Everything is computed in float and rounded once.
// SPDX-License-Identifier: Apache-2.0
#include "gelu_tile.h"

namespace {

template <typename T>
class KernelGelu {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out, const GeluTilingData& tiling) {
    const GeluBlock block(tiling);
    length = block.length;
    tileLength = tiling.tileLength;
    isTanh = tiling.isTanh != 0;
    xGm.SetGlobalBuffer((__gm__ T*)x + block.begin, length);
    outGm.SetGlobalBuffer((__gm__ T*)out + block.begin, length);
    pipe.InitBuffer(inQueueX, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(first, tileLength * sizeof(float));
    pipe.InitBuffer(second, tileLength * sizeof(float));
    if constexpr (!IS_FLOAT<T>) pipe.InitBuffer(floatX, tileLength * sizeof(float));
  }

  __aicore__ inline void Process() {
    for (uint64_t offset = 0; offset < length; offset += tileLength) {
      const uint64_t rest = length - offset;
      const uint32_t count = rest < tileLength ? static_cast<uint32_t>(rest) : tileLength;
      AscendC::LocalTensor<T> xLocal = inQueueX.template AllocTensor<T>();
      Load(xLocal, xGm[offset], count);
      inQueueX.EnQue(xLocal);
      Compute(count);
      AscendC::LocalTensor<T> outLocal = outQueue.template DeQue<T>();
      Store(outGm[offset], outLocal, count);
      outQueue.FreeTensor(outLocal);
    }
  }

 private:
  __aicore__ inline void Compute(uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    AscendC::LocalTensor<T> xLocal = inQueueX.template DeQue<T>();
    AscendC::LocalTensor<T> outLocal = outQueue.template AllocTensor<T>();
    const AscendC::LocalTensor<float> x = Widen(xLocal, floatX, count);
    AscendC::LocalTensor<float> result = second.Get<float>();
    if constexpr (IS_FLOAT<T>) result = outLocal;
    if (isTanh) {
      AscendC::Gelu(result, x, count);
    } else {
      AscendC::LocalTensor<float> scaled = first.Get<float>();
      AscendC::Muls(scaled, x, -ROOT_OF_HALF, n);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Erfc(result, scaled, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Muls(result, result, 0.5f, n);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Mul(result, result, x, n);
    }
    if constexpr (!IS_FLOAT<T>) {
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(outLocal, result, AscendC::RoundMode::CAST_RINT, count);
    }
    outQueue.template EnQue<T>(outLocal);
    inQueueX.FreeTensor(xLocal);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueX;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
  AscendC::TBuf<AscendC::TPosition::VECCALC> first;
  AscendC::TBuf<AscendC::TPosition::VECCALC> second;
  AscendC::TBuf<AscendC::TPosition::VECCALC> floatX;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> outGm;
  uint64_t length = 0;
  uint32_t tileLength = 0;
  bool isTanh = false;
};

}  // namespace

extern "C" __global__ __aicore__ void gelu(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(GeluTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelGelu<DTYPE_X> op;
  op.Init(x, out, tilingData);
  op.Process();
}
